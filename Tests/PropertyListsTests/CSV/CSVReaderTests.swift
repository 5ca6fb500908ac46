import Bytes
import PropertyLists
import Testing

/// Tables of comma-separated values (RFC 4180).
@Suite struct CSVReaderTests {
    @Test(
        "A table is an array of dictionaries of text",
        arguments: [
            ("A,B", []), ("A,B\r\n", []), ("\n\nA,B\n", []),
            ("A,B\r\n1,2\r\n3,4\r\n", [["A": "1", "B": "2"], ["A": "3", "B": "4"]]),
            ("A,B\n1,2\n3,4", [["A": "1", "B": "2"], ["A": "3", "B": "4"]]),
            ("A\r1\r2", [["A": "1"], ["A": "2"]]),
            ("\u{FEFF}A\n1", [["A": "1"]]),
            ("A,B\n\n1,\n\n,2\n", [["A": "1", "B": ""], ["A": "", "B": "2"]]),
            ("A,B,C\n1\n1,2\n", [["A": "1"], ["A": "1", "B": "2"]]),
            ("\"A\",\"B,C\"\n\"x\"\"y\",\"line\r\nbreak\"", [["A": "x\"y", "B,C": "line\r\nbreak"]]),
            ("A\n\"\"\n", [["A": ""]]), ("A\n\"\"\"\"\n", [["A": "\""]]), ("A\nb\"c\n", [["A": "b\"c"]]),
            ("A\n 1 \n", [["A": " 1 "]]), ("é\nö\n", [["é": "ö"]]),
            ("A\n1\t2\n", [["A": "1\t2"]]), ("A\n\"1\"", [["A": "1"]]), ("A,B\n\"1\",\"2\"\n", [["A": "1", "B": "2"]]),
            // Quotes are text if other text follows the closing quote.
            ("A,B\n\"x\"y,1\n", [["A": "\"x\"y", "B": "1"]]), ("A,B\n\"a, b\" c\n", [["A": "\"a", "B": " b\" c"]]),
            ("A\n\"d \"\"e\"\" f\" g\n", [["A": "\"d \"\"e\"\" f\" g"]]), ("A\n\"x\" \n", [["A": "\"x\" "]]),
            ("A\n\"x\ny\"z\n", [["A": "\"x"], ["A": "y\"z"]]), ("A\n\"\"x\n", [["A": "\"\"x"]]),
            ("\"A\" b,C\n1,2\n", [["\"A\" b": "1", "C": "2"]]),
            // Empty cells beyond the header are left out.
            ("A,B\n1,2,,\n1,2,\"\"\n,,\n", [["A": "1", "B": "2"], ["A": "1", "B": "2"], ["A": "", "B": ""]]),
        ] as [(String, Tree)])
    func read(text: String, rows: Tree) throws { #expect(try table(Array(text.utf8)) == rows) }

    @Test(
        "A column without a name is left out if its cells are empty, otherwise it is named by its number",
        arguments: [
            ("A,,\n1,,2\n3,,\n", [["A": "1", "Column 3": "2"], ["A": "3", "Column 3": ""]]),
            ("A,\n1\n2,\n", [["A": "1"], ["A": "2"]]), (",A\n1,2\n", [["Column 1": "1", "A": "2"]]),
            ("A,,B\n1,,2\n", [["A": "1", "B": "2"]]),
            ("sep=;\nA;\n1;\n2;3\n", [["A": "1", "Column 2": ""], ["A": "2", "Column 2": "3"]]),
            ("A,,\n", []), ("A,\n1,,\n2,3\n", [["A": "1", "Column 2": ""], ["A": "2", "Column 2": "3"]]),
        ] as [(String, Tree)])
    func unnamed(text: String, rows: Tree) throws {
        var recorder = TreeRecorder()
        #expect(try table(Array(text.utf8), into: &recorder) == rows)
        #expect(recorder.warnings == [])
    }

    @Test(
        "A column name that appears again gets the next number that no column has, with a warning",
        arguments: [
            (
                "n,n,n\n1,2,3", [["n": "1", "n (2)": "2", "n (3)": "3"]],
                ["1:3: \(again("n", "n (2)"))", "1:5: \(again("n", "n (3)"))"]
            ),
            (
                "n,n,n (2)\n1,2,3", [["n": "1", "n (3)": "2", "n (2)": "3"]], ["1:3: \(again("n", "n (3)"))"]
            ),
            (
                "n (2),n,n\n1,2,3", [["n (2)": "1", "n": "2", "n (3)": "3"]], ["1:9: \(again("n", "n (3)"))"]
            ),
            (
                ",Column 1\n1,2", [["Column 1": "1", "Column 1 (2)": "2"]],
                ["1:2: \(again("Column 1", "Column 1 (2)"))"]
            ),
            (
                "Column 2,\n1,2", [["Column 2": "1", "Column 2 (2)": "2"]],
                ["1:10: \(again("Column 2", "Column 2 (2)"))"]
            ),
        ] as [(String, Tree, [String])])
    func repeated(text: String, rows: Tree, warnings: [String]) throws {
        var recorder = TreeRecorder()
        #expect(try table(Array(text.utf8), into: &recorder) == rows)
        #expect(recorder.warnings == warnings)
    }

    private static func again(_ name: String, _ made: String) -> String {
        "the column '\(name)' appears more than once; this one is named '\(made)'"
    }

    @Test(
        "The separator is named by the first line, or is the one that fits most of the next 100 records",
        arguments: [
            ("A;B\n1;2\n", [["A": "1", "B": "2"]]), ("A\tB\n1\t2\n", [["A": "1", "B": "2"]]),
            ("A|B\n1|2\n", [["A": "1", "B": "2"]]),
            // A tie is decided by the order.
            ("A,B;C\n1,2;3\n", [["A": "1", "B;C": "2;3"]]), ("A;B|C\n", []),
            ("A|B\tC\n1|2\t3", [["A|B": "1|2", "C": "3"]]),
            ("A,B,C;D\n1;2\n3,4\n", [["A,B,C": "1", "D": "2"], ["A,B,C": "3,4"]]),
            ("A;B,C\n1,2\n1;2\n3;4\n", [["A": "1,2"], ["A": "1", "B,C": "2"], ["A": "3", "B,C": "4"]]),
            ("A,B;C\nx;\ny;\nz,w\n", [["A,B": "x", "C": ""], ["A,B": "y", "C": ""], ["A,B": "z,w"]]),
            // Separators in quotes do not count.
            ("\"A;B\",C\n1,2\n", [["A;B": "1", "C": "2"]]), ("\"A;B\"\nx;y\n", [["A;B": "x;y"]]),
            ("sep=|\nA|B,C\n1|2\n", [["A": "1", "B,C": "2"]]), ("sep=\t\r\nA\tB\r\n1\t2,5", [["A": "1", "B": "2,5"]]),
            ("sep=;x\n1\n", [["sep=": "1"]]), ("sep=x\n1\n", [["sep=x": "1"]]),
            ("\n\r\nA;B,C\n1;2\n", [["A": "1", "B,C": "2"]]),
        ] as [(String, Tree)])
    func separators(text: String, rows: Tree) throws { #expect(try table(Array(text.utf8)) == rows) }

    @Test("The records after the first 100 do not decide about the separator")
    func deciding() throws {
        // A tie of fifty records each, which the comma wins. One record more or less would decide otherwise.
        let records = [("x;2\n", 50), ("y,2\n", 50), ("x;2\n", 300)].map { String(repeating: $0.0, count: $0.1) }
        let text = "A;B,C\n" + records.joined()
        guard case .array(let rows)? = try table(Array(text.utf8)) else { throw PropertyListError(reason: "no array") }
        #expect(rows.count == 400)
        #expect(rows[49] == ["A;B": "x;2"])
        #expect(rows[50] == ["A;B": "y", "C": "2"])
    }

    @Test("Text that is not UTF-8 is read as Windows-1252, with a warning at the first such byte")
    func windows1252() throws {
        let warning = "the text is not valid UTF-8, so it is read as Windows-1252; save it as UTF-8"
        let long = Array("A\n".utf8) + [UInt8](repeating: UInt8(ascii: "x"), count: 1 << 16)
        for (bytes, rows, position) in [
            (Array("A\nCaf".utf8) + [0xE9, 0x80, 10], [["A": "Café€"]], "2:4"),
            (Array("A\n".utf8) + (0x80...0x9F), [["A": .string(Self.upper)]], "2:1"),
            ([0xEF, 0xBB, 0xBF] + Array("A\né".utf8) + [0xFF], [["A": "Ã©ÿ"]], "2:2"),
            (Array("A\nx".utf8) + [0xC3], [["A": "xÃ"]], "2:2"),
            (long + [0xE9], [["A": .string(String(repeating: "x", count: 1 << 16) + "é")]], "2:65537"),
        ] as [([UInt8], Tree, String)] {
            var recorder = TreeRecorder()
            #expect(try table(bytes, into: &recorder) == rows)
            #expect(recorder.warnings == ["\(position): \(warning)"])
        }
        // A character at the end of the first piece that is checked, with its second byte in the next piece.
        var recorder = TreeRecorder()
        let text = String(repeating: "x", count: (1 << 16) - 3) + "é"
        let expected: Tree = [["A": .string(text)]]
        #expect(try table(Array("A\n\(text)".utf8), into: &recorder) == expected)
        #expect(recorder.warnings == [])
    }

    /// The characters of Windows-1252 from 0x80 to 0x9F, as browsers read them.
    private static let upper =
        "\u{20AC}\u{81}\u{201A}\u{192}\u{201E}\u{2026}\u{2020}\u{2021}\u{2C6}\u{2030}\u{160}\u{2039}\u{152}\u{8D}\u{17D}\u{8F}"
        + "\u{90}\u{2018}\u{2019}\u{201C}\u{201D}\u{2022}\u{2013}\u{2014}\u{2DC}\u{2122}\u{161}\u{203A}\u{153}\u{9D}\u{17E}\u{178}"

    @Test(
        "Tabs separate the cells of a table of that kind, unless its first line says otherwise",
        arguments: [
            ("A\tB\n1,2\t\"3\t4\"", [["A": "1,2", "B": "3\t4"]]), ("A,B\n1,2", [["A,B": "1,2"]]),
            ("sep=;\nA;B\tC\n1;2\t3", [["A": "1", "B\tC": "2\t3"]]),
        ] as [(String, Tree)])
    func tabs(text: String, rows: Tree) throws { #expect(try table(Array(text.utf8), .tab) == rows) }

    @Test("A table may be UTF-16, with and without a byte order mark", arguments: ["", "\u{FEFF}"])
    func utf16(mark: String) throws {
        let bytes = (mark + "Name,B\n\"Zoë\",2\n").utf16.flatMap { [UInt8($0 & 0xFF), UInt8($0 >> 8)] }
        #expect(try table(bytes) == [["Name": "Zoë", "B": "2"]])
    }

    @Test(
        "A table that breaks a rule is refused with the place and what would be right",
        arguments: [
            ("", "1:1: the table is empty; its first line must name the columns"),
            ("\n\n", "3:1: the table is empty; its first line must name the columns"),
            ("A,B\n1,2\n1,2,3\n", "3:1: \(moreCells)"),
            ("A,B\r\n1,2\r\n1,2,3\r\n", "3:1: \(moreCells)"),
            ("A,B\n1,2\n\"two\nlines\",4\n5,6,7\n", "5:1: \(moreCells)"),
            ("A,B\n\"two\nlines\",4,,6\n", "2:1: \(moreCells)"),
            (
                "# Plants\n\nA,B\n1,2",
                "3:1: the line has more cells than the 1 column of the header; remove the lines above the one that names the columns"
            ),
            ("A\n1\n\"x\ny", "3:1: \(endless)"),
            ("A,B\n1,\"x\n\"\"y\n", "2:3: \(endless)"),
            ("A,B\r1,2\r\"x", "3:1: \(endless)"),
            ("A,\n1,\n\"x", "3:1: \(endless)"),
            ("A;B,C\n1;\"2\n", "2:3: \(endless)"),
            ("A\nx\0y\n", "2:2: the control character U+0000 cannot appear in a table; remove it"),
        ] as [(String, String)])
    func refused(text: String, message: String) {
        #expect(refusal(of: Array(text.utf8)) == message)
    }

    private static let moreCells =
        "the line has more cells than the 2 columns of the header; put a cell that contains the separator in quotes"
    private static let endless =
        "the quote that begins here never ends; end the cell with a quote, and double each quote within it"

    @Test("A table longer than the reader's window is read to its end, quotes across the edge too")
    func long() throws {
        let cell = String(repeating: "x\"\"y\n", count: 30)
        let text = "A,B\n" + (0..<2_000).map { "\($0),\"\(cell)\"\n" }.joined()
        var counter = CellCounter()
        try CSVReader.read(.memory(Array(text.utf8)), separator: .comma, limits: .init(), into: &counter)
        #expect(counter.cells == 4_000)
        #expect(counter.last == Array(cell.replacing("\"\"", with: "\"").utf8))
    }

    @Test("A cell may be as long as the limit says, and the quote that begins a longer one is named")
    func longCells() throws {
        let limits = PropertyListLimits(valueBytes: 1 << 16)
        let cell = [UInt8](repeating: UInt8(ascii: "x"), count: 1 << 16)
        #expect(refusal(of: Array("A\n".utf8) + cell + [10], limits) == nil)
        #expect(refusal(of: Array("A\n\"".utf8) + cell + Array("\"\n".utf8), limits) == nil)
        let reason = "is not ended within 65536 bytes; end the cell with a quote, and double each quote within it"
        for rest in ["x", "\"\"", "x,y\n"] {
            let endless = Array("A,B\n1,\"".utf8) + Array(String(repeating: rest, count: 2 << 16).utf8)
            #expect(refusal(of: endless, limits) == "2:3: the quote that begins here \(reason)")
        }
        let quoted = Array("\"x".utf8) + cell + Array("\"\n".utf8)
        for longer in [cell + [120, 10], quoted] as [[UInt8]] {
            #expect(
                refusal(of: Array("A\n".utf8) + longer, limits)
                    == "2:1: a cell is longer than 65536 bytes; store large data in separate files")
        }
    }

    @Test("A table may have a thousand columns, and no more cells than the limit says")
    func manyColumns() throws {
        let names = (0..<1_000).map { "\($0)" }.joined(separator: ",")
        let bytes = Array((names + "\n" + names + "\n").utf8)
        #expect(refusal(of: bytes, PropertyListLimits(values: 2_000)) == nil)
        #expect(
            refusal(of: bytes, PropertyListLimits(values: 1_999))?
                .hasSuffix("the table holds more than 1999 cells; split it") == true)
    }

    private func table(_ bytes: [UInt8], _ separator: CSVReader.Separator? = nil) throws(PropertyListError) -> Tree? {
        var recorder = TreeRecorder()
        return try table(bytes, separator, into: &recorder)
    }

    private func table(
        _ bytes: [UInt8], _ separator: CSVReader.Separator? = nil, into recorder: inout TreeRecorder
    ) throws(PropertyListError) -> Tree? {
        try CSVReader.read(.memory(bytes), separator: separator, limits: .init(), into: &recorder)
        return recorder.root
    }

    /// The sentence with which a table is refused; nil if it is read.
    private func refusal(of bytes: [UInt8], _ limits: PropertyListLimits = .init()) -> String? {
        do throws(PropertyListError) {
            var counter = CellCounter()
            try CSVReader.read(.memory(bytes), separator: nil, limits: limits, into: &counter)
            return nil
        } catch {
            return error.description
        }
    }
}

/// Counts the cells of a table, and keeps the last one.
private struct CellCounter: PropertyListConsumer {
    private(set) var cells = 0
    private(set) var last: [UInt8] = []

    mutating func string(_ text: Span<UInt8>) {
        cells += 1
        last = Array(copying: text)
    }

    mutating func beginDictionary(at position: SourcePosition) {}
    mutating func key(_ name: Span<UInt8>, at position: SourcePosition) {}
    mutating func endDictionary() {}
    mutating func beginArray(at position: SourcePosition) {}
    mutating func endArray() {}
    mutating func data(_ bytes: Span<UInt8>) {}
    mutating func scalar(_ value: PropertyListScalar) {}
}

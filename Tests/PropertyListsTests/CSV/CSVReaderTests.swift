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
            ("A\n 1 \n", [["A": " 1 "]]), ("é\nö\n", [["é": "ö"]]), ("A,\n1,2\n", [["A": "1", "": "2"]]),
            ("A\n1\t2\n", [["A": "1\t2"]]), ("A\n\"1\"", [["A": "1"]]), ("A,B\n\"1\",\"2\"\n", [["A": "1", "B": "2"]]),
        ] as [(String, Tree)])
    func read(text: String, rows: Tree) throws { #expect(try table(Array(text.utf8)) == rows) }

    @Test("Tabs separate the cells of a table of that kind, and commas are text")
    func tabs() throws {
        #expect(try table(Array("A\tB\n1,2\t\"3\t4\"".utf8), .tab) == [["A": "1,2", "B": "3\t4"]])
    }

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
            ("A,B,A\n1,2,3", "1:5: the column 'A' appears twice; rename one of the two"),
            ("A,,\n1,2,3", "1:4: the column '' appears twice; rename one of the two"),
            (
                "A,B\n1,2\n1,2,3\n",
                "3:5: the line has more cells than the 2 columns of the header; put a cell that contains the separator in quotes"
            ),
            (
                "A,B\n1,2\n\"two\nlines\",4\n5,6,7\n",
                "5:5: the line has more cells than the 2 columns of the header; put a cell that contains the separator in quotes"
            ),
            (
                "# Plants\n\nA,B\n1,2",
                "3:3: the line has more cells than the 1 column of the header; remove the lines above the one that names the columns"
            ),
            (
                "A\n1\n\"x\ny",
                "3:1: the quote that begins here never ends; end the cell with a quote, and double each quote within it"
            ),
            (
                "A,B\n1,\"x\n\"\"y\n",
                "2:3: the quote that begins here never ends; end the cell with a quote, and double each quote within it"
            ),
            ("A\n\"x\"y\n", "2:4: text follows the quote that ends a cell; double each quote within the cell"),
            ("A\nx\0y\n", "2:2: the control character U+0000 cannot appear in a table; remove it"),
        ] as [(String, String)])
    func refused(text: String, message: String) {
        #expect(refusal(of: Array(text.utf8)) == message)
    }

    @Test("Invalid UTF-8 is refused at its place")
    func notUTF8() {
        #expect(
            refusal(of: Array("A\nx".utf8) + [0xFF, 0x0A])
                == "2:2: the text is not valid UTF-8; save the document as UTF-8")
        #expect(
            refusal(of: Array("A\nx".utf8) + [0xC3])
                == "2:2: the document ends inside a character; it was truncated, or is not UTF-8")
    }

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
        for (line, place) in [(cell + [120, 10], "2:1"), ([34] + cell + [120, 34, 10], "2:2")] {
            #expect(
                refusal(of: Array("A\n".utf8) + line, limits)
                    == "\(place): a cell is longer than 65536 bytes; store large data in separate files")
        }
    }

    @Test("A table may have a thousand columns, and no more cells than the limit says")
    func manyColumns() throws {
        let names = (0..<1_000).map { "\($0)" }.joined(separator: ",")
        #expect(refusal(of: Array((names + "\n" + names + "\n").utf8)) == nil)
        #expect(
            refusal(of: Array((names + "\n" + names + "\n").utf8), PropertyListLimits(values: 1_500))?
                .hasSuffix("the table holds more than 1500 cells; split it") == true)
    }

    private func table(
        _ bytes: [UInt8], _ separator: CSVReader.Separator = .comma
    ) throws(PropertyListError) -> Tree? {
        var recorder = TreeRecorder()
        try CSVReader.read(.memory(bytes), separator: separator, limits: .init(), into: &recorder)
        return recorder.root
    }

    /// The sentence with which a table is refused; nil if it is read.
    private func refusal(of bytes: [UInt8], _ limits: PropertyListLimits = .init()) -> String? {
        do throws(PropertyListError) {
            var counter = CellCounter()
            try CSVReader.read(.memory(bytes), separator: .comma, limits: limits, into: &counter)
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

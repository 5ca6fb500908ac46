import Levels
import PropertyLists
import Testing

@testable import TreeSources

@Suite("A table in a file of its own")
struct RecordTableTests {
    private static let drilling = RecordDrilling(fields: ["Artist"], titleField: "Name")
    /// The same two records in each syntax.
    private static let tables: [(name: String, content: [UInt8])] = [
        ("a.csv", Array("Artist,Name\r\nAda,One\r\nBo,Two\r\n".utf8)),
        ("a.TSV", Array("Artist\tName\nAda\tOne\nBo\tTwo".utf8)),
        ("a.jsonl", Array("{\"Artist\":\"Ada\",\"Name\":\"One\"}\n{\"Artist\":\"Bo\",\"Name\":\"Two\"}\n".utf8)),
        ("a.json", Array(#"[{"Artist":"Ada","Name":"One"},{"Artist":"Bo","Name":"Two"}]"#.utf8)),
        (
            "a.plist",
            Array(
                """
                <plist><array><dict><key>Artist</key><string>Ada</string><key>Name</key><string>One</string></dict>
                <dict><key>Artist</key><string>Bo</string><key>Name</key><string>Two</string></dict></array></plist>
                """.utf8)
        ),
    ]

    @Test("is the same level in every syntax", arguments: tables.indices)
    func level(_ number: Int) throws {
        let (name, content) = Self.tables[number]
        let syntax = try TableSyntax(of: .memory(content), hint: FormatHint(fileName: name), name: name)
        let tree = try RecordTable.tree(of: .memory(content), syntax: syntax, drilling: Self.drilling)
        let level = try #require(tree.document.child(0))
        #expect((0..<level.count).map(level.title) == ["Ada", "Bo"])
        #expect(level.form == .facets)
        let below = try #require(level.child(1))
        #expect(below.title(0) == "Two")
        #expect(below.form == .records)
        let first = Self.tables[0]
        let csv = try RecordTable.tree(of: .memory(first.content), syntax: .cells(nil), drilling: Self.drilling)
        #expect(tree.document.hash == csv.document.hash)
    }

    @Test(
        "has the syntax that its content shows, or that its name or media type names",
        arguments: [
            ("a.csv", nil, "A,B\n", .cells(nil)), ("a.CSV", nil, "A,B\n", .cells(nil)),
            ("a.tsv", nil, "A\tB\n", .cells(.tab)),
            ("a.csv", nil, "[{}]", nil), ("a.csv", nil, "{\"a\":1}\n{\"a\":2}", .jsonLines),
            ("a.tsv", nil, "<plist/>", nil),
            ("a.jsonl", nil, "{}", .jsonLines), ("a.NDJSON", nil, "{}\n", .jsonLines), ("a.jsonl", nil, "[{}]\n", nil),
            ("a.jsonl", nil, "1\n", nil), ("a.jsonl", nil, "1\n2", .jsonLines), ("a.json", nil, "{}", nil),
            ("a.json", nil, "{}\n{}", .jsonLines), ("a.json", nil, "{}\r\n\r\n[1]", .jsonLines),
            ("a.json", nil, "{} {}", nil),
            ("a.json", nil, "{}\n", nil), ("a.json", nil, "{}\n}", nil),
            ("a.json", nil, "{\n\"}\\\"\\\\\":[1\n,{}]\n}", nil),
            ("a.json", nil, "{\n\"}\\\"\":[1\n,{}]\n}\n\"\"", .jsonLines), ("a.json", nil, "{\n", nil),
            ("a.json", nil, "\"a\\\"\"\nnull", .jsonLines), ("a.json", nil, "-1.5\ntrue\n", .jsonLines),
            ("a.json", nil, "12", nil),
            ("http://h/a.csv?b=c.d#e", nil, "A,B\n", .cells(nil)), ("http://h/?a.csv", nil, "[]", nil),
            ("http://h/a", "text/csv", "A,B\n", .cells(nil)), ("http://h/a", "application/csv", "A,B\n", .cells(nil)),
            ("http://h/a.csv", "text/tab-separated-values", "A,B\n", .cells(.tab)),
            ("http://h/a", "application/x-ndjson", "{}", .jsonLines),
            ("http://h/a", "application/ndjson", "{}", .jsonLines),
            ("http://h/a", "application/jsonl", "{}", .jsonLines),
            ("http://h/a", "application/x-jsonlines", "{}", .jsonLines),
            ("http://h/a.jsonl", "text/json", "{}", nil), ("http://h/a.jsonl", "application/x-plist", "{}", nil),
            ("http://h/a.jsonl", "application/rss+xml", "{}", nil),
            ("http://h/a.jsonl", "application/json", "{}", nil),
            ("http://h/a.jsonl", "application/geo+json", "{}", nil),
            ("http://h/a.csv", "text/plain", "A,B\n", .cells(nil)),
            ("http://h/a.tsv", "application/octet-stream", "A\n", .cells(.tab)),
            ("http://h/a", "text/csv", "{\"a\":1}", nil),
        ] as [(String, String?, String, TableSyntax?)])
    func syntax(name: String, mediaType: String?, text: String, syntax: TableSyntax?) throws {
        let isURL = name.hasPrefix("http:")
        let hint = isURL ? FormatHint(url: name, mediaType: mediaType) : FormatHint(fileName: name)
        #expect(try TableSyntax.ofTable(.memory(Array(text.utf8)), hint: hint, name: name) == syntax)
    }

    @Test("is JSON Lines if its first value ends in the first mebibyte, also in UTF-16")
    func longLines() throws {
        func syntax(_ bytes: [UInt8]) throws -> TableSyntax? {
            try TableSyntax.ofTable(.memory(bytes), hint: .other, name: "a.json")
        }
        let value = "\"" + String(repeating: "x", count: 1 << 20) + "\"\n"
        #expect(try syntax(Array(("\"" + value.dropFirst(100) + "1").utf8)) == .jsonLines)
        #expect(try syntax(Array((value + "1").utf8)) == nil)
        #expect(try syntax("{}\n{}".utf16.flatMap { [UInt8($0 & 0xFF), UInt8($0 >> 8)] }) == .jsonLines)
    }

    @Test(
        "is refused with the position in its file",
        arguments: [
            (
                "a.csv", "A,B\n1,2\n\"never",
                "3:1: the quote that begins here never ends; end the cell with a quote, and double each quote within it"
            ),
            ("a.json", "[{},\n5]", "2:1: element 2 of the array is a number, but a record must be a dictionary"),
            ("a.json", "{\"A\":5}", "1:1: the table must be an array of dictionaries, not a dictionary"),
            ("a.json", "\n\"A\"", "2:1: the table must be an array of dictionaries, not text"),
            ("a.json", "[{}", "1:4: the document ends before its value does; it was truncated"),
            (
                "a.txt", "A,B\n",
                "it looks like a table of separated values; give it a name that ends in .csv or .tsv, or name it in 'Records'"
            ),
        ])
    func refused(name: String, text: String, sentence: String) {
        let content = Array(text.utf8)
        do throws(PropertyListError) {
            let syntax = try TableSyntax(of: .memory(content), hint: FormatHint(fileName: name), name: name)
            _ = try RecordTable.tree(of: .memory(content), syntax: syntax, drilling: Self.drilling)
            Issue.record("the table was read")
        } catch {
            #expect(error.description == sentence)
        }
    }

    @Test("has the warnings of its records, and shares the levels of a pool")
    func warningsAndPool() throws {
        let content = Array("Artist,Name\nAda,One\nAda,One\n".utf8)
        func read(_ pool: LevelPool?) throws -> Tree {
            try RecordTable.tree(
                of: .memory(content), syntax: .cells(nil), drilling: Self.drilling, pool: pool)
        }
        let first = try read(nil)
        #expect(
            first.warnings.first.map(\.message) == [
                "2 records have the title 'One', the first on line 2; in TitleBy, name a field that differs between them; otherwise, their paths end in ~2, ~3, …"
            ])
        #expect(try read(LevelPool(first.document)).document === first.document)
    }

    @Test("counts its made items and its depth against the limits")
    func limits() {
        let content = Array("Artist,Name\nAda,One\nBo,Two\n".utf8)
        func sentence(_ limits: TreeLimits) -> String? {
            do throws(PropertyListError) {
                _ = try RecordTable.tree(
                    of: .memory(content), syntax: .cells(nil), drilling: Self.drilling, treeLimits: limits)
                return nil
            } catch {
                return error.reason
            }
        }
        #expect(sentence(TreeLimits(depth: 2, items: 4)) == nil)
        #expect(
            sentence(TreeLimits(items: 3)) == "the document holds more than 3 items; split it, or raise MaxItems")
        #expect(sentence(TreeLimits(depth: 1)) == "'DrillBy' leads deeper than 1 levels; name fewer fields")
    }
}

import Levels
import PropertyLists
import Testing

@testable import TestDocuments

/// Tables within a document: `Records`, drilled by the fields that `DrillBy` names.
@Suite struct RecordTests {
    @Test(
        "A table is drilled by its fields, in order of first appearance",
        arguments: [
            Example(
                "two fields",
                #"{"Records":[{"A":"x","B":"1","Title":"r"},{"A":"y","B":"1","Title":"s"},{"A":"x","B":"2","Title":"t"},{"A":"x","B":"1","Title":"u"}],"DrillBy":["A","B"]}"#,
                #"Root {"DrillBy":["A","B"]}|  x {"Title":"x"}|    1 {"Title":"1"}|      r {"A":"x","B":"1","Title":"r"}|      u {"A":"x","B":"1","Title":"u"}|    2 {"Title":"2"}|      t {"A":"x","B":"2","Title":"t"}|  y {"Title":"y"}|    1 {"Title":"1"}|      s {"A":"y","B":"1","Title":"s"}"#
            ),
            Example(
                "no field", #"{"DrillBy":[],"Records":[{"Title":"r"},{"Title":"s"}],"Kind":5}"#,
                #"Root {"DrillBy":[],"Kind":5}|  r {"Title":"r"}|  s {"Title":"s"}"#),
            Example("no record", #"{"Records":[],"DrillBy":["A"]}"#, #"Root {"DrillBy":["A"]}"#),
            Example("no record and no field", #"{"Records":[],"DrillBy":[]}"#, #"Root {"DrillBy":[]}"#),
            Example(
                "titles by a field, or by the number in the table",
                #"{"TitleBy":"N","DrillBy":["A"],"Records":[{"A":"x"},{"A":"y","N":""},{"A":"y","N":"n"},{"A":"x","N":2.5},{"A":"x","N":[]}]}"#,
                #"Root {"TitleBy":"N","DrillBy":["A"]}|  x {"Title":"x"}|    1 {"A":"x"}|    2.5 {"A":"x","N":2.5}|    [] {"A":"x","N":[]}|  y {"Title":"y"}|    2 {"A":"y","N":""}|    n {"A":"y","N":"n"}"#
            ),
            Example(
                "keys by a field, which may be numbers or texts, and the same",
                #"{"KeyBy":"N","DrillBy":["A"],"Records":[{"A":"x","N":7,"Title":"r"},{"A":"x","N":"7"},{"A":"x","N":true,"Title":"s"}]}"#,
                #"Root {"KeyBy":"N","DrillBy":["A"]}|  x {"Title":"x"}|    7 (r) {"A":"x","N":7,"Title":"r"}|    7~2 (2) {"A":"x","N":"7"}|    s {"A":"x","N":true,"Title":"s"}"#
            ),
            Example(
                "absent and empty values",
                #"{"DrillBy":["A"],"Records":[{},{"A":""},{"A":"(none)"}]}"#,
                #"Root {"DrillBy":["A"]}|  (none) {"Title":"(none)"}|    1 {}|    2 {"A":""}|    3 {"A":"(none)"}"#),
            Example(
                "values that are no text",
                #"{"DrillBy":["A"],"Records":[{"A":5},{"A":"5"},{"A":1.0},{"A":true},{"A":["a",1]},{"A":{"k":"v"}},{"A":-3},{"A":[]}]}"#,
                #"Root {"DrillBy":["A"]}|  5 {"Title":"5"}|    1 {"A":5}|    2 {"A":"5"}|  1.0 {"Title":"1.0"}|    3 {"A":1.0}|  true {"Title":"true"}|    4 {"A":true}|  ["a",1] {"Title":"[\"a\",1]"}|    5 {"A":["a",1]}|  {"k":"v"} {"Title":"{\"k\":\"v\"}"}|    6 {"A":{"k":"v"}}|  -3 {"Title":"-3"}|    7 {"A":-3}|  [] {"Title":"[]"}|    8 {"A":[]}"#
            ),
            Example(
                "every key a field",
                #"[{"Title":"t","Records":[{"Key":"k","Children":["a"],"Records":5,"Title":"r","DrillBy":"d","Title":"s"}],"DrillBy":["Key"]}]"#,
                #"Root {}|  t {"Title":"t","DrillBy":["Key"]}|    k {"Title":"k"}|      s {"Key":"k","Children":["a"],"Records":5,"DrillBy":"d","Title":"s"}"#
            ),
            Example(
                "equal titles, and titles that a path cannot carry",
                #"{"DrillBy":["A"],"Records":[{"A":".","Title":"r"},{"A":".","Title":"r"},{"A":"..","Title":"."}]}"#,
                #"Root {"DrillBy":["A"]}|  .~1 (.) {"Title":"."}|    r {"A":".","Title":"r"}|    r~2 (r) {"A":".","Title":"r"}|  ..~1 (..) {"Title":".."}|    .~1 (.) {"A":"..","Title":"."}"#
            ),
        ])
    func drilled(_ example: Example) throws {
        let lines = try Outline.of(Document.tree(example.document)).replacing("\n", with: "|")
        #expect(lines == example.expected)
    }

    @Test("Dates, data and UIDs show as their JSON text")
    func otherValues() throws {
        let records = [
            ("D", Value.date(0)), ("D", .data([1, 2, 3])), ("D", .uid(5)), ("D", .data([])), ("D", .real(.nan)),
        ].map { Value.dictionary([Value.Entry($0.0, $0.1)]) }
        let level = try Self.item(records, ["D"]).tree().document.child(0)
        #expect(
            level.map { level in (0..<level.count).map(level.title) } == [
                "2001-01-01T00:00:00Z", "AQID", #"{"CF$UID":5}"#, "(none)", "nan",
            ])
    }

    @Test("Texts that are the same after NFC are one value, shown as the first that appears")
    func canonicalEquivalence() throws {
        let records = ["e\u{301}", "\u{E9}", "e"].map { Value.dictionary([Value.Entry("A", .string($0))]) }
        let level = try #require(try Self.item(records, ["A"]).tree().document.child(0))
        #expect((0..<level.count).map { Array(level.title($0).unicodeScalars) } == [["e", "\u{301}"], ["e"]])
        #expect(Array(level.key(0).unicodeScalars) == ["\u{E9}"])
        #expect(level.childCount(0) == 2)
    }

    @Test(
        "A table that breaks a rule is refused with its place and what would be right",
        arguments: [
            Example(
                "both Records and Children", "[{\"Title\":\"a\",\"Children\":[],\n\"Records\":[],\"DrillBy\":[]}]",
                "2:1: in /a: the item has both 'Children' and 'Records'; only one of them can hold its level"),
            Example(
                "a file and Rows", "[{\"Title\":\"a\",\"Records\":\"a.csv\",\"DrillBy\":[],\n\"Rows\":[]}]",
                "2:1: in /a: the item has both 'Records' and 'Rows'; only one of them can hold its level"),
            Example(
                "Records that are a number", "[{\"Title\":\"a\",\"Records\":\n5}]",
                "2:1: in /a: 'Records' must be an array of dictionaries or the name of a file, not a number"),
            Example(
                "Records that are a dictionary", "{\"Records\":\n{}}",
                "2:1: in /: 'Records' must be an array of dictionaries or the name of a file, not a dictionary"),
            Example(
                "a record that is text", "{\"Records\":[{},\n\"a\"]}",
                "2:1: in /: element 2 of the array is text, but a record must be a dictionary"),
            Example(
                "Records without DrillBy", "[{\"Title\":\"a\",\n\"Records\":[]}]",
                "2:1: in /a: 'Records' needs 'DrillBy', an array of field names; with an empty array, the records are the level"
            ),
            Example(
                "a file without DrillBy", "[{\"Title\":\"a\",\n\"Records\":\"a.csv\"}]",
                "2:1: in /a: 'Records' needs 'DrillBy', an array of field names; with an empty array, the records are the level"
            ),
            Example(
                "DrillBy without Records", "[{\"Title\":\"a\",\n\"DrillBy\":[],\"Rows\":[\"b\"]}]",
                "2:1: in /a: 'DrillBy' needs 'Records', an array of dictionaries or the name of a file"),
            Example(
                "DrillBy that is text", "[{\"Title\":\"a\",\"DrillBy\":\n\"A\"}]",
                "2:1: in /a: 'DrillBy' must be an array of field names, not text"),
            Example(
                "DrillBy with a number", "[{\"Title\":\"a\",\"Records\":[],\n\"DrillBy\":[\"A\",5]}]",
                "2:1: in /a: 'DrillBy' must contain only field names, which are text"),
            Example(
                "DrillBy with a number, and a file", "[{\"Title\":\"a\",\"Records\":\"a.csv\",\n\"DrillBy\":[5]}]",
                "2:1: in /a: 'DrillBy' must contain only field names, which are text"),
            Example(
                "TitleBy that is a number", "[{\"Title\":\"a\",\"TitleBy\":\n5}]",
                "2:1: in /a: 'TitleBy' must be the name of a field, not a number"),
            Example(
                "KeyBy that is a number", "[{\"Title\":\"a\",\"KeyBy\":\n5}]",
                "2:1: in /a: 'KeyBy' must be the name of a field, not a number"),
        ])
    func refused(_ example: Example) {
        #expect(Document.refusal(of: example.document) == example.expected)
    }

    @Test("The values of the fields count as levels and as items")
    func limits() {
        let table = "{\"Records\":[{\"A\":1,\"B\":2},{\"A\":2,\"B\":2}],\n\"DrillBy\":[\"A\",\"B\"]}"
        #expect(Document.refusal(of: table, limits: TreeLimits(depth: 3, items: 6)) == nil)
        #expect(
            Document.refusal(of: table, limits: TreeLimits(depth: 2))
                == "2:1: in /: 'DrillBy' leads deeper than 2 levels; name fewer fields")
        #expect(
            Document.refusal(of: table, limits: TreeLimits(items: 5))
                == "2:20: in /: the document holds more than 5 items; split it, or raise MaxItems")
    }

    @Test("Records with one title are warned of once, and a slip in a name as everywhere")
    func warnings() throws {
        let twice =
            "{\"DrillBy\":[\"A\"],\"Records\":[{\"Title\":\"r\"},\n{\"Title\":\"r\"},{\"A\":\"1\",\"Title\":\"s\"},{\"A\":\"1\",\"Title\":\"s\"}]}"
        #expect(
            try Document.tree(twice).warnings.first.map(\.description) == [
                "2:1: in /: 2 records have the title 'r', the first on line 1; in TitleBy, name a field that differs between them; otherwise, their paths end in ~2, ~3, …"
            ])
        let keyed =
            "{\"KeyBy\":\"N\",\"DrillBy\":[],\"Records\":[{\"N\":\"k\",\"Title\":\"r\"},\n{\"N\":\"k\",\"Title\":\"s\"}]}"
        #expect(
            try Document.tree(keyed).warnings.first.map(\.description) == [
                "2:1: in /: 2 records have the key 'k', the first on line 1; in KeyBy, name a field that differs between them; otherwise, their paths end in ~2, ~3, …"
            ])
        #expect(
            try Document.tree("[{\"Title\":\"a\",\n\"Record\":[]}]").warnings.first.map(\.description) == [
                "2:1: in /a: 'Record' is kept as a field; did you mean 'Records'?"
            ])
    }

    @Test("Mapped names leave the names of tables as they are")
    func mappedNames() throws {
        let names = try StructuralNames(mapping: "title=name,children=entries")
        let tree = try Document.tree(
            #"{"name":"n","Records":[{"name":"r","Title":"s","A":1}],"DrillBy":["A"],"TitleBy":"Title"}"#, names: names)
        #expect(
            try Outline.of(tree).replacing("\n", with: "|")
                == #"n {"name":"n","DrillBy":["A"],"TitleBy":"Title"}|  1 {"Title":"1"}|    s {"name":"r","Title":"s","A":1}"#
        )
    }

    @Test("A table in a file makes a leaf that refers to the file, at the root too")
    func files() throws {
        let tree = try Document.tree(
            #"{"Records":"all.csv","DrillBy":[],"Title":"t"}"#)
        #expect(try Outline.of(tree) == #"t {"DrillBy":[],"Title":"t"}"#)
        #expect(tree.document.part(0) == .records("all.csv", drilling: RecordDrilling(fields: [])))
        let rows = try Document.tree(
            #"[{"Title":"a","TitleBy":"N","KeyBy":"K","DrillBy":["A","B"],"Records":"sub/a.tsv"},{"Title":"b"},"c"]"#)
        let level = try #require(rows.document.child(0))
        let drilling = RecordDrilling(fields: ["A", "B"], titleField: "N", keyField: "K")
        #expect((0..<3).map(level.part) == [.records("sub/a.tsv", drilling: drilling), nil, nil])
        #expect(rows.parts.map(\.reference) == [.records("sub/a.tsv", drilling: drilling)])
        #expect(rows.parts.map(\.path) == ["/a"])
    }

    /// An item with a table.
    static func item(_ records: [Value], _ fields: [String], titleBy: String? = nil) -> Value {
        let title = titleBy.map { [Value.Entry("TitleBy", .string($0))] } ?? []
        return .dictionary(
            title + [
                Value.Entry("DrillBy", .array(fields.map(Value.string))), Value.Entry("Records", .array(records)),
            ])
    }
}

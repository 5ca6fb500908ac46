import PropertyLists
import Testing

@testable import Levels
@testable import TestDocuments

/// What edits make of a document (manual, Editing).
@Suite("A session")
struct SessionExampleTests {
    struct Case: Sendable, CustomTestStringConvertible {
        let before: String
        let edits: [Edit]
        let after: String
        init(_ before: String, _ edits: Edit..., gives after: String) {
            (self.before, self.edits, self.after) = (before, edits, after)
        }
        var testDescription: String { "\(before) becomes \(after)" }
    }

    @Test(
        "gives the document",
        arguments: [
            Case(#"["a"]"#, .insert(#""b""#, "/", .first), gives: #"["b","a"]"#),
            Case(#"["a"]"#, .insert(#""b""#, "/a"), gives: #"[{"Title":"a","Children":["b"]}]"#),
            Case(#"[{"Title":"a","Children":["b"]}]"#, .delete("/a/b"), gives: #"[{"Title":"a","Children":[]}]"#),
            Case(#"["a"]"#, .patch(#"{"Note":1}"#, "/a"), gives: #"[{"Title":"a","Note":1}]"#),
            Case(#"["a"]"#, .patch(#"{"Title":"b","No":null}"#, "/a"), gives: #"["b"]"#),
            Case(#"[{"Title":"a","N":1}]"#, .patch(#"{"N":null}"#, "/a"), gives: #"[{"Title":"a"}]"#),
            Case(
                #"[{"Title":"a","N":1,"Children":["b"],"M":2}]"#, .patch(#"{"X":3,"N":{"y":null,"z":1}}"#, "/a"),
                gives: #"[{"Title":"a","N":{"z":1},"Children":["b"],"M":2,"X":3}]"#),
            Case(
                #"[{"Children":["b"],"Title":"a","N":1}]"#, .put(#"{"T":0,"Title":"c"}"#, "/a"),
                gives: #"[{"Children":["b"],"Title":"c","T":0}]"#),
            Case(
                #"[{"Title":"a","Key":"k"}]"#, .put(#""b""#, "/k"), gives: #"[{"Title":"b","Key":"k"}]"#),
            Case(#"["a"]"#, .put(#""b""#, "/a"), gives: #"["b"]"#),
            Case(#"["a"]"#, .put(#""b""#, "/b", onlyIfNew: true), gives: #"["a","b"]"#),
            Case(#"["a"]"#, .put(#""b""#, "/c"), gives: #"["a",{"Title":"b","Key":"c"}]"#),
            Case(#"["a"]"#, .put(#""a""#, "/a~2"), gives: #"["a","a"]"#),
            Case(#"{"Rows":["a"],"Title":"R"}"#, .patch(#"{"Title":"S"}"#, "/"), gives: #"{"Rows":["a"],"Title":"S"}"#),
            Case(
                #"[{"Title":"a","Sections":{"X":["x"],"Y":[]},"SectionKeys":["X"]}]"#,
                .insert(#""z""#, "/a"), .patch(#"{"N":1}"#, "/a"),
                gives: #"[{"Title":"a","N":1,"Sections":{"X":["x","z"],"Y":[]},"SectionKeys":["X"]}]"#),
            Case(
                #"{"Sections":[["a"],["b","c"]]}"#, .move("/c", "/", .before("a")),
                gives: #"{"Sections":[["c","a"],["b"]]}"#),
            Case(
                #"{"Sections":[["a"],["b","c"]]}"#, .move("/a", "/", .offset(1), section: 1),
                gives: #"{"Sections":[[],["b","a","c"]]}"#),
            Case(
                #"[{"Title":"T","DrillBy":["A"],"Records":[{"A":"1","Title":"r"},{"A":"2","Title":"s"}]}]"#,
                .patch(#"{"DrillBy":[],"Note":1}"#, "/T"),
                gives: #"[{"Title":"T","DrillBy":[],"Note":1,"Records":[{"A":"1","Title":"r"},{"A":"2","Title":"s"}]}]"#
            ),
            Case(
                #"{"Sections":[{"Type":"RadioGroup","Key":"k","Rows":[{"Title":"a","Value":1}]},["b"]]}"#,
                .move("/a", "/", .last), .insert(#"{"Title":"c","Value":2}"#, "/", section: 0),
                .patch(#"{"Value":3}"#, "/c"), .insert(#""d""#, "/c"), .move("/b", "/", .first, section: 0),
                gives:
                    #"{"Sections":[{"Type":"RadioGroup","Key":"k","Rows":["b",{"Title":"c","Value":3,"Children":["d"]}]},[{"Title":"a","Value":1}]]}"#
            ),
            Case(
                #"[{"Title":"a","Type":"ToggleSwitch","Value":true}]"#, .patch(#"{"Value":false}"#, "/a"),
                gives: #"[{"Title":"a","Type":"ToggleSwitch","Value":false}]"#),
        ])
    func gives(_ example: Case) throws {
        var one = try SessionExample(example.before)
        _ = try one.session.apply(EditBatch(example.edits, isExact: false))
        #expect(try one.isBuilt(of: example.after))
        // The same in steps.
        var steps = try SessionExample(example.before)
        for edit in example.edits { _ = try steps.session.apply(EditBatch([edit], isExact: false)) }
        #expect(steps.session.document.hash == one.session.document.hash)
        for file in one.session.changedFiles { try OriginCheck(file).check(example.testDescription) }
    }

    @Test(
        "puts the first rows of a section under 'Rows', or if that is not a name for rows, under the first that is",
        arguments: [
            ("children=Children|Rows", "Rows"), ("children=entries|Rows", "Rows"), ("children=entries|list", "entries"),
        ])
    func rowsName(mapping: String, name: String) throws {
        let names = try StructuralNames(mapping: mapping)
        var example = try SessionExample(#"[{"Title":"a","Sections":[["x"],{"Title":"s"}]}]"#, names: names)
        try example.apply(.insert(#""b""#, "/a", section: 1))
        #expect(try example.isBuilt(of: #"[{"Title":"a","Sections":[["x"],{"Title":"s","\#(name)":["b"]}]}]"#))
    }

    @Test("keeps types that JSON lacks, and takes the types of a property list as they are")
    func types() throws {
        let xml = """
            <plist><array><dict><key>Title</key><string>a</string><key>D</key><date>2001-01-01T00:00:10Z</date>\
            <key>B</key><data>AAEC</data><key>R</key><real>2</real><key>A</key><array><date>2001-01-01T00:00:10Z</date>\
            </array></dict></array></plist>
            """
        let tree = try Document.tree(xml).document
        var session = EditSession(document: tree, syntax: .xml)
        let same = #"{"D":"2001-01-01T00:00:10Z","B":"AAEC","R":2,"A":["2001-01-01T01:00:10+01:00"]}"#
        _ = try session.apply(EditBatch([.patch(same, "/a")], isExact: false))
        #expect(session.document === tree)
        _ = try session.apply(EditBatch([.patch(#"{"D":"some day","B":"two words","R":"x"}"#, "/a")], isExact: false))
        _ = try session.apply(EditBatch([.patch(#"{"A":[]}"#, "/a")], isExact: true))
        let told = try session.document.told(0)
        #expect(
            told
                == .array([
                    .dictionary([
                        .init("Title", .string("a")), .init("D", .string("some day")), .init("B", .string("two words")),
                        .init("R", .string("x")), .init("A", .array([])),
                    ])
                ]))
        let json = try Document.tree(#"["a"]"#).document
        var other = EditSession(document: json, syntax: .json)
        let body = PropertyListValue.dictionary(
            PropertyListDictionary([
                .init(key: "D", value: .date(10)), .init(key: "B", value: .data([0, 1])),
                .init(key: "N", value: .real(.nan)), .init(key: "U", value: .uid(7)),
            ]))
        let path = try ItemPath(Array("/a".utf8).span)
        _ = try other.apply(EditBatch([.patch(body, at: path)], isExact: true))
        let expected = #"[{"Title":"a","D":"2001-01-01T00:00:10Z","B":"AAE=","N":"nan","U":{"CF$UID":7}}]"#
        #expect(other.document.hash == (try Document.tree(expected).document.hash))
    }

    /// A value, the JSON that replaces it, and the value afterwards.
    private static var exact: [(old: PropertyListValue, new: String, PropertyListValue)] {
        [
            (.real(0.5), "9007199254740993", .integer(PropertyListInteger(9_007_199_254_740_993 as Int64))),
            (.real(0.5), "-9007199254740993", .integer(PropertyListInteger(-9_007_199_254_740_993 as Int64))),
            (.real(0.5), "18446744073709551615", .integer(PropertyListInteger(UInt64.max))),
            (.real(0.5), "9007199254740992", .real(0x1p53)), (.real(0.5), "-9223372036854775808", .real(-0x1p63)),
            (.date(0), #""2001-01-01T00:00:00.5Z""#, .date(0.5)),
            (.date(0), #""2001-01-01T01:00:00.250000000+01:00""#, .date(0.25)),
            (.date(0), #""2001-01-01T00:00:00.1234567Z""#, .string("2001-01-01T00:00:00.1234567Z")),
            (.date(0), #""9999-01-01T00:00:00.000001Z""#, .string("9999-01-01T00:00:00.000001Z")),
            (.data([0]), #""QQ==""#, .data([65])), (.data([0]), #""QQ""#, .string("QQ")),
        ]
    }

    @Test("keeps a type only if it holds the new value exactly", arguments: exact.indices)
    func exactTypes(_ number: Int) throws {
        let (old, json, expected) = Self.exact[number]
        let new = try PropertyListValue(json: Array(json.utf8))
        func item(_ value: PropertyListValue) -> PropertyListValue {
            let inner = PropertyListDictionary([.init(key: "E", value: value)])
            return .dictionary(
                PropertyListDictionary([
                    .init(key: "Title", value: .string("a")), .init(key: "F", value: value),
                    .init(key: "D", value: .dictionary(inner)), .init(key: "A", value: .array([value])),
                ]))
        }
        func edited(_ edits: Edit...) throws -> Level {
            var session = EditSession(document: try Document.tree(#"[{"Title":"a"}]"#).document, syntax: .binary)
            let path = try ItemPath(Array("/a".utf8).span)
            _ = try session.apply(EditBatch([.put(item(old), at: path, onlyIfNew: false)], isExact: true))
            _ = try session.apply(EditBatch(edits, isExact: false))
            return session.document
        }
        let path = try ItemPath(Array("/a".utf8).span)
        var session = EditSession(document: try Document.tree(#"[{"Title":"a"}]"#).document, syntax: .binary)
        _ = try session.apply(EditBatch([.put(item(expected), at: path, onlyIfNew: false)], isExact: true))
        for edit: Edit in [.patch(item(new), at: path), .put(item(new), at: path, onlyIfNew: false)] {
            #expect(try edited(edit).hash == session.document.hash)
        }
    }

    @Test("writes a date with a fraction of a second as text into XML, which lacks fractions")
    func fractionsInXML() throws {
        let xml =
            "<plist><array><dict><key>Title</key><string>a</string><key>D</key><date>2001-01-01T00:00:10Z</date></dict></array></plist>"
        var session = EditSession(document: try Document.tree(xml).document, syntax: .xml)
        _ = try session.apply(EditBatch([.patch(#"{"D":"2001-01-01T00:00:10.5Z"}"#, "/a")], isExact: false))
        let expected = #"[{"Title":"a","D":"2001-01-01T00:00:10.5Z"}]"#
        #expect(session.document.hash == (try Document.tree(expected).document.hash))
    }

    @Test("gives the first tree again when an edit is followed by its opposite")
    func opposites() throws {
        let document = #"["a",{"Title":"b","Children":["c",{"Title":"d","N":1}]}]"#
        let pairs: [(Edit, Edit)] = [
            (.insert(#""x""#, "/b", .first), .delete("/b/x")), (.move("/b/c", "/"), .move("/c", "/b", .first)),
            (.patch(#"{"N":2}"#, "/b/d"), .patch(#"{"N":1}"#, "/b/d")),
            (.delete("/a"), .insert(#""a""#, "/", .before("b"))), (.put(#""z""#, "/a"), .put(#""a""#, "/z")),
        ]
        for (edit, opposite) in pairs {
            var example = try SessionExample(document)
            let first = example.session.document.hash
            try example.apply(edit)
            #expect(example.session.document.hash != first)
            try example.apply(opposite)
            #expect(example.session.document.hash == first)
            #expect(example.session.changedFiles.isEmpty)
        }
    }

    @Test("keeps nothing of a batch that fails when its steps are done one by one")
    func failedSteps() throws {
        var example = try SessionExample(#"["a"]"#, limits: TreeLimits(items: 2))
        let before = example.session.document
        #expect(throws: EditRefusal.self) { try example.apply(.insert(#""b""#, "/"), .insert(#""c""#, "/")) }
        #expect(example.session.document === before)
        #expect(example.session.changedFiles.isEmpty)
        let items = try example.apply(.insert(#""d""#, "/"), .patch(#"{"N":1}"#, "/a"))
        #expect(try example.isBuilt(of: #"[{"Title":"a","N":1},"d"]"#))
        #expect(items.count == 2)
        for file in example.session.changedFiles { try OriginCheck(file).check("after a batch that failed") }
    }

    @Test("gives the paths of the items of a batch after all of it")
    func items() throws {
        var example = try SessionExample(#"["a","b",{"Title":"c","Children":["d"]}]"#)
        let items = try example.apply(
            .patch(#"{"Title":"A"}"#, "/a"), .insert(#""n""#, "/", .first), .move("/c/d", "/", .first),
            .insert(#""x""#, "/c"), .delete("/b"), .patch(#"{"N":1}"#, "/c/x"), .delete("/c"))
        let told = items.map { item in
            switch item {
            case .present(let item, let isNew): "\(item.titlePath)\(isNew ? " new" : "")"
            case .deleted: "deleted"
            }
        }
        #expect(told == ["/A", "/n new", "/d", "deleted", "deleted", "deleted", "deleted"])
    }
}

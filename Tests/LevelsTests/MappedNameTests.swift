import Levels
import Testing

@testable import TestDocuments

/// Structure under other names (`--keys`; manual, Documents).
@Suite struct MappedNameTests {
    struct Mapping: Sendable, CustomTestStringConvertible {
        let keys: String
        let document: String
        let expected: String
        var testDescription: String { "\(keys) in \(document)" }
    }

    @Test(
        "Mapped names are structure, and the fields keep their own names",
        arguments: [
            Mapping(
                keys: "title=name,children=entries", document: #"[{"name":"a","entries":["b"],"Title":"t"}]"#,
                expected: #"a {"name":"a","Title":"t"}"# + "\n    b"),
            Mapping(
                keys: "title=name|group", document: #"[{"name":"a"},{"group":"b"}]"#,
                expected: #"a {"name":"a"}"# + "\n  " + #"b {"group":"b"}"#),
            Mapping(
                keys: "title=name|group", document: #"[{"group":"g","name":"n"},{"name":"n2","group":"g"}]"#,
                expected: #"n {"group":"g","name":"n"}"# + "\n  " + #"n2 {"name":"n2","group":"g"}"#),
            Mapping(
                keys: "title=name|group|label",
                document: #"[{"label":"l","group":"g","x":{"name":"no"}},{"label":"l","name":"n","group":"g"}]"#,
                expected: #"g {"label":"l","group":"g","x":{"name":"no"}}"# + "\n  "
                    + #"n {"label":"l","name":"n","group":"g"}"#),
            Mapping(
                keys: "title=name|group", document: #"[{"name":"a","group":{"any":["thing"]}}]"#,
                expected: #"a {"name":"a","group":{"any":["thing"]}}"#),
            Mapping(
                keys: "title=name|group", document: #"[{"group":{"any":["thing"]},"name":"a"}]"#,
                expected: #"a {"group":{"any":["thing"]},"name":"a"}"#),
            Mapping(
                keys: "title=name|group|label",
                document: #"[{"label":5,"group":["x"]},{"group":[],"X":1,"X":2,"label":"l"}]"#,
                expected: #"5 {"label":5,"group":["x"]}"# + "\n  " + #"l {"group":[],"X":2,"label":"l"}"#),
            Mapping(
                keys: "children=list|entries", document: #"[{"Title":"a","list":["b"]},{"Title":"c","entries":["d"]}]"#,
                expected: #"a {"Title":"a"}"# + "\n    b\n  " + #"c {"Title":"c"}"# + "\n    d"),
            Mapping(
                keys: "key=id|uuid",
                document: #"[{"Title":"a","uuid":"u","id":"i"},{"Title":"b","uuid":"v","Key":"k"}]"#,
                expected: #"i (a) {"Title":"a","uuid":"u","id":"i"}"# + "\n  "
                    + #"v (b) {"Title":"b","uuid":"v","Key":"k"}"#),
            Mapping(
                keys: "sections=groups,sectionKeys=order",
                document: #"[{"Title":"a","groups":{"X":["x"],"Y":["y"]},"order":["Y"],"SectionKeys":1}]"#,
                expected: #"a {"Title":"a","SectionKeys":1}"# + "\n    [Y]\n    y"),
            Mapping(
                keys: "sectionTitles=heads,title=t",
                document: #"[{"t":"a","Sections":[["x"],{"t":"B","Rows":["y"]}],"heads":["A"]}]"#,
                expected: #"a {"t":"a"}"# + "\n    [A]\n    x\n    [B]\n    y"),
        ])
    func mapped(_ mapping: Mapping) throws {
        let names = try StructuralNames(mapping: mapping.keys)
        #expect(try Outline.of(Document.tree(mapping.document, names: names)) == "Root {}\n  " + mapping.expected)
    }

    @Test("An item whose mapped names hold no title is refused, the strongest of them by its type")
    func noTitle() throws {
        let names = try StructuralNames(mapping: "title=name|group,key=id")
        #expect(
            Document.refusal(of: #"[{"group":{"x":1}}]"#, names: names)
                == "1:2: in /(item 1): an item has no 'name'; give it one, or a 'id'")
        #expect(
            Document.refusal(of: #"[{"group":"g","name":{"x":1}}]"#, names: names)
                == "1:22: in /(item 1, group 'g'): a title must be text, a number or a date, not a dictionary")
    }

    @Test("A mapping leaves the roles that it does not name as they were")
    func unnamedRoles() throws {
        let names = try StructuralNames(mapping: "title=name|group,children=entries")
        #expect(names[.title] == ["name", "group"])
        #expect(names[.children] == ["entries"])
        #expect(names[.key] == ["Key"])
        #expect(names[.sections] == ["Sections"])
        #expect(names[.sectionKeys] == ["SectionKeys"])
        #expect(names[.sectionTitles] == ["SectionTitles"])
        #expect(StructuralNames()[.children] == ["Children", "Rows"])
        #expect(try StructuralNames(mapping: "children=")[.children] == [])
        #expect(names.given(.title) == ["name", "group"] && names.given(.key) == nil)
    }

    @Test(
        "A mapping that makes no sense is refused",
        arguments: [
            (
                "titel=name",
                "'titel' is not a role; the roles are title, key, children, sections, sectionKeys, sectionTitles"
            ),
            ("", "'' is not a role; the roles are title, key, children, sections, sectionKeys, sectionTitles"),
            (
                "title=a,,key=b",
                "'' is not a role; the roles are title, key, children, sections, sectionKeys, sectionTitles"
            ),
            ("title", "the role 'title' needs a name, as in title=name"),
            ("title=", "the role 'title' needs a name, as in title=name"),
            ("children", "the role 'children' needs a name, as in children=name"),
            ("sections=", "the role 'sections' needs a name, as in sections=name"),
            ("title=a|", "the role 'title' needs a name, as in title=name"),
            ("title=a,key=a", "'a' is given two roles; a name can have only one"),
            ("title=Children", "'Children' is given two roles; a name can have only one"),
        ])
    func refused(_ mapping: String, _ sentence: String) {
        let error = #expect(throws: StructuralNamesError.self) { try StructuralNames(mapping: mapping) }
        #expect(error?.description == sentence)
    }
}

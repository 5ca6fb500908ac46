import Levels
import Testing

@testable import TestDocuments

/// The grammar of documents and items (manual, Documents).
@Suite struct ItemGrammarTests {
    @Test(
        "The root of a document may be written in each of these ways",
        arguments: [
            Example("an array of items", #"["a",{"Title":"b"}]"#, "Root {}\n  a\n  b {\"Title\":\"b\"}"),
            Example("an empty array", "[]", "Root {}"),
            Example("a dictionary with Rows", #"{"Rows":["a"]}"#, "Root {}\n  a"),
            Example("a dictionary with Children", #"{"Children":["a"]}"#, "Root {}\n  a"),
            Example("a dictionary with Sections", #"{"Sections":[["a"],["b"]]}"#, "Root {}\n  [-]\n  a\n  [-]\n  b"),
            Example("an array of arrays", #"[["a","b"],["c"]]"#, "Root {}\n  [-]\n  a\n  b\n  [-]\n  c"),
            Example("an array of one empty array", "[[]]", "Root {}"),
            Example(
                "with a title of its own", #"{"Title":"Catalogue","Rows":["a"]}"#,
                "Catalogue {\"Title\":\"Catalogue\"}\n  a"),
            Example(
                "with fields of its own, in document order", #"{"Z":1,"Rows":["a"],"A":[true,{"B":2}]}"#,
                "Root {\"Z\":1,\"A\":[true,{\"B\":2}]}\n  a"),
            Example("with a Key", #"{"Key":"k","Rows":["a"]}"#, "k (Root) {\"Key\":\"k\"}\n  a"),
            Example(
                "as XML",
                "<plist><array><string>a</string><dict><key>Title</key><string>b</string></dict></array></plist>",
                "Root {}\n  a\n  b {\"Title\":\"b\"}"),
            Example("as XML without plist", "<array><string>a</string></array>", "Root {}\n  a"),
        ])
    func root(_ example: Example) throws {
        #expect(try Outline.of(Document.tree(example.document)) == example.expected)
    }

    @Test(
        "An item may be written in each of these ways",
        arguments: [
            Example("a string", #"["a"]"#, "a"),
            Example("an empty string", #"[""]"#, "~1 ()"),
            Example("a dictionary with a Title alone", #"[{"Title":"a"}]"#, #"a {"Title":"a"}"#),
            Example("with an empty Title", #"[{"Title":""}]"#, #"~1 () {"Title":""}"#),
            Example("a Key in place of a Title", #"[{"Key":"k"}]"#, #"k () {"Key":"k"}"#),
            Example("a Key beside a Title", #"[{"Key":"k","Title":"t"}]"#, #"k (t) {"Key":"k","Title":"t"}"#),
            Example(
                "a Title at the end", #"[{"Price":5,"Children":["b"],"Title":"a"}]"#,
                #"a {"Price":5,"Title":"a"}"# + "\n  b"),
            Example("Children", #"[{"Title":"a","Children":["b"]}]"#, "a {\"Title\":\"a\"}\n  b"),
            Example("Rows", #"[{"Title":"a","Rows":["b"]}]"#, "a {\"Title\":\"a\"}\n  b"),
            Example("no children but an empty array", #"[{"Title":"a","Children":[]}]"#, #"a {"Title":"a"}"#),
            Example(
                "children of children", #"[{"Title":"a","Children":[{"Title":"b","Children":["c"]},"d"]}]"#,
                "a {\"Title\":\"a\"}\n  b {\"Title\":\"b\"}\n    c\n  d"),
            Example(
                "fields of every type that JSON has", #"[{"Title":"a","S":"x","N":-1,"R":2.5,"Y":true,"A":[],"D":{}}]"#,
                #"a {"Title":"a","S":"x","N":-1,"R":2.5,"Y":true,"A":[],"D":{}}"#),
            Example(
                "fields whose names are structure only elsewhere",
                #"[{"Title":"a","Index":1,"Footer":"f","Source":"s","GroupBy":"g"}]"#,
                #"a {"Title":"a","Index":1,"Footer":"f","Source":"s","GroupBy":"g"}"#),
            Example(
                "structure inside of a field", #"[{"Title":"a","Extra":{"Title":5,"Children":"x","Sections":{}}}]"#,
                #"a {"Title":"a","Extra":{"Title":5,"Children":"x","Sections":{}}}"#),
            Example("an empty field name", #"[{"Title":"a","":1}]"#, #"a {"Title":"a","":1}"#),
        ])
    func item(_ example: Example) throws {
        let expected = "Root {}\n" + example.expected.split(separator: "\n").map { "  \($0)" }.joined(separator: "\n")
        #expect(try Outline.of(Document.tree(example.document)) == expected)
    }

    @Test(
        "A title that is no text shows as its JSON text, and stays what it is among the fields",
        arguments: [
            Example("an integer", "<integer>5</integer>", "5 {\"Title\":5}"),
            Example(
                "the largest integer", "<integer>18446744073709551615</integer>",
                "18446744073709551615 {\"Title\":18446744073709551615}"),
            Example(
                "the smallest integer", "<integer>-9223372036854775808</integer>",
                "-9223372036854775808 {\"Title\":-9223372036854775808}"),
            Example("a real", "<real>2.50</real>", "2.5 {\"Title\":2.5}"),
            Example("a whole real", "<real>5</real>", "5.0 {\"Title\":5.0}"),
            Example("no number", "<real>nan</real>", "nan {\"Title\":\"nan\"}"),
            Example("infinity", "<real>-inf</real>", "-infinity {\"Title\":\"-infinity\"}"),
            Example(
                "a date", "<date>2001-03-12T00:00:00Z</date>",
                "2001-03-12T00:00:00Z {\"Title\":\"2001-03-12T00:00:00Z\"}"),
            Example("true", "<true/>", "true {\"Title\":true}"),
            Example("false", "<false/>", "false {\"Title\":false}"),
        ])
    func scalarTitle(_ example: Example) throws {
        let document = "<array><dict><key>Title</key>\(example.document)</dict></array>"
        #expect(try Outline.of(Document.tree(document)) == "Root {}\n  " + example.expected)
    }

    @Test("Data and dates among the fields are kept as they are")
    func dataAndDates() throws {
        let document = """
            <array><dict><key>Title</key><string>a</string><key>D</key><data>AAEC</data>
            <key>At</key><date>1999-12-31T23:59:59Z</date></dict></array>
            """
        let expected = #"  a {"Title":"a","D":"AAEC","At":"1999-12-31T23:59:59Z"}"#
        #expect(try Outline.of(Document.tree(document)) == "Root {}\n" + expected)
    }

    @Test("A tree counts its items without the root")
    func itemCount() throws {
        #expect(try Document.tree("[]").itemCount == 0)
        #expect(try Document.tree(#"["a",{"Title":"b","Children":["c",{"Title":"d","Rows":["e"]}]}]"#).itemCount == 5)
        #expect(try Document.anyTree(#"{"a":[1,2],"b":{}}"#).itemCount == 4)
    }
}

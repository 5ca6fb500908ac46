import Levels
import Testing

@testable import PropertyLists
@testable import TreeSources

/// What becomes of a JSON document: whole texts, before and after.
struct JSONSpliceTests {
    // Computed, because the leak sanitizer does not see the references of a stored table of edits.
    static var cases: [(before: String, edits: [Edit], after: String)] {
        do {
            return try [
                (#"["a","b"]"#, [.insert(#""n""#, "/", .first)], #"["n","a","b"]"#),
                (#"["a", "b"]"#, [.insert(#""n""#, "/", .first)], #"["n", "a", "b"]"#),
                (#"["a", "b"]"#, [.insert(#""n""#, "/", .offset(1))], #"["a", "n", "b"]"#),
                (#"["a","b"]"#, [.insert(#""n""#, "/")], #"["a","b","n"]"#),
                (#"["a","b"]"#, [.delete("/a")], #"["b"]"#),
                (#"["a", "b"]"#, [.delete("/b")], #"["a"]"#),
                (#"["a", "b", "c"]"#, [.delete("/b"), .delete("/a")], #"["c"]"#),
                (#"["a", "b", "c"]"#, [.move("/a", below: "/")], #"["b", "c", "a"]"#),
                (#"["a" ,"b"]"#, [.move("/b", below: "/", .first)], #"["b","a" ]"#),
                ("[\n  \"a\",\n  \"b\"\n]\n", [.insert(#""n""#, "/")], "[\n  \"a\",\n  \"b\",\n  \"n\"\n]\n"),
                ("[\n\t\"a\",\n\t\"b\"\n]", [.delete("/b")], "[\n\t\"a\"\n]"),
                ("[\r\n\t\"a\",\r\n\t\"b\"\r\n]", [.delete("/a")], "[\r\n\t\"b\"\r\n]"),
                (
                    "[\r\n\t\"a\"\r\n]", [.insert(#"{"Title":"n","L":[1]}"#, "/")],
                    "[\r\n\t\"a\",\r\n\t{\r\n\t\t\"Title\": \"n\",\r\n\t\t\"L\": [\r\n\t\t\t1\r\n\t\t]\r\n\t}\r\n]"
                ),
                (
                    #"[{"Title":"a","Children":[]}]"#, [.insert(#""n""#, "/a"), .insert(#""m""#, "/a")],
                    #"[{"Title":"a","Children":["n","m"]}]"#
                ),
                (
                    #"[{"Title": "a", "Children": []}]"#, [.insert(#""n""#, "/a"), .insert(#""m""#, "/a")],
                    #"[{"Title": "a", "Children": ["n", "m"]}]"#
                ),
                (#"[{"Rows":[ ],"Title":"a"}]"#, [.insert(#""n""#, "/a")], #"[{"Rows":[ "n" ],"Title":"a"}]"#),
                (
                    #"[{"Title":"a","x":1.50,"y":2}]"#, [.patch(#"{"y":null,"z":"\u0001é"}"#, "/a")],
                    #"[{"Title":"a","x":1.50,"z":"\u0001é"}]"#
                ),
                (
                    #"{"Rows" : ["a"], "F" : {"p" : [1, 2], "q" : 3}}"#, [.patch(#"{"F":{"p":[1,5],"q":null}}"#, "/")],
                    #"{"Rows" : ["a"], "F" : {"p" : [1, 5]}}"#
                ),
                // Two zeros are equal numbers, but other texts.
                (
                    #"[{"Title":"a","x":0.0,"y":[[0.0],1],"z":{"l":[0.0]}}]"#,
                    [.patch(#"{"x":-0.0,"y":[[-0.0],1],"z":{"l":[-0.0]}}"#, "/a")],
                    #"[{"Title":"a","x":-0.0,"y":[[-0.0],1],"z":{"l":[-0.0]}}]"#
                ),
                // Null entries stay, unless a value takes their place.
                (
                    #"[{"Title":"a","p":null,"q":1,"r" : null}]"#, [.patch(#"{"q":2}"#, "/a")],
                    #"[{"Title":"a","p":null,"q":2,"r" : null}]"#
                ),
                (
                    #"[{"Title":"a","p":null,"q":1}]"#, [.patch(#"{"q":null,"s":3}"#, "/a")],
                    #"[{"Title":"a","s":3,"p":null}]"#
                ),
                (
                    #"[{"Title":"a","p":null,"q":1}]"#, [.patch(#"{"p":5}"#, "/a")],
                    #"[{"Title":"a","q":1,"p":5}]"#
                ),
                (
                    #"[{"Title":"a","Children":null,"l":[1,null,2]}]"#,
                    [.insert(#""n""#, "/a"), .patch(#"{"l":[1,3]}"#, "/a")],
                    #"[{"Title":"a","l":[1,null,3],"Children":["n"]}]"#
                ),
                (#"["a"]"#, [.insert(#""n""#, "/a")], #"[{"Title": "a", "Children": ["n"]}]"#),
                (
                    #"[{"Title":"a"},"b"]"#, [.insert(#"{"Title":"n"}"#, "/", .first), .move("/a", below: "/n")],
                    #"[{"Title":"n","Children":[{"Title":"a"}]},"b"]"#
                ),
                (
                    #"["a","b"]"#,
                    [.insert(#"{"Title":"n","Sections":{"A":["x"],"B":[]}}"#, "/", .first), .move("/a", below: "/n")],
                    #"[{"Title": "n", "Sections": {"A": ["x"], "B": ["a"]}},"b"]"#
                ),
                ("[\n  \"a\", \n  \"b\"\n]", [.delete("/b")], "[\n  \"a\"\n]"),
                ("[\n  \"a\" ,\n  \"b\"\n]", [.delete("/b")], "[\n  \"a\"\n]"),
                ("[\n  \"a\", \t\r\n  \"b\"\r\n]", [.delete("/b")], "[\n  \"a\"\r\n]"),
                (
                    "[\n  {\"Title\": \"a\", \"Children\": [\n    \"x\"\n  ]},\n  \"b\"\n]",
                    [.delete("/a/x"), .insert(#""n""#, "/a"), .insert(#""m""#, "/a")],
                    "[\n  {\"Title\": \"a\", \"Children\": [\n    \"n\",\n    \"m\"\n  ]},\n  \"b\"\n]"
                ),
                (
                    "[\n  {\"Title\": \"a\", \"Children\": [\n  ]},\n  \"b\"\n]",
                    [.insert(#""n""#, "/a"), .insert(#""m""#, "/a")],
                    "[\n  {\"Title\": \"a\", \"Children\": [\n    \"n\",\n    \"m\"\n  ]},\n  \"b\"\n]"
                ),
                (
                    "{\n    \"Rows\": [\n        \"a\"\n    ]\n}", [.delete("/a"), .insert(#""n""#, "/")],
                    "{\n    \"Rows\": [\n        \"n\"\n    ]\n}"
                ),
                (
                    "{\n    \"Rows\": [\n    ]\n}", [.insert(#""n""#, "/")],
                    "{\n    \"Rows\": [\n        \"n\"\n    ]\n}"
                ),
                ("[\n]", [.insert(#""n""#, "/")], "[\n  \"n\"\n]"),
                (
                    "[\n  {\"Title\":\"a\"}\n]", [.insert(#"{"Title":"n","x":[1]}"#, "/")],
                    "[\n  {\"Title\":\"a\"},\n  {\"Title\":\"n\",\"x\":[1]}\n]"
                ),
                (
                    "[\n  {\"Title\":\"a\",\n   \"x\":{}}\n]", [.patch(#"{"x":{"y":1,"z":[2]}}"#, "/a")],
                    "[\n  {\"Title\":\"a\",\n   \"x\":{\n     \"y\":1,\n     \"z\":[\n       2\n     ]\n   }}\n]"
                ),
                (#"[{"Title":"a","\u006b":1}]"#, [.patch(#"{"k":2}"#, "/a")], #"[{"Title":"a","\u006b":2}]"#),
            ]
        } catch {
            Issue.record(error)
            return []
        }
    }

    @Test("an edit changes the text of its item alone", arguments: cases.indices)
    func edit(_ number: Int) throws {
        let (before, edits, after) = Self.cases[number]
        var edited = try EditedText(before)
        try edited.apply(edits)
        #expect(edited.text == after)
    }

    @Test(
        "a text that is not the one that was read is refused",
        arguments: [
            (#"["a"]"#, #"["a"] 1"#), (#"["a"]"#, #"{"a":1}"#), (#"["a"]"#, #"["a","b"]"#),
            ("<array><string>a</string></array>", "<array><string>a</string></array><array/>"),
            ("<array><string>a</string></array>", "<array><string>a</string><string>b</string></array>"),
            ("<array><string>a</string></array>", "<dict/>"),
        ])
    func otherText(read: String, other: String) throws {
        let before = try EditedText(read)
        var session = EditSession(document: before.document, syntax: before.isXML ? .xml : .json)
        _ = try session.apply(EditBatch([.insert(#""n""#, "/")], isExact: false))
        let file = try #require(session.changedFiles.first)
        let error = #expect(throws: SpliceError<Never>.self) {
            try EditedText.splice(Array(other.utf8), file, isXML: before.isXML)
        }
        guard case .document(let reason)? = error else { return }
        #expect(reason == .notWhatWasRead)
    }
}

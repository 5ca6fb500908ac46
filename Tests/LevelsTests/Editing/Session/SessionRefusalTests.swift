import PropertyLists
import Testing

@testable import Levels
@testable import TestDocuments

/// Edits that a session refuses: the kind, the place in the body, and the whole sentence (manual, Editing).
@Suite("A session refuses")
struct SessionRefusalTests {
    struct Case: Sendable, CustomTestStringConvertible {
        let edit: Edit
        let expected: String
        let document: String
        init(_ edit: Edit, in document: String = Case.document, _ expected: String) {
            (self.edit, self.document, self.expected) = (edit, document, expected)
        }
        var testDescription: String { expected }

        static let document = #"""
            {"Rows":[{"Title":"a","Key":"k","Children":["b","c"]},{"Title":"S","Sections":[{"Title":"One","Rows":["x"]},["y"]]},
            {"Title":"O","SortBy":"Title","Children":["p","q"]},"s","t",
            {"Title":"T","DrillBy":["A"],"Records":[{"A":"1","Title":"r"}]},{"Title":"E","Sections":[]}]}
            """#
    }

    // Computed, because the leak sanitizer does not see the references of a stored table of edits.
    static var paths: [Case] {
        [
            Case(.delete("/no"), "0 no 'no' below /: There is no 'no' in /."),
            Case(.patch("{}", "/k/no/x"), "0 no 'no' below /a: There is no 'no' in /a."),
            Case(.insert(#""i""#, "/s/no"), "0 no 'no' below /s: There is no 'no' in /s."),
            Case(.put(#""i""#, "/no/x"), "0 no 'no' below /: There is no 'no' in /."),
            Case(.move("/s", "/no"), "0 no 'no' below /: There is no 'no' in /."),
            Case(.move("/", "/no"), "0 no 'no' below /: There is no 'no' in /."),
            Case(
                .put(#""s""#, "/s", onlyIfNew: true),
                "0 exists: /s exists already; put it without If-None-Match to replace it."),
        ]
    }

    static var bodies: [Case] {
        [
            Case(.insert("5", "/"), "0 invalid '': An item must be a text or a dictionary."),
            Case(.insert("null", "/"), "0 invalid '': An item must be a text or a dictionary."),
            Case(.put(#"["x"]"#, "/s"), "0 invalid '': An item must be a text or a dictionary."),
            Case(.patch(#"["x"]"#, "/s"), "0 invalid '': A merge patch of an item must be a dictionary."),
            Case(
                .insert(#"{"Text":"x"}"#, "/"), "0 invalid '': An item has no 'Title'; give it one, or a 'Key'."),
            Case(
                .insert(#"{"Title":"x","Children":["a",{"Title":"b","Children":[{"a/b~c":1}]}]}"#, "/"),
                "0 invalid '/Children/1/Children/0': An item has no 'Title'; give it one, or a 'Key'."),
            Case(
                .insert(#"{"Title":"x","a/b~c":{"d":null}}"#, "/"),
                "0 invalid '/a~1b~0c/d': A property list cannot contain null; omit the entry."),
            Case(
                .insert(#"{"Title":["x"]}"#, "/"),
                "0 invalid '/Title': A title must be text, a number or a date, not an array."),
            Case(
                .put(#"{"Title":"n","Children":["x"]}"#, "/n"),
                "0 invalid '/Children': 'Children' is the structure of the item, not a field; insert, move or delete the items below it."
            ),
            Case(.insert(#"{"Title":"x","Key":5}"#, "/"), "0 invalid '/Key': A Key must be text, not a number."),
            Case(
                .insert(#"{"Title":"x","Children":"rows"}"#, "/"),
                "0 invalid '/Children': 'Children' must be an array of items, not text."),
            Case(
                .insert(#"{"Title":"x","Children":["a",5]}"#, "/"),
                "0 invalid '/Children/1': Element 2 of the array is a number, but an item must be a string or a dictionary."
            ),
            Case(
                .insert(#"{"Title":"x","Children":[{"Title":"1","Key":"K"},{"Title":"2","Key":"K"}]}"#, "/"),
                "0 invalid '/Children': Two rows have the Key 'K', '1' at byte 0 and '2' at byte 0; a Key must be unique among siblings."
            ),
            Case(
                .insert(#"{"Title":"x","Children":["a"],"Sections":[["b"]]}"#, "/"),
                "0 invalid '/Sections': The item has both 'Children' and 'Sections'; only one of them can hold its level."
            ),
            Case(
                .insert(#"{"Title":"x","SortBy":"a,,b"}"#, "/"),
                "0 invalid '': 'SortBy' must be names of fields with commas between them, as -Price,Title, not 'a,,b'."),
            Case(
                .put(#"{"Title":"x","Children":[]}"#, "/s"),
                "0 invalid '/Children': 'Children' is the structure of the item, not a field; insert, move or delete the items below it."
            ),
            Case(
                .patch(#"{"Records":null}"#, "/T"),
                "0 invalid '/Records': 'Records' is the structure of the item, not a field; insert, move or delete the items below it."
            ),
            Case(
                .patch(#"{"SectionTitles":["a"]}"#, "/S"),
                "0 invalid '/SectionTitles': 'SectionTitles' is the structure of the item, not a field; insert, move or delete the items below it."
            ),
            Case(
                .patch(#"{"PreferenceSpecifiers":[]}"#, "/"),
                "0 invalid '/PreferenceSpecifiers': 'PreferenceSpecifiers' is the structure of the item, not a field; insert, move or delete the items below it."
            ),
            Case(
                .patch(#"{"Title":null}"#, "/s"), "0 invalid '': An item has no 'Title'; give it one, or a 'Key'."),
            Case(
                .patch(#"{"F":{"a":[1,{"b":[null]}]}}"#, "/s"),
                "0 invalid '/F/a/1/b/0': A property list cannot contain null; omit the entry."),
            Case(
                .patch(#"{"DrillBy":null}"#, "/T"),
                "0 invalid '': 'Records' needs 'DrillBy', an array of field names; with an empty array, the records are the level."
            ),
            Case(
                .put(#"{"Title":"n","Key":"m"}"#, "/n"),
                "0 invalid '/Key': The key 'm' is not that of the path, 'n'; leave it out, or put the item at the path of its key."
            ),
        ]
    }

    static let places = [
        Case(
            .insert(#""i""#, "/k", .unknown("middle")),
            "0 bad at: 'at' must be first, last, before:<key>, after:<key> or a number from 0 to 2, not 'middle'."),
        Case(
            .move("/s", "/O", .unknown("-1")),
            "0 bad at: 'at' must be first, last, before:<key>, after:<key> or a number from 0 to 2, not '-1'."),
        Case(
            .insert(#""i""#, "/k", .offset(3)),
            "0 bad at: 'at' must be first, last, before:<key>, after:<key> or a number from 0 to 2, not 3."),
        Case(
            .move("/k/b", "/k", .offset(2)),
            "0 bad at: 'at' must be first, last, before:<key>, after:<key> or a number from 0 to 1, not 2."),
        Case(
            .insert(#""i""#, "/k", section: 1), "0 bad section: 'section' must be 0, not 1; the level has one section."),
        Case(
            .insert(#""i""#, "/s", section: 1), "0 bad section: 'section' must be 0, not 1; the level has one section."),
        Case(.insert(#""i""#, "/S", section: 2), "0 bad section: 'section' must be from 0 to 1, not 2."),
        Case(
            .insert(#""i""#, "/k", .before("no")),
            "0 conflict: No row of /a has the key 'no', so nothing can be placed beside it."),
        Case(
            .move("/k/b", "/k", .after("b")),
            "0 conflict: No row of /a has the key 'b', so nothing can be placed beside it."),
        Case(
            .insert(#""i""#, "/S", .after("x"), section: 1),
            "0 conflict: No row of /S has the key 'x', so nothing can be placed beside it."),
        Case(
            .insert(#""i""#, "/O", .first),
            "0 conflict: The rows of /O are in the order of its 'SortBy' or 'GroupBy'; only 'last' can be their place."),
        Case(
            .move("/s", "/O", .before("q")),
            "0 conflict: The rows of /O are in the order of its 'SortBy' or 'GroupBy'; only 'last' can be their place."),
        Case(.insert(#""i""#, "/E"), "0 conflict: /E has no section that could hold a row; add one to the document."),
    ]

    /// A wrong item is refused as such wherever it is put, unless a condition on the place fails.
    static var itemsBeforePlaces: [Case] {
        [
            Case(.insert(#"{"Text":"x"}"#, "/no"), untitled),
            Case(.insert(#"{"Text":"x"}"#, "/k", .unknown("middle")), untitled),
            Case(.insert(#"{"Text":"x"}"#, "/T"), untitled),
            Case(
                .insert(#"{"Title":["x"]}"#, "/k", .before("no")),
                "0 invalid '/Title': A title must be text, a number or a date, not an array."),
            Case(.insert("5", "/k", section: 7), "0 invalid '': An item must be a text or a dictionary."),
            Case(.put("5", "/no/x"), "0 invalid '': An item must be a text or a dictionary."),
            Case(
                .put(#"{"Title":["x"]}"#, "/no/x"),
                "0 invalid '/Title': A title must be text, a number or a date, not an array."),
            Case(
                .put(#"{"Title":"x","Rows":["y"]}"#, "/no/x"),
                "0 invalid '/Rows': 'Rows' is the structure of the item, not a field; insert, move or delete the items below it."
            ),
            Case(.put(#"{"Text":"x"}"#, "/k"), untitled),
            Case(
                .put("5", "/s", onlyIfNew: true),
                "0 exists: /s exists already; put it without If-None-Match to replace it."),
        ]
    }

    static let untitled = "0 invalid '': An item has no 'Title'; give it one, or a 'Key'."

    static var conflicts: [Case] {
        [
            Case(.delete("/"), "0 conflict: The root item cannot be removed or moved."),
            Case(.move("/", "/k"), "0 conflict: The root item cannot be removed or moved."),
            Case(.move("/k", "/k"), "0 conflict: An item cannot be moved into itself or below itself."),
            Case(.move("/k", "/k/b"), "0 conflict: An item cannot be moved into itself or below itself."),
            Case(
                .insert(#"{"Title":"z","Key":"k"}"#, "/"),
                "0 conflict: Two rows have the Key 'k', 'a' and 'z'; a Key must be unique among siblings."),
            Case(
                .patch(#"{"Key":"k"}"#, "/s"),
                "0 conflict: Two rows have the Key 'k', 'a' and 's'; a Key must be unique among siblings."),
            Case(
                .patch("{}", "/"), in: #"["a"]"#,
                "0 conflict: The document is an array, so its root has no fields; make it a dictionary with 'Rows'."
            ),
            Case(.patch(#"{"a":1}"#, "/T/1"), "0 conflict: \(records)"),
            Case(.delete("/T/1/r"), "0 conflict: \(records)"),
            Case(.insert(#""i""#, "/T"), "0 conflict: \(records)"),
            Case(.insert(#""i""#, "/T/1"), "0 conflict: \(records)"),
            Case(.put(#""i""#, "/T/new"), "0 conflict: \(records)"),
            Case(.move("/T/1/r", "/"), "0 conflict: \(records)"),
            Case(.move("/s", "/T/1"), "0 conflict: \(records)"),
            Case(.patch("{}", "/"), in: page, settingsPage), Case(.put(#""p""#, "/"), in: page, settingsPage),
            Case(.insert(#""i""#, "/"), in: page, settingsPage), Case(.put(#""i""#, "/i"), in: page, settingsPage),
            Case(.patch("{}", "/k"), in: page, settingsPage), Case(.delete("/k"), in: page, settingsPage),
        ]
    }

    static let records =
        "Items below 'DrillBy' are made from the records of a table; edit the records in the document or its file."

    static let page =
        #"{"Title":"p","PreferenceSpecifiers":[{"Type":"PSToggleSwitchSpecifier","Title":"t","Key":"k"}]}"#
    static let settingsPage =
        "0 conflict: A settings page cannot be edited; only the values of its controls can be set."

    @Test(
        "edits with the kind and the sentence",
        arguments: [paths, bodies, places, itemsBeforePlaces, conflicts].flatMap { $0 })
    func refused(_ refused: Case) throws {
        let example = try SessionExample(refused.document)
        #expect(example.refusal(of: [refused.edit]) == refused.expected)
    }

    @Test("a batch as a whole, with the number of the step")
    func batch() throws {
        var example = try SessionExample(#"["a","b"]"#)
        let before = example.session.document
        let edits: [Edit] = [.delete("/a"), .patch(#"{"x":1}"#, "/a")]
        #expect(example.refusal(of: edits) == "1 no 'a' below /: There is no 'a' in /.")
        #expect(throws: EditRefusal.self) { try example.apply(edits[0], edits[1]) }
        #expect(example.session.document === before)
        #expect(example.session.changedFiles.isEmpty)
    }

    @Test("a batch at the first step that cannot be done, whatever is wrong with later ones")
    func firstStep() throws {
        let example = try SessionExample(Case.document)
        let later: [Edit] = [.insert(#""i""#, "/k", .unknown("middle")), .put(#"{"Text":"x"}"#, "/k")]
        #expect(example.refusal(of: [.delete("/no")] + later) == "0 no 'no' below /: There is no 'no' in /.")
        #expect(example.refusal(of: [.delete("/k/b")] + later)?.hasPrefix("1 bad at: ") == true)
        #expect(example.refusal(of: [.delete("/k/b"), later[1]]) == "1" + Self.untitled.dropFirst())
    }

    @Test("a batch at the step that exceeds a limit, though the steps before it are of another level")
    func limitStep() throws {
        let example = try SessionExample(
            #"[{"Title":"a","Children":["x","y"]}]"#, limits: TreeLimits(items: 3))
        #expect(
            example.refusal(of: [.delete("/a/x"), .insert(#""b""#, "/"), .insert(#""c""#, "/")])
                == "2 conflict: The document holds more than 3 items; split it, or raise MaxItems.")
    }

    @Test("any edit of a document that is not of items", arguments: ["of shape 'any'", "that is read as it is"])
    func otherShapes(shape: String) throws {
        let text = #"{"a":{"b":{"x":1}},"c":[1,{"y":2}]}"#
        let document = try (shape.contains("any") ? Document.anyTree(text) : Document.naturalTree(text)).document
        var session = EditSession(document: document)
        let edits: [Edit] = [
            .patch(#"{"x":1}"#, "/a"), .insert(#""x""#, "/a"), .insert(#""x""#, "/"), .delete("/c"),
            .put(#"{"Title":"a"}"#, "/a"), .move("/a", "/c"), .put(#""n""#, "/new"), .patch("{}", "/"),
        ]
        for edit in edits {
            #expect("\(edit)") {
                try session.apply(EditBatch([edit], isExact: false))
            } throws: { error in
                (error as? EditRefusal)?.detail
                    == "A document \(shape) cannot be edited; only a document of items can."
            }
        }
    }

    @Test("text that an XML document cannot hold, with its place", arguments: ["\\u0001", "\\ufffe"])
    func beyondXML(_ character: String) throws {
        let example = try SessionExample(#"["a"]"#, syntax: .xml)
        let sentence =
            "An XML document cannot contain control characters, U+FFFE or U+FFFF; leave them out of the text."
        let key = character == "\\u0001" ? "\u{1}" : "\u{FFFE}"
        let bodies: [(Edit, String)] = [
            (.insert(#"{"Title":"x","F":["\#(character)"]}"#, "/"), "/F/0"), (.insert("\"\(character)\"", "/"), ""),
            (.patch(#"{"F":{"a":"\#(character)"}}"#, "/a"), "/F/a"), (.put("\"\(character)\"", "/a"), "/Title"),
            (.insert(#"{"Title":"x","F":{"\#(character)":1}}"#, "/"), "/F/\(key)"),
            (.patch(#"{"\#(character)":1}"#, "/a"), "/\(key)"),
            (.put(#"{"Title":"n","\#(character)":1}"#, "/n"), "/\(key)"),
        ]
        for (edit, pointer) in bodies {
            #expect(example.refusal(of: [edit]) == "0 invalid '\(pointer)': \(sentence)")
        }
    }

    @Test("a tree that is too deep or too large")
    func limits() throws {
        let example = try SessionExample(#"[{"Title":"a","Children":["b"]}]"#, limits: TreeLimits(depth: 3, items: 4))
        #expect(
            example.refusal(of: [.insert(#"{"Title":"c","Children":["d"]}"#, "/a/b")])
                == "0 conflict: Items nest deeper than 3 levels; flatten the tree.")
        #expect(
            example.refusal(of: [.insert(#"{"Title":"c","Children":["1","2","3"]}"#, "/")])
                == "0 conflict: The document holds more than 4 items; split it, or raise MaxItems.")
        let deep = String(repeating: #"{"a":"#, count: 600) + "1" + String(repeating: "}", count: 600)
        #expect(example.refusal(of: [.patch(deep, "/a")])?.hasSuffix("must not nest deeper than 512 objects.") == true)
    }
}

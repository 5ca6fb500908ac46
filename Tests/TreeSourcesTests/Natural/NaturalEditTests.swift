import Bytes
import Levels
import PropertyLists
import Testing

@testable import TestSupport
@testable import TreeSources

/// Edits of documents that are read as they are (manual, Editing).
@Suite("An edit of a document that is read as it is")
struct NaturalEditTests {
    private let scratch: ScratchFolder

    init() throws { scratch = try ScratchFolder() }

    private static let shop = """
        {
          "posts": [
            {"id": 1, "title": "Hello", "tags": ["a"], "meta": {}},
            null,
            {"id": 2, "title": "World", "comments": [{"id": 7, "text": "t"}]}
          ],
          "users": {"ann": {"name": "Ann"}, "bob": {"name": "Bob"}},
          "words": ["x", 5, {"name": "y"}],
          "n": 1
        }

        """

    private func watcher(
        _ name: String = "Shop.json", _ text: String = shop, _ options: RecordOptions = .init()
    ) throws -> any SourceWatcher {
        var interpretation = Interpretation(shape: .auto)
        interpretation.records = options
        let path = try scratch.write(name, text)
        let watcher = PropertyListFile(path: path, interpretation: interpretation).makeWatcher()
        _ = try watcher.load(replacing: nil)
        return watcher
    }

    private func path(_ text: String) throws -> ItemPath { try ItemPath(text.utf8Span.span) }

    private func value(_ json: String) throws -> PropertyListValue {
        try PropertyListValue(json: Array(json.utf8), limits: .init())
    }

    /// Makes edits of one request, and returns the paths of the edited items and the text of the file after the save.
    private func edited(_ watcher: any SourceWatcher, _ edits: [Edit], name: String = "Shop.json") throws -> (
        paths: [String], text: String
    ) {
        let group = try watcher.beginEdits()
        defer { group.finish() }
        let tree = try #require(try group.apply(EditBatch(edits, isExact: false), by: nil))
        _ = try group.save()
        let paths = tree.items.map { item -> String in
            guard case .present(let item, _) = item else { return "gone" }
            return item.steps.dropFirst().map { $0.level.key($0.row) }.joined(separator: "/")
        }
        return (paths, try text(name))
    }

    private func text(_ name: String) throws -> String {
        String(decoding: try DocumentFile.open(path: scratch(name), maximumBytes: 1 << 20).bytes(), as: UTF8.self)
    }

    private func refusal(_ edit: Edit, of text: String = shop) throws -> String {
        let group = try watcher("Shop.json", text).beginEdits()
        defer { group.finish() }
        do throws(EditRefusal) {
            _ = try group.apply(EditBatch([edit], isExact: false), by: nil)
            return "it was made"
        } catch {
            let kind =
                switch error.kind {
                case .conflict: "conflict"
                case .invalid: "invalid"
                case .noSuchItem: "missing"
                case .exists: "exists"
                case .badPlace: "place"
                default: "\(error.kind)"
                }
            return "\(kind): \(error.detail)"
        }
    }

    @Test(
        "touches only the text of what it changes",
        arguments: [
            (
                "patch posts/1 {\"title\":\"Hi\",\"n\":3}", #""Hello", "tags": ["a"], "meta": {}}"#,
                #""Hi", "tags": ["a"], "meta": {}, "n": 3}"#
            ),
            ("patch posts/1 {\"tags\":null}", #" "tags": ["a"],"#, ""),
            ("patch posts/1 {\"meta\":{\"k\":{\"v\":1}}}", #""meta": {}"#, #""meta": {"k": {"v": 1}}"#),
            ("patch words/5 {\"Title\":6}", #""x", 5"#, #""x", 6"#),
            ("patch  {\"n\":2}", #""n": 1"#, #""n": 2"#),
            (
                "put posts/1 {\"title\":\"Hi\"}", #"{"id": 1, "title": "Hello", "tags": ["a"], "meta": {}}"#,
                #"{"id": 1, "title": "Hi"}"#
            ),
            ("put users/eve {\"name\":\"Eve\"}", #"{"name": "Bob"}}"#, #"{"name": "Bob"}, "eve": {"name": "Eve"}}"#),
            ("delete posts/1", "    {\"id\": 1, \"title\": \"Hello\", \"tags\": [\"a\"], \"meta\": {}},\n", ""),
            ("delete users/ann", #""ann": {"name": "Ann"}, "#, ""),
            ("delete posts/2/comments/7", #"[{"id": 7, "text": "t"}]"#, "[]"),
            ("delete words/x", #"["x", "#, "["),
            ("put words/q {\"name\":\"q\"}", #"{"name": "y"}]"#, #"{"name": "y"}, {"name": "q"}]"#),
            ("put words/w \"w\"", #"{"name": "y"}]"#, #"{"name": "y"}, "w"]"#),
        ])
    func touches(edit: String, old: String, new: String) throws {
        let (_, text) = try edited(watcher(), [self.edit(edit)])
        #expect(text == Self.shop.replacing(old, with: new))
    }

    @Test(
        "leaves the layout of a long list",
        arguments: [
            (.first, "[9,  0,  1,  2,  3,  4,  5,  6]"), (.offset(1), "[0,  9,  1,  2,  3,  4,  5,  6]"),
            (.offset(3), "[0,  1,  2,  9,  3,  4,  5,  6]"), (.offset(6), "[0,  1,  2,  3,  4,  5,  9,  6]"),
            (.last, "[0,  1,  2,  3,  4,  5,  6,  9]"),
        ] as [(RowPosition, String)])
    func longList(position: RowPosition, list: String) throws {
        let watcher = try watcher("l.json", #"{"l": [0,  1,  2,  3,  4,  5,  6]}"#)
        let edit = Edit.insert(.integer(.init(9 as Int64)), below: try path("l"), at: position, section: nil)
        #expect(try edited(watcher, [edit], name: "l.json").text == #"{"l": \#(list)}"#)
    }

    @Test(
        "moves an element to each place of its list",
        arguments: [
            (.first, "[1,0,2,3]"), (.offset(2), "[0,2,1,3]"), (.last, "[0,2,3,1]"), (.before("0"), "[1,0,2,3]"),
            (.before("3"), "[0,2,1,3]"), (.after("2"), "[0,2,1,3]"), (.after("3"), "[0,2,3,1]"),
        ] as [(RowPosition, String)])
    func moves(position: RowPosition, list: String) throws {
        let watcher = try watcher("l.json", #"{"l": [0, 1, 2, 3]}"#)
        let edit = Edit.move(try path("l/1"), below: try path("l"), at: position, section: nil)
        let (paths, text) = try edited(watcher, [edit], name: "l.json")
        #expect(paths == ["l/1"] && text.replacing(" ", with: "") == #"{"l":\#(list)}"#)
    }

    @Test("changes an array that is a table by its options")
    func table() throws {
        let watcher = try watcher(
            "t.json", #"[{"id": 1, "name": "A"}, {"id": 2, "name": "B"}]"#, RecordOptions(titleField: "name"))
        let edits = try ["patch 1 {\"name\":\"C\"}", "delete 2", "post  {\"name\":\"D\"}"].map(edit)
        let (paths, text) = try edited(watcher, edits, name: "t.json")
        #expect(paths == ["1", "gone", "2"])
        #expect(text == #"[{"id": 1, "name": "C"}, {"id": 2, "name": "D"}]"#)
    }

    /// Reads an edit of the form `patch path {…}`.
    private func edit(_ text: String) throws -> Edit {
        let words = text.split(separator: " ", maxSplits: 2, omittingEmptySubsequences: false).map(String.init)
        let path = try path(words[1])
        switch words[0] {
        case "patch": return .patch(try value(words[2]), at: path)
        case "put": return .put(try value(words[2]), at: path, onlyIfNew: false)
        case "post": return .insert(try value(words[2]), below: path, at: .last, section: nil)
        case "first": return .insert(try value(words[2]), below: path, at: .first, section: nil)
        case "move": return .move(path, below: try self.path(words[2]), at: .first, section: nil)
        default: return .delete(path)
        }
    }

    @Test("gives a new element the next key, and finds its items again after all steps of a batch")
    func batch() throws {
        let edits = try [
            "post posts {\"title\":\"New\"}", "delete posts/1", "patch posts/3 {\"n\":1}", "move posts/3 posts",
            "post posts/2/comments {\"text\":\"u\"}", "first words \"z\"",
        ].map(edit)
        let (paths, text) = try edited(watcher(), edits)
        #expect(paths == ["posts/3", "gone", "posts/3", "posts/3", "posts/2/comments/8", "words/z"])
        #expect(
            text == """
                {
                  "posts": [
                    null,
                    {"id": 3, "title": "New", "n": 1},
                    {"id": 2, "title": "World", "comments": [{"id": 7, "text": "t"}, {"id": 8, "text": "u"}]}
                  ],
                  "users": {"ann": {"name": "Ann"}, "bob": {"name": "Bob"}},
                  "words": ["z", "x", 5, {"name": "y"}],
                  "n": 1
                }

                """)
    }

    @Test("takes what a detail shows of a single value as a new value, in a list of such values alone")
    func singleValues() throws {
        let watcher = try watcher("Tags.json", #"{"tags": ["a", 1], "mixed": ["a", {"b": 1}], "none": []}"#)
        let edits = try ["post tags {\"Title\":\"b\"}", "post tags {\"Title\":2}", "post mixed {\"Title\":\"c\"}"].map(
            edit)
        let (paths, text) = try edited(watcher, edits, name: "Tags.json")
        #expect(paths == ["tags/b", "tags/2", "mixed/c"])
        #expect(text == #"{"tags": ["a", 1, "b", 2], "mixed": ["a", {"b": 1}, {"Title": "c"}], "none": []}"#)
    }

    @Test(
        "is refused if other rows would come or go, or if the key of an element would",
        arguments: [
            ("delete ", "conflict: The root item cannot be removed or moved."),
            (
                "delete posts",
                "conflict: /posts is held by its name in the item above, so it can be changed, but not moved or deleted."
            ),
            (
                "put fresh {\"a\":1}",
                "conflict: / holds its rows by name; to add one, change the file, or PUT the whole document."
            ),
            (
                "post users {\"name\":\"x\"}",
                "invalid: The rows of /users have names; PUT the new row at the path of its name."
            ),
            ("put users/x 5", "invalid: A row of /users must be a dictionary or an array."),
            ("patch posts/1 {\"l\":[{\"a\":1}]}", unstable),
            ("patch posts/1 {\"tags\":[{\"a\":1}]}", unstable),
            ("put posts/2 {\"comments\":[]}", ofRows),
            ("put posts 5", "invalid: /posts must keep its kind; its value cannot become another list or dictionary."),
            ("put posts/1 5", "invalid: /posts/Hello is a dictionary, so its new fields must be one."),
            ("put posts/09 {}", "invalid: The keys of /posts are integers, and '09' is none."),
            ("put posts/9 {\"id\":\"9\"}", "invalid: The key 'id' of an element of /posts must be an integer."),
            ("patch users {\"n\":1}", unstable),
            ("patch posts/2 {\"comments\":5}", ofRows),
            ("patch posts/1 {\"id\":null}", "invalid: An element of /posts must keep its key 'id'."),
            ("patch posts/1 {\"id\":\"x\"}", "invalid: The key 'id' of an element of /posts must be an integer."),
            ("patch posts/1 {\"id\":2}", "conflict: Another element of /posts has the key '2'."),
            ("post posts {\"id\":1}", "conflict: Another element of /posts has the key '1'."),
            ("put posts/x {\"title\":\"a\"}", "invalid: The keys of /posts are integers, and 'x' is none."),
            (
                "put posts/9 {\"id\":8}",
                "invalid: The key '8' is not that of the path, '9'; leave it out, or put the element at the path of its key."
            ),
            (
                "put words/q {\"name\":\"r\"}",
                "conflict: The elements of /words have no keys, and the title of the new element does not give the path 'q'; POST the element to the list."
            ),
            ("patch words/x {\"name\":1}", "invalid: /words/x is a single value; its only field is 'Title'."),
            (
                "patch words/x {\"Title\":[1]}",
                "invalid: /words/x must keep its kind; its value cannot become another list or dictionary."
            ),
            ("patch posts {\"x\":1}", "invalid: /posts is an array, which has no fields."),
            (
                "move posts/1 words",
                "conflict: An element can move only within its list; insert a copy there, then delete the element."
            ),
            (
                "move users/ann users",
                "conflict: /users/Ann is held by its name in the item above, so it can be changed, but not moved or deleted."
            ),
            ("post posts {\"a\":null}", "invalid: A property list cannot contain null; omit the entry."),
            ("delete posts/9", "missing: There is no '9' in /posts."),
            ("post posts/1 {\"a\":1}", "conflict: /posts/Hello has no list to which an element could be added."),
        ])
    func refused(edit: String, sentence: String) throws {
        let said = try refusal(self.edit(edit))
        #expect(said.contains(sentence), "\(said)")
        #expect(try text("Shop.json") == Self.shop)
    }

    private static let unstable =
        "invalid: The edit would make a row of a field, or a field of a row; change the document's file for that."
    private static let ofRows =
        "invalid: 'comments' holds rows of the item, and is not a field; edit the rows themselves."

    @Test("makes the children of an item that has none, in the name of its level, and of texts in XML")
    func children() throws {
        let text = """
            <plist><dict><key>parts</key><array>
            \t<dict><key>name</key><string>a</string><key>parts</key><array><dict><key>name</key><string>b</string></dict></array></dict>
            </array></dict></plist>
            """
        let watcher = try watcher("Parts.plist", text)
        let (paths, new) = try edited(watcher, [edit("post a/b {\"name\":\"c\"}")], name: "Parts.plist")
        #expect(paths == ["a/b/c"])
        #expect(
            new.contains(
                "<string>b</string><key>parts</key><array><dict><key>name</key><string>c</string></dict></array></dict>"
            ),
            "\(new)")
    }

    @Test("is refused at a place that the list does not have, and where an item exists that must be new")
    func noPlace() throws {
        let (element, list) = (try path("words/x"), try path("words"))
        let outside = "place: 'at' must be first, last, before:<key>, after:<key> or a number from 0 to 2, not 3."
        for (position, section, sentence) in [
            (.offset(3), nil, outside),
            (.before("x"), nil, "conflict: No row of /words has the key 'x', so nothing can be placed beside it."),
            (.first, 1, "place: 'section' must be 0, not 1; the level has one section."),
        ] as [(RowPosition, Int?, String)] {
            #expect(try refusal(.move(element, below: list, at: position, section: section)) == sentence)
        }
        let sentence = "exists: /users/Ann exists already; put it without If-None-Match to replace it."
        #expect(try refusal(.put(value("{}"), at: path("users/ann"), onlyIfNew: true)) == sentence)
    }

    @Test("needs a condition if the path of its item may become that of another one")
    func condition() throws {
        let long = String(repeating: "x", count: 257)
        let document =
            #"{"l": [{"v": 1}, {"v": 2}], "d": [{"name": "x"}, {"name": "x"}], "k": [{"id": 1}], "t": ["\#(long)", 5]}"#
        let numbered = " has only its number as its path, and another item may now have it."
        let shared = "/d/x has the same key or title as another item of its level, and may now have its path."
        for (text, sentence) in [
            ("delete l/1", "/l/1" + numbered), ("delete t/1", "/t/1" + numbered), ("patch t/5 {\"Title\":5}", nil),
            ("patch d/x {\"n\":1}", shared), ("move d/x~2 d", shared), ("patch k/1 {\"v\":2}", nil),
            ("patch  {\"x\":1}", nil),
        ] as [(String, String?)] {
            let edit = try edit(text)
            let group = try watcher("c.json", document).beginEdits()
            defer { group.finish() }
            for tagged in [[], [0]] as [Set<Int>] {
                var refusal: String?
                do throws(EditRefusal) {
                    _ = try group.apply(EditBatch([edit], isExact: false, tagged: tagged), by: nil)
                } catch {
                    refusal = error.detail
                }
                #expect(refusal == (tagged.isEmpty ? sentence : nil), "\(text)")
            }
        }
    }

    @Test("makes rows of a dictionary or an array that was empty")
    func firstRows() throws {
        let watcher = try watcher("e.json", #"{"users": {}, "l": [{"id": 1, "e": []}], "n": 1}"#)
        let edits = try ["put users/eve {\"name\":\"Eve\"}", "patch l/1 {\"e\":[{\"a\":1}]}"].map(edit)
        let (paths, text) = try edited(watcher, edits, name: "e.json")
        #expect(paths == ["users/eve", "l/1"])
        let bare = text.filter { !$0.isWhitespace }
        #expect(bare == #"{"users":{"eve":{"name":"Eve"}},"l":[{"id":1,"e":[{"a":1}]}],"n":1}"#)
    }

    @Test("numbers new elements of an emptied list from 1 if the key's name suggests it", arguments: ["id", "_ID"])
    func emptiedKeys(name: String) throws {
        let watcher = try watcher("l.json", #"{"l": [{"\#(name)": 7, "n": "a"}], "x": 1}"#)
        let edits = try ["delete l/7", "post l {\"n\":\"b\"}", "post l {\"n\":\"c\"}"].map(edit)
        #expect(try edited(watcher, edits, name: "l.json").paths == ["gone", "l/1", "l/2"])
    }

    @Test("gives a new element a key of eight letters and digits among texts, and takes any kind among mixed keys")
    func textKeys() throws {
        let watcher = try watcher("l.json", #"{"l": [{"slug": "a", "n": 1}], "x": 1}"#)
        let edits = try ["post l {\"n\":2}", "put l/c {\"n\":3}"].map(edit)
        let (paths, text) = try edited(watcher, edits, name: "l.json")
        #expect(paths.first?.wholeMatch(of: /l\/[a-z0-9]{8}/) != nil && paths.last == "l/c")
        #expect(text.filter { !$0.isWhitespace }.hasSuffix(#"{"slug":"c","n":3}],"x":1}"#))
        let mixed = #"{"l": [{"id": 1, "n": "a"}, {"id": "b", "n": "c"}]}"#
        for (body, said) in [
            (#"{"id":2}"#, "it was made"), (#"{"id":"d"}"#, "it was made"),
            (#"{"id":""}"#, "invalid: The key 'id' of an element of /l must be a text of 1 to 256 bytes."),
        ] {
            #expect(try refusal(edit("post l \(body)"), of: mixed) == said)
        }
    }

    @Test("of a binary document writes it anew")
    func binary() throws {
        var builder = PropertyListValueBuilder()
        try JSONPropertyListReader.read(
            .memory(Array(#"{"l":[{"id":"01","name":"a"},{"id":"02","name":"b"}]}"#.utf8)), limits: .init(),
            into: &builder)
        var writer = BinaryPropertyListWriter()
        try #require(builder.value).tell(to: &writer)
        try writer.finish()
        let path = try scratch.write("l.plist", Array(copying: writer.output.span))
        var interpretation = Interpretation(shape: .auto)
        interpretation.records = RecordOptions()
        let watcher = PropertyListFile(path: path, interpretation: interpretation).makeWatcher()
        _ = try watcher.load(replacing: nil)
        let group = try watcher.beginEdits()
        defer { group.finish() }
        let edits = try ["post l {\"name\":\"c\"}", "move l/3 l", "patch l/01 {\"name\":\"z\"}", "delete l/02"].map(
            edit)
        _ = try group.apply(EditBatch(edits, isExact: false), by: nil)
        _ = try group.save()
        let level = try watcher.load(replacing: nil).tree.document.child(0)?.child(0)
        #expect(
            level.map { level in (0..<level.count).map { "\(level.key($0)) \(level.title($0))" } } == ["3 c", "01 z"])
    }

    @Test("keeps the fields that title and key a list, also when it was empty for a while")
    func kept() throws {
        let watcher = try watcher("l.json", #"{"l":[{"id":1,"name":"a"}],"n":1}"#)
        let edits = try [
            "post l {\"title\":\"x\",\"name\":\"b\"}", "patch l/1 {\"title\":\"y\"}", "delete l/1", "delete l/2",
        ].map(edit)
        _ = try edited(watcher, Array(edits.prefix(2)), name: "l.json")
        let level = try watcher.load(replacing: nil).tree.document.child(0)?.child(0)
        #expect(level.map { level in (0..<level.count).map(level.title) } == ["a", "b"])
        let (paths, text) = try edited(
            watcher, edits.suffix(2) + [edit("put l/5 {\"title\":\"x\",\"name\":\"c\"}")], name: "l.json")
        #expect(paths == ["gone", "gone", "l/5"])
        #expect(text == #"{"l":[{"id":5,"title":"x","name":"c"}],"n":1}"#)
        try scratch.write("l.json", #"{"l":[{"id":5,"title":"x","name":"c"},{"id":6,"title":"y"}],"n":1}"#)
        let foreign = try watcher.load(replacing: nil).tree.document.child(0)?.child(0)
        #expect(foreign.map { level in (0..<level.count).map(level.title) } == ["c", "6"])
    }
}

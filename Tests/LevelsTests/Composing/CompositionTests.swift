import Testing

@testable import Levels
@testable import TestDocuments

@Suite("A composition")
struct CompositionTests {
    /// The composition of documents, each below the path by which others refer to it.
    private func composition(
        _ document: String, _ others: [String: String] = [:], refused: [String: String] = [:],
        names: StructuralNames = .init(), limits: TreeLimits = .init()
    ) throws -> Composition {
        let tree = try Document.tree(document, names: names)
        var parts: [PartReference: Composition.Part] = [:]
        for mention in tree.parts {
            let path = mention.reference.path
            if let sentence = refused[path] { parts[mention.reference] = .refused(sentence) }
            guard let other = others[path] else { continue }
            parts[mention.reference] = .composed(
                try composition(other, others, refused: refused, names: names, limits: limits))
        }
        return try Composition(source: tree.document, parts: parts, names: names, limits: limits)
    }

    @Test("equals the document in one piece, level for level", arguments: RandomRounds.first(100 as UInt64))
    func inOnePiece(seed: UInt64) throws {
        var random = RandomDocument(seed: seed, [.dates, .data, .sectionKeys, .textBeyondXML])
        let document = SplitDocument(random.document(), seed: seed)
        let composed = try document.composition().document
        let whole = try Self.withoutUnknownParts(try document.whole.tree().document)
        #expect(LevelComparison.difference(composed, whole) == nil)
    }

    /// The same tree without references to documents that do not exist.
    private static func withoutUnknownParts(_ document: Level) throws -> Level {
        try Composition(source: document, parts: [:]).document
    }

    @Test("gives an item the fields of the root that it lacks, and the root's level")
    func fields() throws {
        let composed = try composition(
            #"{"Rows":[{"Title":"A","Source":"a","Price":1}]}"#,
            ["a": #"{"Title":"Root A","Price":2,"Owner":"x","SortBy":"-Title","Rows":["one","two"]}"#])
        let whole =
            #"{"Rows":[{"Title":"A","Source":"a","Price":1,"Owner":"x","SortBy":"-Title","Rows":["one","two"]}]}"#
        #expect(composed.document.hash == (try Document.tree(whole).document.hash))
    }

    @Test(
        "shows the title of the root where the item has none, and else the path",
        arguments: [
            (#"{"Source":"a"}"#, #"{"Title":"Root A","Rows":["x"]}"#, "Root A", "Root A"),
            (#"{"Source":"a","Title":"Own"}"#, #"{"Title":"Root A","Rows":["x"]}"#, "Own", "Own"),
            (#"{"Source":"a"}"#, #"["x"]"#, "a", "a"),
            (#"{"Source":"a","Key":"k"}"#, #"["x"]"#, "", "k"),
            (#"{"Source":"a","Key":"k"}"#, #"{"Title":"Root A","Key":"other","Rows":["x"]}"#, "Root A", "k"),
            (#"{"Source":"a"}"#, #"{"Title":7,"Key":"k","Rows":["x"]}"#, "7", "k"),
        ])
    func titles(item: String, root: String, title: String, key: String) throws {
        let level = try #require(try composition("{\"Rows\":[\(item)]}", ["a": root]).document.child(0))
        #expect([level.title(0), level.key(0)] == [title, key])
        #expect(level.child(0)?.count == 1)
        let whole = try Document.tree("{\"Rows\":[\(item)]}").document.child(0)
        #expect(whole?.title(0) == (item.contains("Own") ? "Own" : item.contains("Key") ? "" : "a"))
    }

    @Test("counts a title under any of its names as the item's own")
    func mappedTitles() throws {
        let names = try StructuralNames(mapping: "title=name|group,children=entries")
        let level = try composition(
            #"{"entries":[{"group":"Own","Source":"a"}]}"#, ["a": #"{"name":"Root A","entries":["x"]}"#],
            names: names
        ).document.child(0)
        #expect(level?.title(0) == "Own")
    }

    @Test("numbers the keys of rows that get the same title")
    func keys() throws {
        let composed = try composition(
            #"{"Rows":["Same",{"Source":"a"},{"Source":"b"}]}"#,
            ["a": #"{"Title":"Same","Rows":["x"]}"#, "b": #"{"Title":"Same","Rows":["y"]}"#])
        let level = try #require(composed.document.child(0))
        #expect((0..<3).map(level.key) == ["Same", "Same~2", "Same~3"])
    }

    @Test("refuses two rows that get the same Key")
    func sharedKey() {
        #expect(throws: TreeError.self) {
            try composition(
                #"{"Rows":[{"Source":"a"},{"Source":"b"}]}"#,
                ["a": #"{"Key":"k","Rows":["x"]}"#, "b": #"{"Key":"k","Rows":["y"]}"#])
        }
    }

    @Test("leaves an item with a level of its own, and a Source that is not text, as they are")
    func plain() throws {
        let text =
            #"{"Rows":[{"Title":"A","Source":"a","Children":["x"]},{"Title":"B","Source":["a"]},{"Title":"C","Source":"a","Children":[]}]}"#
        let tree = try Document.tree(text)
        #expect(tree.parts == [])
        #expect(!tree.document.holdsParts)
        let untitled = try Document.tree(#"{"Rows":[{"Source":"a","Children":["x"]}]}"#)
        #expect(untitled.document.child(0)?.title(0) == "a")
        #expect(
            Document.refusal(of: #"{"Rows":[{"Source":1}]}"#)
                == "1:10: in /(item 1, Source '1'): an item has no 'Title'; give it one, or a 'Key'")
    }

    @Test("gives the root a level too")
    func root() throws {
        let composed = try composition(#"{"Source":"a"}"#, ["a": #"{"Title":"Root A","Rows":["x"]}"#])
        #expect(composed.document.title(0) == "Root A")
        #expect(composed.document.child(0)?.title(0) == "x")
    }

    @Test(
        "has the specifiers of a mounted settings page beside the Source, and is read from them again",
        arguments: [
            (#"{"Rows":["A",{"Title":"B","Source":"p"}]}"#, "B"),
            (#"{"Rows":["A",{"Source":"p"}]}"#, "Page"),
            (#"{"Rows":["A",{"Key":"k","Source":"p"}]}"#, "Page"),
            (#"[{"Title":"B","Type":"Slider","SortBy":"-Title","Source":"p"}]"#, "B"),
            (#"{"Title":"B","Source":"p"}"#, "B"),
            (#"{"Source":"p"}"#, "Page"),
        ])
    func page(document: String, title: String) throws {
        let page = """
            {"Title":"Page","PreferenceSpecifiers":[
             {"Type":"PSGroupSpecifier","Title":"G","FooterText":"F"},{"Type":"PSToggleSwitchSpecifier","Key":"k"},
             {"Type":"PSSliderSpecifier","Key":"k","Title":"Zoom"},
             {"Type":"PSRadioGroupSpecifier","Values":[1,2]},{"Type":"PSChildPaneSpecifier","File":"p","Source":"p"}]}
            """
        let composed = try composition(document, ["p": page]).document
        #expect(LevelComparison.difference(composed, try Self.readAgain(composed)) == nil)
        let root = try #require(composed.child(0))
        let isRoot = root.form == .specifiers
        #expect((isRoot ? composed.title(0) : root.title(root.count - 1)) == title)
        let pageLevel = try #require(isRoot ? root : root.child(root.count - 1))
        #expect((0..<pageLevel.count).map(pageLevel.title) == ["", "Zoom", "1", "2", ""])
    }

    @Test("has either the specifiers of a mounted page or another level")
    func pageAndLevel() throws {
        #expect(
            Document.refusal(
                of: #"{"Rows":[{"Title":"A","Source":"p","PreferenceSpecifiers":[{"Title":"x"}],"Children":["y"]}]}"#)
                == "1:36: in /A: the item has both 'Children' and 'PreferenceSpecifiers'; only one of them can hold its level"
        )
        // Without a Source before them, and beside a level, they are a field.
        for item in [
            #"{"Title":"A","PreferenceSpecifiers":[1],"Source":"p"}"#,
            #"{"Title":"A","Children":["x"],"Source":"p","PreferenceSpecifiers":[1]}"#,
            #"{"Title":"A","PreferenceSpecifiers":[1],"Children":["x"]}"#,
        ] {
            #expect(try Document.tree("[\(item)]").document.child(0)?.form == .rows)
        }
        let page = try Document.tree(#"{"PreferenceSpecifiers":[{"Title":"x"}],"Source":"p"}"#)
        #expect(page.parts == [])
        #expect(page.document.child(0)?.title(0) == "x")
    }

    /// The document that a tree is written as.
    private static func readAgain(_ document: Level) throws -> Level {
        var builder = TreeBuilder()
        var walk = TreeWalk(level: document, row: 0)
        try walk.finish(to: &builder)
        return try Self.withoutUnknownParts(try builder.finish().document)
    }

    @Test("has a level that says why a part is refused, also at the root of a mounted document")
    func refusals() throws {
        let composed = try composition(
            #"{"Rows":[{"Title":"A","Source":"a"},{"Title":"B","Source":"b"},{"Title":"C","Source":"b"}]}"#,
            ["a": #"{"Source":"b","Owner":"x"}"#], refused: ["b": "b: sentence."])
        let level = try #require(composed.document.child(0))
        #expect((0..<3).map { level.child($0)?.refusal } == ["b: sentence.", "b: sentence.", "b: sentence."])
        #expect((0..<3).map(level.childCount) == [0, 0, 0])
        #expect(composed.document.itemCount == 4)
        #expect(level.hash != (try Document.tree(#"["A","B","C"]"#).document.child(0)?.hash))
        // No item gets a name for rows, which its document lacks.
        let written =
            #"{"Rows":[{"Title":"A","Source":"a","Owner":"x"},{"Title":"B","Source":"b"},{"Title":"C","Source":"b"}]}"#
        let expected = try Self.withoutUnknownParts(try Document.tree(written).document)
        #expect(LevelComparison.difference(try Self.readAgain(composed.document), expected) == nil)
    }

    @Test("is refused if the whole is too deep or too large, however often a document is mounted")
    func limits() throws {
        func error(_ limits: TreeLimits) -> TreeError? {
            var others = ["d0": #"["x","y"]"#]
            for level in 1...60 {
                others["d\(level)"] =
                    #"[{"Title":"A","Source":"d\#(level - 1)"},{"Title":"B","Source":"d\#(level - 1)"}]"#
            }
            do {
                var below: Composition?
                for level in 0...60 {
                    let tree = try Document.tree(others["d\(level)"] ?? "")
                    let parts = tree.parts.map { ($0.reference, below.map(Composition.Part.composed)) }
                    below = try Composition(
                        source: tree.document, parts: Dictionary(uniqueKeysWithValues: parts).compactMapValues { $0 },
                        limits: limits)
                }
                return nil
            } catch {
                return error as? TreeError
            }
        }
        #expect(error(TreeLimits(depth: 20)) == .tooDeep(limit: 20))
        #expect(error(TreeLimits(items: 1_000)) == .tooManyItems(limit: 1_000))
        #expect(error(TreeLimits()) == .tooManyItems(limit: 20_000_000))
    }
}

import Testing

@testable import Levels
@testable import TestDocuments

@Suite("A composition made again")
struct RecompositionTests {
    @Test("equals a new one, and shares every level that has not changed", arguments: RandomRounds.first(40 as UInt64))
    func edits(seed: UInt64) throws {
        var random = RandomDocument(seed: seed, [.dates, .sectionKeys])
        let document = SplitDocument(random.document(), seed: seed)
        let before = try document.composition()
        #expect(try document.composition(sharing: before) === before)
        let edited = SplitDocument(random.document(), seed: seed + 1)
        let after = try edited.composition(sharing: before)
        #expect(LevelComparison.difference(after.document, try edited.composition().document) == nil)
    }

    @Test("copies only the levels on the way to the change")
    func sharing() throws {
        func tree(_ text: String, _ old: Composition? = nil) throws -> Composition {
            let tree = try Document.tree(text, pool: old.map { LevelPool($0.source) })
            return try Composition(source: tree.document, parts: [:], sharing: old)
        }
        let main =
            #"{"Rows":[{"Title":"X","Children":[{"Title":"A","Source":"a"}]},{"Title":"Y","Children":[{"Title":"B","Source":"b"}]},{"Title":"Z","Children":[{"Title":"C","Source":"c"}]}]}"#
        let source = try Document.tree(main).document
        let refused = Composition.Part.refused("c: sentence.")
        let (a, b) = (try tree(#"["1"]"#), try tree(#"["2"]"#))
        let before = try Composition(
            source: source,
            parts: [.document("a"): .composed(a), .document("b"): .composed(b), .document("c"): refused])
        let changed = try tree(#"["1","new"]"#, a)
        let after = try Composition(
            source: source,
            parts: [.document("a"): .composed(changed), .document("b"): .composed(b), .document("c"): refused],
            sharing: before)
        let (old, new) = (try #require(before.document.child(0)), try #require(after.document.child(0)))
        #expect(new.child(0) !== old.child(0))
        #expect(new.child(1) === old.child(1))
        #expect(new.child(2) === old.child(2))
        #expect(new.child(0)?.child(0) === changed.document.child(0))
    }

    @Test("finds items in their own files")
    func origins() throws {
        let source = try Document.tree(#"{"Rows":["x",{"Title":"A","Source":"a"}]}"#).document
        let part = try Composition(
            source: try Document.tree(#"{"Rows":["1",{"Title":"B","Source":"b"}]}"#).document, parts: [:])
        let composition = try Composition(source: source, parts: [.document("a"): .composed(part)])
        func origin(_ path: [Int]) -> (isPart: Bool, title: String, level: Level?) {
            let (file, item) = composition.origin(of: Item(path, in: composition.document))
            return (file === part, item.own.level.title(item.own.row), item.level)
        }
        #expect(origin([1]).isPart == false)
        #expect(origin([1]).level == nil)
        #expect(origin([1, 0]).isPart)
        #expect(origin([1, 0]).title == "1")
        #expect(origin([0]).title == "x")
        #expect(origin([]).level === source.child(0))
    }
}

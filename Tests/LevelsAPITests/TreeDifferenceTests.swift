import Bytes
import Levels
import PropertyLists
import Testing

@testable import LevelsAPI
@testable import TestDocuments

@Suite("The difference of two trees") struct TreeDifferenceTests {
    private static let contents: RandomDocument.Contents = [.foundation, .uids, .textBeyondXML]

    @Test("names exactly the levels and details whose answers differ", arguments: 0..<8)
    func everyAnswer(_ part: Int) throws {
        var differing = 0
        for seed in UInt64(part * 125)..<UInt64(part * 125 + 125) {
            var random = RandomDocument(seed: seed, part % 2 == 0 ? Self.contents : Self.contents.union(.orders))
            let before = random.document()
            let after = random.edited(before)
            let old = try before.tree()
            let new = try after.tree()
            let difference = TreeDifference(from: old.document, to: new.document)
            let (levels, details) = Self.rendered(old, new)
            #expect(Set(difference.levels) == levels, "seed \(seed)")
            #expect(Set(difference.details) == details, "seed \(seed)")
            #expect(difference.levels.count == levels.count && difference.details.count == details.count)
            #expect(!difference.isTruncated)
            differing += levels.count + details.count
        }
        #expect(differing > 500)
    }

    @Test("is none of a tree and itself, read twice")
    func none() throws {
        var random = RandomDocument(seed: 7, Self.contents)
        let value = random.document()
        #expect(TreeDifference(from: try value.tree().document, to: try value.tree().document).isEmpty)
    }

    @Test("of more links than are told names the first level alone")
    func truncated() throws {
        let old = try Document.tree("[\"a\"]").document
        let rows = (0..<600).map { "\"row \($0)\"" }.joined(separator: ",")
        let difference = TreeDifference(from: old, to: try Document.tree("[\(rows)]").document)
        #expect(difference.levels == ["/levels/"])
        #expect(difference.details == [])
        #expect(difference.isTruncated)
    }

    @Test("of links that are long names the first level alone when they are too long together")
    func truncatedByLength() throws {
        let key = String(repeating: "k", count: TreeDifference.byteLimit / 4 - 2)
        let difference = { (rows: String) in
            let old = try Document.tree(#"[{"Title": "\#(key)", "Children": ["a"]}]"#).document
            let new = try Document.tree(#"[{"Title": "\#(key)", "Children": \#(rows)}]"#).document
            return TreeDifference(from: old, to: new)
        }
        let some = try difference(#"[{"Title": "a", "Subtitle": "b"}]"#)
        #expect(some.levels == ["/levels/\(key)"] && some.details == ["/detail/\(key)/a"] && !some.isTruncated)
        let many = try difference(#"["b"]"#)
        #expect(many.levels == ["/levels/"] && many.details == [] && many.isTruncated)
    }

    @Test("tells that a row stands in another section by its detail")
    func sections() throws {
        let old = try Document.tree(
            #"{"Sections": [{"Title": "A", "Rows": ["1", "2"]}, {"Title": "B", "Rows": ["3"]}]}"#)
        let new = try Document.tree(
            #"{"Sections": [{"Title": "A", "Rows": ["1"]}, {"Title": "C", "Rows": ["2", "3"]}]}"#)
        let difference = TreeDifference(from: old.document, to: new.document)
        #expect(difference.levels == ["/levels/"])
        #expect(difference.details == ["/detail/2"])
    }

    // MARK: By rendering everything

    private static func rendered(_ old: Tree, _ new: Tree) -> (levels: Set<String>, details: Set<String>) {
        let before = Self.bodies(old)
        let after = Self.bodies(new)
        let differing = Set(before.keys).union(after.keys).filter { before[$0] != after[$0] }
        return (differing.filter { $0.hasPrefix("/levels/") }, differing.filter { $0.hasPrefix("/detail/") })
    }

    private static func bodies(_ tree: Tree) -> [String: [UInt8]] {
        let desk = Desk(Desk.snapshot(tree))
        var bodies: [String: [UInt8]] = [:]
        var waiting = [(path: "", level: tree.document.child(0))]
        while let (path, level) = waiting.popLast() {
            bodies["/levels/" + path] = desk.get("/levels/" + path).body
            bodies["/detail/" + path] = desk.get("/detail/" + path).body
            guard let level else { continue }
            for row in 0..<level.count {
                var link = ByteBuffer()
                PercentEncoding.append(Array(level.key(row).utf8).span, to: &link)
                let key = String(decoding: Array(copying: link.span), as: UTF8.self)
                waiting.append((path.isEmpty ? key : path + "/" + key, level.child(row)))
            }
        }
        return bodies
    }
}

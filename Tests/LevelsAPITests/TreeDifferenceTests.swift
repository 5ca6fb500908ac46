import Bytes
import Levels
import PropertyLists
import Testing

@testable import LevelsAPI
@testable import TestDocuments

@Suite("The difference of two trees") struct TreeDifferenceTests {
    private static let contents: RandomDocument.Contents = [.foundation, .uids, .textBeyondXML]

    @Test(
        "names exactly the levels whose answers differ, and the details that do in more than the place",
        arguments: 0..<8)
    func everyAnswer(_ part: Int) throws {
        var differing = 0
        for seed in RandomRounds.first(6 as UInt64) {
            let contents = part % 2 == 0 ? Self.contents : Self.contents.union(.orders)
            var random = RandomDocument(seed: UInt64(part * 1_000) + seed, contents)
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
        #expect(differing > 5)
    }

    @Test("is none of a tree and itself, read twice")
    func none() throws {
        var random = RandomDocument(seed: 7, Self.contents)
        let value = random.document()
        #expect(TreeDifference(from: try value.tree().document, to: try value.tree().document).isEmpty)
    }

    @Test("of several languages names each answer once")
    func union() throws {
        func difference(_ old: String, _ new: String) throws -> TreeDifference {
            TreeDifference(from: try Document.tree(old).document, to: try Document.tree(new).document)
        }
        var both = try difference(#"["a","b"]"#, #"["a",{"Title":"b","Subtitle":"B"}]"#)
        #expect((both.levels, both.details) == (["/levels/"], ["/detail/b"]))
        both.formUnion(both)
        both.formUnion(try difference(#"["a","b"]"#, #"[{"Title":"a","Subtitle":"A"},"b"]"#))
        #expect((both.levels, both.details) == (["/levels/"], ["/detail/b", "/detail/a"]))
    }

    @Test("of links that are long names the first level alone when they are too long together")
    func truncatedByLength() throws {
        // The paths of the level and of the detail have exactly the permitted length together.
        let key = String(repeating: "k", count: TreeDifference.byteLimit / 2 - 1)
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

    @Test("names of a section that begins elsewhere the level alone, from which the places of its rows follow")
    func sections() throws {
        let old = try Document.tree(
            #"{"Sections": [{"Title": "A", "Rows": ["1", "2"]}, {"Title": "B", "Rows": ["3"]}]}"#)
        let new = try Document.tree(
            #"{"Sections": [{"Title": "A", "Rows": ["1"]}, {"Title": "C", "Rows": ["2", "3"]}]}"#)
        let difference = TreeDifference(from: old.document, to: new.document)
        #expect(difference.levels == ["/levels/"])
        #expect(difference.details == [])
    }

    /// The links for a change of the rows below the root.
    private static func links(_ before: String, _ after: String) throws -> TreeDifference {
        try TreeDifference(from: Document.tree("[\(before)]").document, to: Document.tree("[\(after)]").document)
    }

    @Test(
        "names of a row that is inserted among many its level, itself and the item above", arguments: [0, 750, 1_500])
    func insertion(_ place: Int) throws {
        var rows = (0..<1_500).map { "\"row \($0)\"" }
        let before = rows.joined(separator: ",")
        rows.insert("\"new\"", at: place)
        let difference = try Self.links(before, rows.joined(separator: ","))
        #expect(difference.levels == ["/levels/", "/levels/new"])
        #expect(difference.details == ["/detail/", "/detail/new"])
        #expect(!difference.isTruncated)
    }

    @Test func `names 1,000 links, and of more the first level alone`() throws {
        let rows = (0..<499).map { "\"row \($0)\"" }.joined(separator: ",")
        // Each new row is a level and a detail, and so is the root, whose last row is another.
        let most = try Self.links(#""a""#, #""a",\#(rows)"#)
        #expect(most.levels.count == 500 && most.details.count == 500 && !most.isTruncated)
        let more = try Self.links(#""a""#, #"{"Title":"a","N":1},\#(rows)"#)
        #expect(more.levels == ["/levels/"] && more.details == [] && more.isTruncated)
    }

    @Test("names of a row that moved its level, and the item above only if its first or last row is another")
    func moves() throws {
        let rows = ["\"a\"", "\"b\"", "\"c\"", "\"d\""]
        let before = rows.joined(separator: ",")
        let inner = try Self.links(before, [rows[0], rows[2], rows[1], rows[3]].joined(separator: ","))
        #expect(inner.levels == ["/levels/"] && inner.details == [])
        let outer = try Self.links(before, [rows[1], rows[2], rows[3], rows[0]].joined(separator: ","))
        #expect(outer.levels == ["/levels/"] && outer.details == ["/detail/"])
    }

    @Test("names a row that moved if it, or an item below it, is another at its new place")
    func movedAndChanged() throws {
        let before = #""a",{"Title":"b","Rows":["x"]},{"Title":"c","N":1},"d""#
        let after = #""d",{"Title":"c","N":2},{"Title":"b","Rows":[{"Title":"x","M":1}]},"a""#
        let difference = try Self.links(before, after)
        #expect(difference.levels == ["/levels/", "/levels/b"])
        #expect(difference.details == ["/detail/", "/detail/c", "/detail/b/x"])
    }

    @Test("names a detail of which only the type of a field is another, since that is another version of the fields")
    func types() throws {
        let trees = try ["date", "string"].map { type in
            let value = "<\(type)>2001-03-12T00:00:00Z</\(type)>"
            return try Document.tree(
                "<plist><array><dict><key>Title</key><string>a</string><key>At</key>\(value)</dict></array></plist>")
        }
        let difference = TreeDifference(from: trees[0].document, to: trees[1].document)
        #expect(difference.levels == [] && difference.details == ["/detail/a"])
    }

    @Test("names the item above an only row whose title or key is another")
    func onlyRow() throws {
        func links(_ before: String, _ after: String) throws -> [String] {
            try Self.links(#"{"Title":"p","Rows":[\#(before)]}"#, #"{"Title":"p","Rows":[\#(after)]}"#).details
        }
        #expect(
            try links(#"{"Key":"k","Title":"a"}"#, #"{"Key":"k","Title":"b"}"#) == ["/detail/p", "/detail/p/k"])
        #expect(
            try links(#"{"Key":"j","Title":"a"}"#, #"{"Key":"k","Title":"a"}"#)
                == ["/detail/p", "/detail/p/k", "/detail/p/j"])
    }

    @Test("is not too long because of the items above an item, which it does not name")
    func deep() throws {
        let (key, depth) = (String(repeating: "k", count: 20), 400)
        func rows(_ leaf: String) -> String {
            String(repeating: #"{"Title":"\#(key)","Rows":["#, count: depth) + leaf
                + String(repeating: "]}", count: depth)
        }
        let path = Array(repeating: key, count: depth).joined(separator: "/")
        let difference = try Self.links(rows(#"{"Title":"a"}"#), rows(#"{"Title":"a","N":1}"#))
        #expect((difference.levels, difference.details) == (["/levels/\(path)"], ["/detail/\(path)/a"]))
    }

    // MARK: By rendering everything

    private static func rendered(_ old: Tree, _ new: Tree) -> (levels: Set<String>, details: Set<String>) {
        let before = Self.bodies(old)
        let after = Self.bodies(new)
        let differing = Set(before.keys).union(after.keys).filter { before[$0] != after[$0] }
        return (differing.filter { $0.hasPrefix("/levels/") }, differing.filter { $0.hasPrefix("/detail/") })
    }

    /// A detail without `version`, `position`, `previous`, `next` and `follow`.
    private static func withoutPlace(_ body: [UInt8]) -> [UInt8] {
        let text = String(decoding: body, as: UTF8.self).replacing(/,"follow":"[^"]*"/, with: "")
        let version = text.replacing(/"version":"[A-Za-z0-9_-]{22}",/, with: "", maxReplacements: 1)
        guard let start = version.firstRange(of: #","position":{"index":"#),
            let end = version[start.upperBound...].firstRange(of: #","firstChild":"#)
        else { return body }
        return Array((version[..<start.lowerBound] + version[end.lowerBound...]).utf8)
    }

    private static func bodies(_ tree: Tree) -> [String: [UInt8]] {
        let desk = Desk(Desk.snapshot(tree))
        var bodies: [String: [UInt8]] = [:]
        var waiting = [(path: "", level: tree.document.child(0))]
        while let (path, level) = waiting.popLast() {
            bodies["/levels/" + path] = desk.get("/levels/" + path).body
            bodies["/detail/" + path] = Self.withoutPlace(desk.get("/detail/" + path).body)
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

import Levels
import PropertyLists
import Testing

@testable import TestDocuments

/// How deep and how large a tree may be.
@Suite struct LimitTests {
    @Test("Items may stand 512 levels below the root, and not 513")
    func depth() throws {
        let deepest = nested(512, around: #""leaf""#)
        #expect(try count(Document.tree(deepest)) == 512)
        #expect(try count(Document.tree(nested(512, around: #"{"Title":"leaf"}"#))) == 512)
        let titles = "/1/2/3/4/5/6/…/507/508/509/510/511/512"
        #expect(
            Document.refusal(of: nested(513, around: #""leaf""#))
                == "1:11670: in \(titles): items nest deeper than 512 levels; flatten the tree")
        #expect(
            Document.refusal(of: nested(513, around: #"{"Title":"leaf"}"#))
                == "1:11670: in \(titles): items nest deeper than 512 levels; flatten the tree")
    }

    @Test("Items may nest 512 levels below the root in sections, too, within the limits of the readers")
    func depthInSections() throws {
        var document = #""leaf""#
        for level in (1..<512).reversed() {
            document = #"{"Title":"\#(level)","Sections":[{"Title":"s","Rows":[\#(document)]}]}"#
        }
        #expect(try count(Document.tree(#"{"Sections":[{"Rows":[\#(document)]}]}"#)) == 512)
    }

    @Test("A binary document that holds itself is refused as that and not for its depth, in either shape")
    func cycle() {
        // One array whose one element is itself; then the offset table and the trailer.
        let itself: [UInt8] = [0xA1, 0]
        let items: [UInt8] = [0xD2, 1, 2, 3, 4, 0x55] + "Title".utf8 + [0x54] + "Rows".utf8 + [0x51, 0x61, 0xA1, 0]
        #expect(refusal(of: binary(itself, offsets: [8]), any: true) == "byte 8: in \(zeros): \(Self.cyclic)")
        #expect(refusal(of: binary(itself, offsets: [8]), any: false) == "byte 8: in /: \(Self.cyclic)")
        let offsets: [UInt8] = [8, 13, 19, 24, 26]
        let titles = "/a/a/a/a/a/a/…/a/a/a/a/a/a"
        #expect(refusal(of: binary(items, offsets: offsets), any: false) == "byte 8: in \(titles): \(Self.cyclic)")
    }

    private static let cyclic = "object 0 contains itself, but a property list cannot have cycles"
    private var zeros: String { "/0/0/0/0/0/0/…/0/0/0/0/0/0" }

    private func binary(_ objects: [UInt8], offsets: [UInt8]) -> [UInt8] {
        func word(_ value: Int) -> [UInt8] { Array(repeating: 0, count: 7) + [UInt8(value)] }
        return Array("bplist00".utf8) + objects + offsets + Array(repeating: 0, count: 6) + [1, 1]
            + word(offsets.count) + word(0) + word(8 + objects.count)
    }

    private func refusal(of bytes: [UInt8], any: Bool) -> String? {
        var items = TreeBuilder()
        var anything = AnyTreeBuilder()
        do throws(PropertyListError) {
            if any {
                try BinaryPropertyListReader.read(.memory(bytes), limits: .init(), into: &anything)
            } else {
                try BinaryPropertyListReader.read(.memory(bytes), limits: .init(), into: &items)
            }
            return nil
        } catch {
            return error.description
        }
    }

    @Test("In shape any, items may stand 512 levels below the root, and not 513")
    func anyDepth() throws {
        func arrays(_ count: Int, around leaf: String) -> String {
            String(repeating: "[", count: count) + leaf + String(repeating: "]", count: count)
        }
        #expect(try count(Document.anyTree(arrays(512, around: "1"))) == 512)
        #expect(try count(Document.anyTree(arrays(513, around: ""))) == 512)
        let refusal = "in /0/0/0/0/0/0/…/0/0/0/0/0/0: the document nests deeper than 512 levels; flatten it"
        #expect(Document.anyRefusal(of: arrays(513, around: "1")) == "1:514: \(refusal)")
        #expect(Document.anyRefusal(of: arrays(514, around: "")) == "1:514: \(refusal)")
        #expect(Document.anyRefusal(of: arrays(512, around: "{\"a\":{}}")) == "1:518: \(refusal)")
    }

    @Test("A tree may hold as many items as its limit says, and not one more")
    func items() throws {
        let limits = TreeLimits(items: 3)
        for document in [#"["a","b","c"]"#, #"[{"Title":"a","Children":["b"]},{"Title":"c"}]"#] {
            #expect(try Document.tree(document, limits: limits).itemCount == 3)
        }
        #expect(
            Document.refusal(of: "[\"a\",\"b\",\"c\",\n\"d\"]", limits: limits)
                == "2:1: in /: the document holds more than 3 items; split it, or raise MaxItems")
        #expect(
            Document.refusal(of: "[\"a\",{\"Title\":\"b\",\"Rows\":[\"c\",\n{\"Title\":\"d\"}]}]", limits: limits)
                == "2:1: in /b: the document holds more than 3 items; split it, or raise MaxItems")
        #expect(try Document.anyTree("[1,[2]]", limits: limits).itemCount == 3)
        #expect(
            Document.anyRefusal(of: "[1,[2,\n3]]", limits: limits)
                == "2:1: in /1: the document holds more than 3 items; split it, or raise MaxItems")
    }

    private func nested(_ levels: Int, around leaf: String) -> String {
        var document = "[\(leaf)]"
        for level in (1..<levels).reversed() { document = #"[{"Title":"\#(level)","Rows":\#(document)}]"# }
        return document
    }

    /// How many levels there are below the root.
    private func count(_ tree: Tree) -> Int {
        var levels = -1
        var level: Level? = tree.document
        while let current = level {
            levels += current.count > 0 ? 1 : 0
            level = current.count > 0 ? current.child(0) : nil
        }
        return levels
    }
}

import Bytes
import Levels
import PropertyLists
import Testing

@testable import TestDocuments
@testable import TreeSources

/// Binary documents that are edited: what stays keeps its objects.
struct BinarySpliceTests {
    private static func binary(_ json: String) throws -> [UInt8] {
        var writer = BinaryPropertyListWriter()
        try JSONPropertyListReader.read(.memory(Array(json.utf8)), limits: .init(), into: &writer)
        try writer.finish()
        return Array(copying: writer.output.span)
    }

    /// How many objects a document has, according to its trailer.
    private static func objectCount(_ bytes: [UInt8]) -> Int {
        bytes.suffix(24).prefix(8).reduce(0) { $0 << 8 | Int($1) }
    }

    private static func json(_ text: EditedText) throws -> String {
        var writer = JSONPropertyListWriter()
        try text.format.read(text.bytes, into: &writer)
        try writer.finish()
        return String(decoding: Array(copying: writer.output.span), as: UTF8.self)
    }

    /// How often a text is among a document's bytes.
    private static func occurrences(of text: String, in bytes: [UInt8]) -> Int {
        String(decoding: bytes, as: Unicode.ASCII.self).ranges(of: text).count
    }

    private static let rows = #"{"Rows":[{"Title":"One","Rank":1},{"Title":"Two","Children":["Three","Four"]},"Five"]}"#

    @Test("new objects follow the others; those of the older document are where they were")
    func appended() throws {
        let old = try Self.binary(Self.rows)
        var edited = try EditedText(old)
        try edited.apply([.insert("\"Six\"", "/Two")])
        #expect(
            try Self.json(edited)
                == #"{"Rows":[{"Title":"One","Rank":1},{"Title":"Two","Children":["Three","Four","Six"]},"Five"]}"#)
        // The new string, and new containers up to the root; nothing was unused before.
        #expect(Self.objectCount(edited.bytes) == Self.objectCount(old) + 5)
        let kept = Array(old[8..<60])
        #expect(Array(edited.bytes[8..<60]) == kept)
    }

    @Test("what was removed is not left in the file, and its numbers are used again")
    func replaced() throws {
        var edited = try EditedText(Self.binary(Self.rows))
        try edited.apply([.patch("{\"Title\":\"secret 0\"}", "/One")])
        var counts: Set<Int> = []
        for number in 1..<200 {
            try edited.apply([.patch("{\"Title\":\"secret \(number)\"}", "/secret%20\(number - 1)")])
            if number > 1 { counts.insert(Self.objectCount(edited.bytes)) }
            #expect(Self.occurrences(of: "secret", in: edited.bytes) == 1)
        }
        #expect(counts.count == 1, "the objects grow: \(counts.sorted())")
        try edited.apply([.delete("/secret%20199")])
        #expect(Self.occurrences(of: "secret", in: edited.bytes) == 0)
        #expect(try Self.json(edited) == #"{"Rows":[{"Title":"Two","Children":["Three","Four"]},"Five"]}"#)
    }

    @Test("an object that others refer to stays when one of them goes")
    func shared() throws {
        // 0: the root; 1, 2: keys; 3: rows, in which one item and one title are shared.
        let document = BinaryDocument(
            [0xD1, 1, 3], [0x54] + "Rows".utf8, [0x55] + "Title".utf8, [0xA3, 4, 5, 6], [0xD2, 2, 1, 7, 8],
            [0xD1, 2, 9], [0xD1, 2, 9], [0x51] + "a".utf8, [0xA2, 5, 9], [0x51] + "b".utf8)
        var edited = try EditedText(document.bytes)
        #expect(
            try Self.json(edited)
                == #"{"Rows":[{"Title":"a","Rows":[{"Title":"b"},"b"]},{"Title":"b"},{"Title":"b"}]}"#)
        try edited.apply([.patch("{\"Title\":\"c\"}", "/b")])
        #expect(
            try Self.json(edited)
                == #"{"Rows":[{"Title":"a","Rows":[{"Title":"b"},"b"]},{"Title":"c"},{"Title":"b"}]}"#)
        try edited.apply([.delete("/a"), .delete("/b")])
        #expect(try Self.json(edited) == #"{"Rows":[{"Title":"c"}]}"#)
        #expect(Self.objectCount(edited.bytes) > 4, "it was written anew")
        #expect(Self.occurrences(of: "b", in: Array(edited.bytes.dropFirst(8))) == 0)
    }

    @Test("rows and sections move with all that is below them")
    func moved() throws {
        let rows = #"{"Title":"Rows","Children":[{"Title":"A","Note":"n"},"B"]}"#
        let named = #"{"Title":"Named","Sections":{"S":["C",{"Title":"D"}],"T":["E"]}}"#
        let listed = #"{"Title":"Listed","Sections":[["F"],{"Title":"U","Rows":["G","H"],"Footer":"f"}]}"#
        var edited = try EditedText(Self.binary("{\"Rows\":[\(rows),\(named),\(listed)]}"))
        try edited.apply([
            .move("/Rows/A", below: "/Named", .first), .move("/Listed/G", below: "/Rows"),
            .patch("{\"Note\":\"x\"}", "/Named/D"), .insert("\"I\"", "/Listed", section: 1),
            .move("/Named/E", below: "/Listed", .first),
        ])
        let expected = [
            #"{"Title":"Rows","Children":["B","G"]}"#,
            #"{"Title":"Named","Sections":{"S":["C",{"Title":"D","Note":"x"}],"T":[{"Title":"A","Note":"n"}]}}"#,
            #"{"Title":"Listed","Sections":[["F"],{"Title":"U","Rows":["E","H","I"],"Footer":"f"}]}"#,
        ]
        let found = try Self.json(edited)
        #expect(found == "{\"Rows\":[\(expected.joined(separator: ","))]}")
    }

    @Test("a document whose objects are not in the order of their numbers is written anew")
    func disordered() throws {
        // The array, object 2, is first in the file, at byte 8; the dictionary, object 0, is at byte 15.
        var document = BinaryDocument([0xA1, 3], [0x54] + "Rows".utf8, [0xD1, 1, 2], [0x51] + "a".utf8)
        document.offsets = [0: 15, 2: 8]
        var edited = try EditedText(document.bytes)
        #expect(try Self.json(edited) == #"{"Rows":["a"]}"#)
        try edited.apply([.insert("\"b\"", "/")])
        #expect(try Self.json(edited) == #"{"Rows":["a","b"]}"#)
        #expect(try edited.bytes == Self.binary(#"{"Rows":["a","b"]}"#))
    }

    @Test("a document that would need wider references is written anew")
    func exhausted() throws {
        // 256 objects are all that references of one byte can tell apart.
        var document = BinaryDocument([0xD1, 1, 2], [0x54] + "Rows".utf8)
        let titles = (3..<256).map { "t\($0)" }
        document.objects.append([0xAF, 0x10, UInt8(titles.count)] + (3..<256).map { UInt8($0) })
        document.objects += titles.map { [0x50 | UInt8($0.utf8.count)] + Array($0.utf8) }
        var edited = try EditedText(document.bytes)
        try edited.apply([.insert("\"new\"", "/")])
        let expected = "{\"Rows\":[" + (titles + ["new"]).map { "\"\($0)\"" }.joined(separator: ",") + "]}"
        #expect(try Self.json(edited) == expected)
        #expect(try edited.bytes == Self.binary(expected))
    }

    @Test("a document most of which goes is written anew")
    func shrunk() throws {
        let titles = (0..<4_000).map { "t\($0)" }
        func json(_ titles: ArraySlice<String>) -> String {
            "{\"Rows\":[{\"Title\":\"kept\"},{\"Title\":\"gone\",\"Children\":["
                + titles.map { "\"\($0)\"" }.joined(separator: ",") + "]}]}"
        }
        var edited = try EditedText(Self.binary(json(titles[...])))
        try edited.apply([.delete("/gone")])
        #expect(try edited.bytes == Self.binary(#"{"Rows":[{"Title":"kept"}]}"#))
    }

    @Test("a long document is given in pieces, with its objects moved")
    func long() throws {
        let text = String(repeating: "x", count: 100_000)
        let items = (0..<40).map { "{\"Title\":\"i\($0)\",\"Note\":\"\(text)\"}" }
        var edited = try EditedText(Self.binary("{\"Rows\":[\(items.joined(separator: ","))]}"))
        try edited.apply([
            .delete("/i3"), .patch("{\"Note\":null}", "/i20"), .insert("\"first\"", "/", .first), .delete("/i39"),
        ])
        let left = items.enumerated().filter { $0.offset != 3 && $0.offset != 39 }.map {
            $0.offset == 20 ? "{\"Title\":\"i20\"}" : $0.element
        }
        #expect(try Self.json(edited) == "{\"Rows\":[\((["\"first\""] + left).joined(separator: ","))]}")
        #expect(edited.bytes.count < 38 * 100_100)
    }
}

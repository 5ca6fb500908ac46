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
        // 0: the root; 1 and 2: keys; 3: the rows; 7: a title that all three items have.
        let document = BinaryDocument(
            [0xD1, 1, 3], [0x54] + "Rows".utf8, [0x55] + "Title".utf8, [0xA3, 4, 5, 6], [0xD1, 2, 7], [0xD1, 2, 7],
            [0xD1, 2, 7], [0x51] + "t".utf8)
        var edited = try EditedText(document.bytes)
        try edited.apply([.patch("{\"Title\":\"u\"}", "/t~2")])
        #expect(try Self.json(edited) == #"{"Rows":[{"Title":"t"},{"Title":"u"},{"Title":"t"}]}"#)
        // The root, its rows, the item and its title are new; the other items and their title are where they were.
        #expect(Self.objectCount(edited.bytes) == 12)
        try edited.apply([.delete("/t"), .delete("/t")])
        #expect(try Self.json(edited) == #"{"Rows":[{"Title":"u"}]}"#)
        #expect(Self.occurrences(of: "Qt", in: edited.bytes) == 0)
    }

    @Test("what nothing in a document refers to goes, with what only that refers to")
    func unused() throws {
        // 4: an array that nothing refers to, of a string that nothing else refers to.
        let document = BinaryDocument(
            [0xD1, 1, 2], [0x54] + "Rows".utf8, [0xA1, 3], [0x51] + "a".utf8, [0xA1, 5], [0x56] + "secret".utf8)
        var edited = try EditedText(document.bytes)
        try edited.apply([.insert("\"b\"", "/")])
        #expect(try Self.json(edited) == #"{"Rows":["a","b"]}"#)
        #expect(Self.occurrences(of: "secret", in: edited.bytes) == 0)
    }

    @Test("a text that hundreds of items share goes with the last of them")
    func sharedByMany() throws {
        var document = BinaryDocument([0xD1, 1, 2], [0x54] + "Rows".utf8)
        document.referenceWidth = 2
        func reference(_ number: Int) -> [UInt8] { BinaryDocument.bigEndian(UInt64(number), width: 2) }
        let items = 6..<306
        document.objects = [
            [0xD1] + reference(1) + reference(2), document.objects[1],
            [0xAF, 0x11, 1, 44] + items.flatMap(reference), [0x55] + Array("Title".utf8), [0x54] + Array("Note".utf8),
            [0x56] + Array("secret".utf8),
        ]
        for number in items {
            document.objects.append([0xD2] + [3, 4, number + 300, 5].flatMap(reference))
        }
        for number in items { document.objects.append([0x53] + Array("\(number + 100)".utf8)) }
        var edited = try EditedText(document.bytes)
        try edited.apply(items.dropLast().map { try Edit.patch("{\"Note\":null}", "/\($0 + 100)") })
        #expect(Self.occurrences(of: "secret", in: edited.bytes) == 1)
        try edited.apply([.patch("{\"Note\":null}", "/405")])
        #expect(Self.occurrences(of: "secret", in: edited.bytes) == 0)
        #expect(Self.objectCount(edited.bytes) > 606, "it was written anew")
    }

    @Test("a document that has a container more than once is written anew")
    func sharedContainer() throws {
        let document = BinaryDocument(
            [0xD1, 1, 3], [0x54] + "Rows".utf8, [0x55] + "Title".utf8, [0xA2, 4, 4], [0xD1, 2, 5], [0x51] + "a".utf8)
        var edited = try EditedText(document.bytes)
        try edited.apply([.patch("{\"Title\":\"b\"}", "/a")])
        let expected = #"{"Rows":[{"Title":"b"},{"Title":"a"}]}"#
        #expect(try Self.json(edited) == expected)
        #expect(try edited.bytes == Self.binary(expected))
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

    @Test("sections that no edit touches keep their objects, as do the fields of the others")
    func untouchedSections() throws {
        let sections = (0..<300).map {
            let rows = $0 % 3 == 0 ? "" : ",\"Rows\":[\"a\($0)\",\"b\($0)\"],\"Footer\":\"f\""
            return "{\"Title\":\"s\($0)\"\(rows)}"
        }
        let json = "{\"Sections\":[\(sections.joined(separator: ","))]}"
        let old = try Self.binary(json)
        var edited = try EditedText(old)
        try edited.apply([.put("\"new\"", "/a4")])
        let expected = json.replacing("\"a4\"", with: "\"new\"")
        #expect(try Self.json(edited) == expected)
        // The text, the array and the dictionary of its section, the sections and the root.
        #expect(Self.objectCount(edited.bytes) == Self.objectCount(old) + 5)
        try edited.apply([.move("/a5", below: "/", .before("b1")), .delete("/a7"), .delete("/b7")])
        let found = try Self.json(edited)
        #expect(
            found
                == expected.replacing("\"a5\",", with: "").replacing("\"a7\",\"b7\"", with: "")
                .replacing("\"b1\"", with: "\"a5\",\"b1\""))
        #expect(Self.objectCount(edited.bytes) < Self.objectCount(old) + 20)
    }

    @Test("named sections keep their order and what no edit touches")
    func untouchedNames() throws {
        let sections = (0..<100).map { "\"n\(99 - $0)\":[\"a\($0)\"]" }
        let json = "{\"Sections\":{\(sections.joined(separator: ","))}}"
        let old = try Self.binary(json)
        var edited = try EditedText(old)
        try edited.apply([.put("\"new\"", "/a42")])
        let found = try Self.json(edited)
        #expect(found == json.replacing("\"a42\"", with: "\"new\""))
        #expect(Self.objectCount(edited.bytes) == Self.objectCount(old) + 4)
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

    @Test("the number of an unused object is not taken if it is too high for a reference")
    func tooHigh() throws {
        var document = BinaryDocument([0xD1, 1, 2], [0x54] + "Rows".utf8, [0xA1, 3], [0x51] + "a".utf8)
        document.objects += (4..<300).map { _ in [0x09] }
        document.objects[2] = [0xAF, 0x10, 253] + (3..<256).map { UInt8($0) }
        document.objects = document.objects.enumerated().map { 3..<256 ~= $0 ? [0x53] + Array("\($0 + 100)".utf8) : $1 }
        var edited = try EditedText(document.bytes)
        try edited.apply([.insert("\"new\"", "/")])
        let titles = (3..<256).map { "\($0 + 100)" } + ["new"]
        let expected = "{\"Rows\":[" + titles.map { "\"\($0)\"" }.joined(separator: ",") + "]}"
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

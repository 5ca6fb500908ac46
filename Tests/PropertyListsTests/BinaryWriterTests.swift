import Bytes
import PropertyLists
import Testing

@Suite("The binary writer")
struct BinaryWriterTests {
    @Test("writes a container after its content, and a key and a truth value once")
    func layout() throws {
        var expected = BinaryDocument(
            [0x51, 0x61], [0x09], [0xD1] + references(0, 1), [0x61, 0, 0xE9], [0xD2] + references(0, 3, 1, 1),
            [0xA2] + references(2, 4))
        expected.root = 5
        expected.offsetWidth = 1
        expected.referenceWidth = 4
        #expect(try Format.binary.write([["a": true], ["a": true, "é": true]]) == expected.bytes)
    }

    @Test(
        "writes each value in the smallest form that Foundation and plistlib read",
        arguments: [
            (255, [0x10, 0xFF]),
            (256, [0x11, 1, 0]),
            (65_535, [0x11, 0xFF, 0xFF]),
            (65_536, [0x12, 0, 1, 0, 0]),
            (4_294_967_295, [0x12, 0xFF, 0xFF, 0xFF, 0xFF]),
            (4_294_967_296, [0x13, 0, 0, 0, 1, 0, 0, 0, 0]),
            (.integer(PropertyListInteger(Int64.max)), [0x13, 0x7F] + Array(repeating: 0xFF, count: 7)),
            (
                .integer(PropertyListInteger(UInt64.max)),
                [0x14] + Array(repeating: 0, count: 8) + Array(repeating: 0xFF, count: 8)
            ),
            (-1, [0x13] + Array(repeating: 0xFF, count: 8)),
            (.real(1.5), [0x23, 0x3F, 0xF8, 0, 0, 0, 0, 0, 0]),
            (.date(1.5), [0x33, 0x3F, 0xF8, 0, 0, 0, 0, 0, 0]),
            (.uid(255), [0x80, 0xFF]),
            (.uid(256), [0x81, 1, 0]),
            (.uid(65_535), [0x81, 0xFF, 0xFF]),
            (.uid(65_536), [0x83, 0, 1, 0, 0]),
            (.uid((1 << 32) - 1), [0x83, 0xFF, 0xFF, 0xFF, 0xFF]),
            (.uid(1 << 32), [0x87, 0, 0, 0, 1, 0, 0, 0, 0]),
            ("\u{1F40D}", [0x62, 0xD8, 0x3D, 0xDC, 0x0D]),
            (.data([9]), [0x41, 9]),
            (.string(String(repeating: "a", count: 14)), [0x5E] + Array(repeating: 0x61, count: 14)),
            (.string(String(repeating: "a", count: 15)), [0x5F, 0x10, 15] + Array(repeating: 0x61, count: 15)),
            ([], [0xA0]),
        ] as [(Tree, [UInt8])])
    func forms(value: Tree, object: [UInt8]) throws {
        var expected = BinaryDocument(object)
        expected.offsetWidth = 1
        expected.referenceWidth = 4
        #expect(try Format.binary.write(value) == expected.bytes)
    }

    @Test(
        "writes offsets in as many bytes as the last one needs",
        arguments: [(244, 1), (245, 2), (65_523, 2), (65_524, 4)])
    func offsetWidth(length: Int, width: UInt8) throws {
        // The header, a token, a count of two or three bytes, and the data are before the offset table.
        let bytes = try Format.binary.write(.data([UInt8](repeating: 7, count: length)))
        #expect(bytes[bytes.count - 26] == width)
        #expect(try Format.binary.read(bytes) == .data([UInt8](repeating: 7, count: length)))
    }

    @Test("may be drained between events")
    func draining() throws {
        var random = RandomTrees(seed: 5)
        let elements = (0..<50).map { _ in random.tree(depth: 3) }
        var writer = BinaryPropertyListWriter()
        var document: [UInt8] = []
        writer.beginArray(at: .byte(offset: 0))
        for element in elements {
            try element.tell(&writer)
            document += writer.output.span.indices.map { writer.output.span[$0] }
            writer.output.truncate(to: 0)
        }
        try writer.endArray()
        try writer.finish()
        document += writer.output.span.indices.map { writer.output.span[$0] }
        #expect(try document == Format.binary.write(.array(elements)))
    }

    @Test("distinguishes keys, however many and however long")
    func manyKeys() throws {
        let keys = (0..<3_000).map { "\($0 % 1_500)" + String(repeating: "k", count: $0 % 70) }
        let tree = Tree.array(keys.map { [$0: true] })
        #expect(try Format.binary.read(Format.binary.write(tree)) == tree)
    }

    private func references(_ numbers: UInt64...) -> [UInt8] {
        numbers.flatMap { BinaryDocument.bigEndian($0, width: 4) }
    }
}

import PropertyLists
import Testing

@Suite("The binary reader")
struct BinaryReaderTests {
    @Test(
        "reads every type in every width",
        arguments: [
            ([0x08], false),
            ([0x09], true),
            ([0x0F], .data([])),
            ([0x10, 0xFE], 254),
            ([0x11, 0xFE, 0xDC], 0xFEDC),
            ([0x12, 0xFE, 0xDC, 0xBA, 0x98], 0xFEDC_BA98),
            ([0x13, 0xFE, 0xDC, 0xBA, 0x98, 0x76, 0x54, 0x32, 0x10], -0x123_4567_89AB_CDF0),
            ([0x13, 0x7F] + Array(repeating: 0xFF, count: 7), .integer(PropertyListInteger(Int64.max))),
            (
                [0x14] + Array(repeating: 0, count: 8) + Array(repeating: 0xFF, count: 8),
                .integer(PropertyListInteger(UInt64.max))
            ),
            (
                [0x14] + Array(repeating: 0xFF, count: 8) + [0x80, 0, 0, 0, 0, 0, 0, 0],
                .integer(PropertyListInteger(Int64.min))
            ),
            ([0x22, 0x3F, 0xC0, 0, 0], .real(1.5)),
            ([0x23, 0xBF, 0xF8, 0, 0, 0, 0, 0, 0], .real(-1.5)),
            ([0x23, 0x80, 0, 0, 0, 0, 0, 0, 0], .real(-0.0)),
            ([0x33, 0x41, 0, 0, 0, 0, 0, 0, 0], .date(131_072)),
            ([0x40], .data([])),
            ([0x43, 1, 2, 3], .data([1, 2, 3])),
            ([0x50], ""),
            ([0x53, 0x61, 0x62, 0x63], "abc"),
            ([0x5F, 0x10, 0x03, 0x61, 0x62, 0x63], "abc"),
            ([0x5F, 0x13, 0, 0, 0, 0, 0, 0, 0, 3, 0x61, 0x62, 0x63], "abc"),
            ([0x62, 0xD8, 0x3D, 0xDC, 0x0D], "\u{1F40D}"),
            ([0x64, 0, 0x61, 0, 0xE9, 0x67, 0x71, 0xFF, 0xFF], "aé東\u{FFFF}"),
            ([0x80, 7], .uid(7)),
            ([0x87, 0xFF, 0, 0, 0, 0, 0, 0, 0], .uid(0xFF00_0000_0000_0000)),
            ([0x8F] + Array(repeating: 0, count: 15) + [9], .uid(9)),
            ([0x88, 0] + Array(repeating: 0xFF, count: 8), .uid(.max)),
            ([0xA0], []),
            ([0xD0], .dictionary([])),
        ] as [([UInt8], Tree)])
    func types(object: [UInt8], value: Tree) throws {
        #expect(try Format.binary.read(BinaryDocument(object).bytes) == value)
    }

    @Test("reads offsets and references of every width", arguments: 1...8 as ClosedRange<UInt8>)
    func widths(width: UInt8) throws {
        let references = [UInt64](1...2).flatMap { BinaryDocument.bigEndian($0, width: Int(width)) }
        let document = BinaryDocument([0xD1] + references, [0x51, 0x41], [0x51, 0x42]).with {
            $0.offsetWidth = width
            $0.referenceWidth = width
        }
        #expect(try Format.binary.read(document.bytes) == ["A": "B"])
    }

    @Test("reports shared objects each time they appear")
    func sharing() throws {
        let document = BinaryDocument(
            [0xA5, 1, 2, 1, 2, 3], [0xA2, 2, 4], [0x51, 0x78], [0xD1, 2, 4], [0x10, 5])
        let pair: Tree = ["x", 5]
        #expect(try Format.binary.read(document.bytes) == [pair, "x", pair, "x", ["x": 5]])
    }

    @Test("reports the beginning of each container and key")
    func positions() throws {
        var recorder = TreeRecorder()
        let document = BinaryDocument([0xA2, 1, 1], [0xD1, 2, 3], [0x51, 0x78], [0x09])
        try Format.binary.read(.memory(document.bytes), limits: PropertyListLimits(), into: &recorder)
        #expect(recorder.positions == [8, 11, 14, 11, 14].map { .byte(offset: $0) })
    }

    @Test("reads a file in which one object is larger than its cache of pages, and refers back to the first")
    func cacheOverflow() throws {
        // 9 MiB between two numbers that stand 40 times in turn.
        let size = 9 << 20
        let data = [0x4F, 0x12] + BinaryDocument.bigEndian(UInt64(size), width: 4) + [UInt8](repeating: 7, count: size)
        let references = [UInt8](repeating: 0, count: 0) + (0..<40).map { $0 % 2 == 0 ? 1 : 3 }
        let document = BinaryDocument([0xAF, 0x10, 40] + references, [0x10, 1], data, [0x11, 1, 1]).with {
            $0.offsetWidth = 4
        }
        let numbers: [Tree] = (0..<40).map { $0 % 2 == 0 ? 1 : 257 }
        #expect(try Format.binary.read(document.bytes) == .array(numbers))
    }

    @Test("adds the byte offset to errors of the consumer, and the path to its own errors")
    func errors() throws {
        let broken = BinaryDocument([0xD1, 1, 2], [0x51, 0x78], [0xC0])
        #expect(
            Format.binary.refusal(of: broken.bytes)
                == "byte 13: in /x: sets (token 0xc0) are not supported; use an array")
        let document = BinaryDocument([0xA1, 1], [0x51, 0x07])
        var writer = XMLPropertyListWriter()
        let error = #expect(throws: PropertyListError.self) {
            try BinaryPropertyListReader.read(.memory(document.bytes), limits: PropertyListLimits(), into: &writer)
        }
        #expect(
            error?.description
                == "byte 10: the text contains U+0007, which XML cannot represent; use the binary format")
    }
}

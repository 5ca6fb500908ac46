import Bytes
import Testing

/// Numbers in groups of seven bits.
@Suite struct LEB128Tests {
    private static let samples: [(UInt64, [UInt8])] = [
        (0, [0]), (1, [1]), (0x7F, [0x7F]), (0x80, [0x80, 0x01]), (300, [0xAC, 0x02]), (0x3FFF, [0xFF, 0x7F]),
        (0x4000, [0x80, 0x80, 0x01]), (1 << 63, Array(repeating: 0x80, count: 9) + [0x01]),
        (.max, Array(repeating: 0xFF, count: 9) + [0x01]),
    ]

    @Test("A number has one byte for each seven bits, the lowest first", arguments: samples)
    func write(_ number: UInt64, _ bytes: [UInt8]) {
        var buffer = ByteBuffer()
        buffer.append(leb128: number)
        #expect(buffer.span.indices.map { buffer.span[$0] } == bytes)
    }

    @Test("A number is read back, and the offset moves past it", arguments: samples)
    func read(_ number: UInt64, _ bytes: [UInt8]) {
        var offset = 1
        let run = [0xFF] + bytes + [0xFF]
        #expect(run.span.leb128(at: &offset) == number)
        #expect(offset == bytes.count + 1)
    }
}

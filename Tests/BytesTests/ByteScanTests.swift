import Bytes
import Testing

/// Bytes that are searched and tested eight or sixteen at a time, against one at a time.
@Suite struct ByteScanTests {
    @Test("The first marked byte is found from any start, whatever follows it", arguments: 0...20)
    func first(length: Int) {
        for place in 0...length {
            var bytes = [UInt8](repeating: 0x41, count: length)
            for marked in place..<length { bytes[marked] = marked % 2 == 0 ? 0x0A : 0x1F }
            for start in 0...length {
                let found = ByteScan.index(in: bytes.span, from: start) { ByteScan.controls($0) }
                #expect(found == max(start, place))
                let feed = bytes[start...].firstIndex(of: 0x0A) ?? length
                #expect(ByteScan.index(in: bytes.span, from: start) { ByteScan.equal($0, 0x0A) } == feed)
            }
            #expect(ByteScan.any(in: bytes.span, where: ByteScan.controls) == (place < length))
        }
    }

    @Test("Bytes are ASCII up to 0x7F, wherever they are", arguments: 0..<20)
    func ascii(place: Int) {
        for byte in [0, 0x20, 0x7F, 0x80, 0xC3, 0xFF] as [UInt8] {
            for length in place + 1...20 {
                var bytes = [UInt8](repeating: 0x61, count: length)
                bytes[place] = byte
                let isASCII = ByteScan.isASCII(bytes.span)
                #expect(isASCII == (byte < 0x80))
            }
        }
        let isEmptyASCII = ByteScan.isASCII(Span())
        #expect(isEmptyASCII)
    }

    @Test("A word of a few bytes has the first lowest, and zeros after the last", arguments: 1...7)
    func words(count: Int) {
        let bytes: [UInt8] = [9, 1, 2, 3, 4, 5, 6, 7, 8]
        let expected = (0..<count).reduce(0 as UInt64) { $0 | UInt64($1 + 1) << UInt64(8 * $1) }
        #expect(ByteScan.word(of: bytes.span, at: 1, count: count) == expected)
        #expect(ByteScan.word(of: bytes.span, at: 1) == 0x0807_0605_0403_0201)
        #expect(bytes.span.bigEndianWord(at: 1) == 0x0102_0304_0506_0708)
    }

    @Test("Sixteen bytes are compared at once, and the first of those that match is named", arguments: 0...16)
    func vectors(place: Int) {
        var lanes = SIMD16<UInt8>(repeating: 0x1F)
        for lane in place..<16 { lanes[lane] = [0x20, 0x7F, 0x80, 0xFF][lane % 4] }
        #expect(lanes.atLeast(0x20).firstMarked == place)
        #expect(lanes.equal(to: 0x1F).firstMarked == (place == 0 ? 16 : 0))
        #expect((~lanes.equal(to: 0x1F) & 0x80).firstMarked == place)
        #expect(lanes.atLeast(0x80).firstMarked == ((place..<16).first { $0 % 4 > 1 } ?? 16))
    }

    @Test("A set of characters has those of its bits, and no byte above 0x7F")
    func sets() {
        let set = AsciiSet(low: 1 | 1 << 63, high: 1 | 1 << 63)
        #expect((UInt8.min...UInt8.max).filter(set.contains) == [0, 0x3F, 0x40, 0x7F])
    }
}

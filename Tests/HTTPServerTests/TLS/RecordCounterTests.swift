import Testing

@testable import HTTPServer

@Suite("Records of TLS")
struct RecordCounterTests {
    private static func record(_ type: UInt8, _ size: Int) -> [UInt8] {
        [type, 3, 3, UInt8(size >> 8), UInt8(size & 0xFF)] + [UInt8](repeating: 0xFF, count: size)
    }

    @Test("are counted once they are whole, however they arrive", arguments: [1, 2, 3, 4, 5, 6, 7, 300, 5000])
    func pieces(of size: Int) {
        let stream =
            Self.record(22, 70) + Self.record(23, 1) + Self.record(23, 300) + Self.record(23, 0) + [23, 3, 3, 0]
        var counter = RecordCounter()
        for start in stride(from: 0, to: stream.count, by: size) {
            unsafe stream[start..<min(start + size, stream.count)].withUnsafeBytes { unsafe counter.take($0) }
        }
        #expect(counter.bytes == 301 && counter.count == 3)
        counter.reset()
        #expect(counter.bytes == 0 && counter.count == 0)
        // The header that has begun goes on.
        for piece: [UInt8] in [[2], [0], [0]] { unsafe piece.withUnsafeBytes { unsafe counter.take($0) } }
        #expect(counter.bytes == 2 && counter.count == 1)
    }
}

import ContentCodings
import Foundation
import Testing

@testable import TestSupport

/// The encoders' output, which is always the same.
@Suite struct EncoderTests {
    /// Bytes that follow from a seed: words that repeat, as a level has them, or noise.
    private static func body(_ count: Int, noise: Bool = false) -> [UInt8] {
        var state: UInt64 = 1
        let words = ["{\"key\":\"", "\",\"version\":\"", "Ångström", "\",\"leaf\":true,", "}, "].map { Array($0.utf8) }
        var bytes: [UInt8] = []
        while bytes.count < count {
            state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
            if noise {
                bytes.append(UInt8(truncatingIfNeeded: state >> 33))
            } else {
                bytes += words[Int(state >> 33) % 5]
            }
        }
        return Array(bytes[..<count])
    }

    private static func encode(_ body: [UInt8], _ coding: ContentCoding) -> [UInt8] {
        var coded: [UInt8] = []
        let isWhole = coding.encode(body.span) { for index in $0.indices { coded.append($0[index]) } }
        #expect(isWhole)
        return coded
    }

    private static func encode<Encoder: ContentEncoder & ~Copyable>(
        _ pieces: [[UInt8]], _ encoder: consuming Encoder
    ) -> [UInt8] {
        var encoder = encoder
        var coded: [UInt8] = []
        for (number, piece) in pieces.enumerated() {
            let isWell = encoder.encode(piece.span, isLast: number == pieces.count - 1) {
                for index in $0.indices { coded.append($0[index]) }
            }
            #expect(isWell)
        }
        return coded
    }

    @Test("A coded body decodes to the original", arguments: ContentCoding.allCases)
    func roundTrip(_ coding: ContentCoding) {
        for count in [0, 1, 2, 100, 1_023, 1_024, 32_767, 32_768, 32_769, 300_000, 2_000_000] {
            for noise in [false, true] {
                let body = Self.body(count, noise: noise)
                #expect(Decoder.decode(Self.encode(body, coding), coding) == body, "\(count) bytes, noise \(noise)")
            }
        }
    }

    @Test("Bodies coded one after the other and at once, in memory used before, equal those coded alone")
    func reusedMemory() async {
        let bodies = [3_000, 90_000, 1_024, 400_000, 5_000].map { Self.body($0) } + [Self.body(60_000, noise: true)]
        let cases = bodies.flatMap { body in [ContentCoding.gzip, .brotli].map { (body, $0) } }
        let expected = cases.map { Self.encode($0, $1) }
        await withTaskGroup(of: [[UInt8]].self) { group in
            for shift in 0..<8 {
                group.addTask {
                    let turned = cases[shift...] + cases[..<shift]
                    let coded = turned.map { Self.encode($0, $1) }
                    return Array(coded[(cases.count - shift)...] + coded[..<(cases.count - shift)])
                }
            }
            for await coded in group { #expect(coded == expected) }
        }
    }

    @Test("A text of many words becomes less than half of its size", arguments: [ContentCoding.gzip, .brotli])
    func smaller(_ coding: ContentCoding) {
        for count in [1_024, 100_000] { #expect(Self.encode(Self.body(count), coding).count < count / 2) }
    }

    @Test("A gzip header contains neither a time nor a system")
    func gzipHeader() {
        #expect(Self.encode(Self.body(2_000), .gzip)[..<10] == [0x1F, 0x8B, 8, 0, 0, 0, 0, 0, 0, 255])
    }

    @Test("The codings have the names that the registry gives them")
    func tokens() {
        #expect(ContentCoding.allCases.map(\.token) == ["identity", "gzip", "br"])
    }

    @Test("A body coded in pieces, empty ones among them, decodes to the original, and is the same each time")
    func pieces() {
        let pieces = [Self.body(70_000), [], Self.body(1), Self.body(65_536, noise: true), Self.body(500), []]
        let body = Array(pieces.joined())
        let (gzip, brotli) = (Self.encode(pieces, GzipEncoder()), Self.encode(pieces, BrotliEncoder()))
        #expect(Decoder.decode(gzip, .gzip) == body)
        #expect(Decoder.decode(brotli, .brotli) == body)
        #expect(Self.encode(pieces, GzipEncoder()) == gzip)
        #expect(Self.encode(pieces, BrotliEncoder()) == brotli)
    }

    @Test("An abandoned encoder frees its memory")
    func givenUp() throws {
        func residentPages() throws -> Int {
            let fields = try String(contentsOfFile: "/proc/self/statm", encoding: .utf8).split(separator: " ")
            return try #require(Int(fields[1]))
        }
        let (short, long) = (Self.body(1_000), Self.body(70_000))
        let pages = try (0..<5).map { _ in
            // Kept, these take 90 KB each, and the others more than a megabyte.
            for _ in 0..<2_000 {
                var encoder = GzipEncoder()
                _ = encoder.encode(short.span, isLast: false) { _ in }
            }
            for _ in 0..<200 {
                var encoder = BrotliEncoder()
                _ = encoder.encode(long.span, isLast: false) { _ in }
            }
            return try residentPages()
        }
        // A sanitizer keeps some freed memory, and other tests take some meanwhile, but not in each round.
        let growth = zip(pages.dropFirst(), pages).map { $0 - $1 }
        #expect(try #require(growth.min()) < 100 << 20 / 4_096)
    }
}

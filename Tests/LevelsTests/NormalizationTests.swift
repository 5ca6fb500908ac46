import CUTF8Proc
import Glibc
import Testing

@testable import Levels
@testable import TestDocuments

/// Texts in NFC: as utf8proc makes them, and without its cost for long runs of marks.
@Suite struct NormalizationTests {
    @Test("Every character gives the result of utf8proc, alone and with marks around it")
    func everyCharacter() throws {
        var text = String.UnicodeScalarView()
        for value in 0...0x10FFFF as ClosedRange<UInt32> {
            guard let scalar = Unicode.Scalar(value) else { continue }
            text.append(contentsOf: [scalar, "\u{301}", scalar, "\u{316}", "a"])
            guard value & 0x3FF == 0x3FF else { continue }
            try expectAgreement(String(text), "up to U+\(String(value, radix: 16))")
            text = String.UnicodeScalarView()
        }
    }

    @Test("Random texts of letters, marks, jamo and compatibility characters give the result of utf8proc")
    func randomTexts() throws {
        for seed in 0..<4_000 as Range<UInt64> {
            var random = SeededGenerator(seed: seed)
            var text = String.UnicodeScalarView()
            for _ in 0..<random.below(60) { text.append(Self.scalar(&random)) }
            try expectAgreement(String(text), "seed \(seed)")
        }
    }

    private static let ranges: [ClosedRange<UInt32>] = [
        0x41...0x7A, 0xC0...0x17F, 0x300...0x36F, 0x300...0x345, 0x591...0x5C7, 0x64B...0x65F, 0x900...0xDFF,
        0xF71...0xF84, 0x1100...0x11FF, 0xAC00...0xAD00, 0x1E00...0x1FFF, 0x2126...0x212B, 0x3041...0x30FF,
        0xF900...0xFAFF, 0xFB1D...0xFB4F, 0x110BA...0x110BA, 0x1D15E...0x1D1C0, 0x2F800...0x2FA1D,
    ]

    private static func scalar(_ random: inout SeededGenerator) -> Unicode.Scalar {
        let range = ranges[random.below(ranges.count)]
        return Unicode.Scalar(range.lowerBound + UInt32(random.below(range.count))) ?? "x"
    }

    @Test("A long run of marks is ordered by their classes, and within a class by position")
    func longRun() throws {
        // Two classes in turn, the higher one first, and two marks of the lower one: exchanging neighbours would take
        // four hundred million steps.
        let count = 20_000
        let pairs = (0..<count).map { $0.isMultiple(of: 2) ? "\u{301}\u{316}" : "\u{301}\u{317}" }
        let lower = (0..<count).map { $0.isMultiple(of: 2) ? "\u{316}" : "\u{317}" }
        let key =
            Array("á".utf8) + Array(lower.joined().utf8) + Array(String(repeating: "\u{301}", count: count - 1).utf8)
        let title = "a" + pairs.joined()
        #expect(NormalizationFormC.text(of: Array(title.utf8).span) == key)
        let level = try #require(try Document.tree("[\"\(title)\"]").document.child(0))
        #expect(Array(level.key(0).utf8) == key)
        #expect(try ItemPath(Array("/\(title)/".utf8).span).key(0) == level.key(0))
    }

    @Test("Text that is not valid UTF-8 is left as it is", arguments: [[0xFF], [0x61, 0xCC], [0xED, 0xA0, 0x80]])
    func invalid(_ bytes: [UInt8]) { #expect(NormalizationFormC.text(of: bytes.span) == bytes) }

    private func expectAgreement(_ text: String, _ comment: Comment) throws {
        let bytes = Array(text.utf8)
        let expected = try Self.mapped(bytes)
        #expect(NormalizationFormC.text(of: bytes.span) == expected, comment)
    }

    /// What `utf8proc_map` gives.
    private static func mapped(_ text: [UInt8]) throws -> [UInt8] {
        let options = utf8proc_option_t(rawValue: UTF8PROC_STABLE.rawValue | UTF8PROC_COMPOSE.rawValue)
        var result: UnsafeMutablePointer<UInt8>?
        let count = unsafe utf8proc_map(text, text.count, &result, options)
        defer { unsafe free(result) }
        try #require(count >= 0)
        return unsafe Array(UnsafeBufferPointer(start: result, count: count))
    }
}

import Bytes
import Testing

/// Finding bytes, and parts between them.
@Suite struct PartsTests {
    private static func parts(_ text: String) -> [String] {
        var parts: [String] = []
        text.utf8Span.span.forEachPart(dividedBy: UInt8(ascii: "&")) { part in
            parts.append(String(decoding: part.indices.map { part[$0] }, as: UTF8.self))
        }
        return parts
    }

    @Test(
        "Parts are what is between separators; empty ones are skipped",
        arguments: [
            ("", []), ("&", []), ("&&&", []), ("a", ["a"]), ("a&b", ["a", "b"]), ("&a&&b&", ["a", "b"]),
            (" a & b ", [" a ", " b "]), ("\"a&b\"", ["\"a", "b\""]), ("é&\u{0}", ["é", "\u{0}"]),
        ])
    func parts(_ text: String, _ parts: [String]) { #expect(Self.parts(text) == parts) }

    @Test("The error of the first part that throws one is thrown on, and no part follows")
    func error() {
        struct Refused: Error {}
        var visits = 0
        #expect(throws: Refused.self) {
            try "a&b&c".utf8Span.span.forEachPart(dividedBy: UInt8(ascii: "&")) { _ in
                visits += 1
                if visits == 2 { throw Refused() }
            }
        }
        #expect(visits == 2)
        #expect(throws: Refused.self) {
            try "a".utf8Span.span.forEachPart(dividedBy: UInt8(ascii: "&")) { _ in throw Refused() }
        }
    }

    @Test(
        "A run is found wherever it is, and an empty one everywhere",
        arguments: [("abc", "bc", true), ("abc", "ac", false), ("abc", "", true), ("", "", true), ("", "a", false)])
    func contains(_ text: String, _ wanted: String, _ isFound: Bool) {
        let found = text.utf8Span.span.contains(wanted.utf8Span.span)
        #expect(found == isFound)
    }

    private static func index(of byte: UInt8, in text: String) -> Int { text.utf8Span.span.index(of: byte) }

    @Test(
        "The index of a byte is that of the first one, or the count",
        arguments: [("", 0), ("=", 0), ("a=b=c", 1), ("abc", 3), ("é=", 2)])
    func index(_ text: String, _ index: Int) { #expect(Self.index(of: UInt8(ascii: "="), in: text) == index) }
}

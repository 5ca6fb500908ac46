import Bytes
import HTTPFields
import Testing

/// Tokens with weights, as in `Accept-Encoding` (RFC 9110, sections 5.6.2, 12.4.2 and 12.5.3).
@Suite struct WeightedTokenTests {
    private struct Reading: Equatable {
        var tokens: [String] = []
        var isWellFormed = true
    }

    private static func reading(_ line: String) -> Reading {
        var reading = Reading()
        reading.isWellFormed = line.utf8Span.span.forEachWeightedToken { token, quality in
            reading.tokens.append("\(String(token)) \(quality)")
        }
        return reading
    }

    @Test(
        "A line is its tokens, each with its weight in thousandths",
        arguments: [
            ("", []), (" ,\t,, ", []), ("gzip", ["gzip 1000"]),
            ("gzip, deflate, br", ["gzip 1000", "deflate 1000", "br 1000"]),
            ("BR;q=0.5,*;q=0", ["BR 500", "* 0"]), ("\tbr\t;\tQ=1.\t,", ["br 1000"]),
            (",,a;q=0.001,,b", ["a 1", "b 1000"]),
            ("!#$%&'*+-.^_`|~09azAZ", ["!#$%&'*+-.^_`|~09azAZ 1000"]), ("a;q=0.000", ["a 0"]),
        ])
    func tokens(_ line: String, _ tokens: [String]) {
        #expect(Self.reading(line) == Reading(tokens: tokens, isWellFormed: true))
    }

    @Test(
        "A malformed element is told, and what follows is not read",
        arguments: [
            "b;", "b;q", "b;q=", "b;q=2", "b;q=1.5", "b;q=0.1234", "b;q=1.0000", "b;q=-1", "b;q=.5", "b;x=1",
            "b;q=1;x=2",
            "b c", "b; q =1", "b;q= 1", "\"b\"", "\"b", "b/c", "=", ";q=1", "b\u{0}", "é", "bÿ", "b=1", "(b)",
            "b;q=0.5x",
            "b;;q=1", "b;q=10", "b:", "{b}", "b\u{7F}", "@", "[b]",
        ])
    func malformed(_ element: String) {
        let expected = Reading(tokens: ["a 500"], isWellFormed: false)
        #expect(Self.reading("a;q=0.5, \(element)") == expected)
        #expect(Self.reading("a;q=0.5, \(element), d") == expected)
    }

    @Test("A token is made of the 77 characters that RFC 9110 lists, and no other byte")
    func characters() {
        let allowed = Set("!#$%&'*+-.^_`|~0123456789abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ".utf8)
        #expect(Set((0...UInt8.max).filter { AsciiSet.token.contains($0) }) == allowed)
        #expect(allowed.count == 77)
    }
}

import Bytes
import Testing

/// Runs without the blank bytes around them.
@Suite struct TrimmingTests {
    @Test(
        "Blank bytes at both ends are left out, those between stay",
        arguments: [
            ("a", "a"), ("  a b  ", "a b"), ("a  ", "a"), ("  a", "a"), ("", ""), ("   ", ""), ("\ta ", "\ta"),
        ])
    func trimmed(_ text: String, _ rest: String) {
        let span = text.utf8Span.span
        #expect(String(utf8: span.trimmed(from: 0, to: span.count) { $0 == 0x20 }) == rest)
    }

    @Test("Only the bytes between the indices are looked at")
    func bounds() {
        let span = "a ; b ; c".utf8Span.span
        #expect(String(utf8: span.trimmed(from: 3, to: 6) { $0 == 0x20 }) == "b")
        #expect(String(utf8: span.trimmed(from: 5, to: 5) { $0 == 0x20 }) == "")
    }
}

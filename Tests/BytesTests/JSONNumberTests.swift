import Bytes
import Testing

@Suite("The form of a JSON number") struct JSONNumberTests {
    private static let alphabet = Array("-+.eE019x".utf8)

    /// All texts of a length over the alphabet.
    private static func texts(length: Int) -> [[UInt8]] {
        length == 0 ? [[]] : texts(length: length - 1).flatMap { text in alphabet.map { text + [$0] } }
    }

    @Test("is that of the grammar, for all short texts", arguments: 0...4)
    func short(length: Int) {
        let number = /-?(?:0|[1-9][0-9]*)((?:\.[0-9]+)?(?:[eE][+\-]?[0-9]+)?)/
        for text in Self.texts(length: length) {
            let shown = String(decoding: text, as: UTF8.self)
            let form = shown.wholeMatch(of: number).map { $0.1.isEmpty ? JSONNumberForm.integer : .real }
            #expect(text.span.jsonNumberForm == form, "\(shown)")
        }
    }

    @Test(
        "of long texts",
        arguments: [
            ("-12345678901234567890123", .integer), ("0.10e+100", .real), ("1e", nil), ("1.e5", nil), ("1.5.5", nil),
            ("-", nil), ("1 ", nil), ("1e5x", nil),
        ] as [(String, JSONNumberForm?)])
    func long(text: String, form: JSONNumberForm?) { #expect(text.utf8Span.span.jsonNumberForm == form) }
}

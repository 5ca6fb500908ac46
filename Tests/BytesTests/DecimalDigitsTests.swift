import Bytes
import Testing

/// Numbers in decimal digits.
@Suite struct DecimalDigitsTests {
    private static func number(_ text: String) -> Int? { Int(digits: text.utf8Span.span) }

    @Test(
        "Digits are a number, leading zeros or not",
        arguments: [
            ("0", 0), ("7", 7), ("300", 300), ("0007", 7), ("9223372036854775807", .max),
            (String(repeating: "0", count: 10_000) + "12", 12),
        ])
    func number(_ text: String, _ number: Int) { #expect(Self.number(text) == number) }

    @Test(
        "Anything else is not a number",
        arguments: [
            "", " ", "+1", "-1", "1 ", " 1", "1.0", "0x1", "1e3", "\u{661}", "/", ":", "9223372036854775808",
            "99999999999999999999", "1" + String(repeating: "0", count: 10_000),
        ])
    func none(_ text: String) { #expect(Self.number(text) == nil) }
}

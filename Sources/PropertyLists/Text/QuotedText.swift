/// A text from a document, a file name, a URL or a query as a message shows it: on one line, short, and harmless to a
/// terminal.
///
/// Control characters, line separators, noncharacters and the characters that turn the direction of writing round
/// (UAX #9, section 2) are shown as `\u{1B}`; what is left out at the end as `…`. Any other text is shown as it is.
public struct QuotedText: CustomStringConvertible, Sendable, Equatable {
    public let description: String

    /// How many characters of a name, a title or a value are shown.
    public static let mostCharacters = 80
    /// How many characters of a path or a URL are shown: all that Linux opens (`PATH_MAX`).
    public static let mostPathCharacters = 4_096

    /// A character of more scalars than this, on the average, is nothing that anyone reads.
    private static let scalarsPerCharacter = 8

    public init(_ text: some StringProtocol, most: Int = mostCharacters) {
        if text.utf8.count <= most, text.utf8.allSatisfy({ (0x20..<0x7F).contains($0) }) {
            description = String(text)
            return
        }
        // A character may be of any number of scalars, which are not all read to find its end.
        var scalars = String.UnicodeScalarView()
        scalars.append(contentsOf: text.unicodeScalars.prefix(most * Self.scalarsPerCharacter))
        let shown = String(scalars).prefix(most)
        var escaped = ""
        for scalar in shown.unicodeScalars {
            if Self.isEscaped(scalar) {
                escaped += "\\u{\(String(scalar.value, radix: 16, uppercase: true))}"
            } else {
                escaped.unicodeScalars.append(scalar)
            }
        }
        description = shown.utf8.count < text.utf8.count ? escaped + "…" : escaped
    }

    /// The same of UTF-8, of which only the beginning is looked at; a faulty sequence becomes U+FFFD.
    public init(utf8 bytes: Span<UInt8>, most: Int = mostCharacters) {
        // Four bytes a scalar, and one scalar more, which tells that something is left out.
        let enough = (most * Self.scalarsPerCharacter + 1) * 4
        self.init(String(utf8: bytes.extracting(first: enough)), most: most)
    }

    /// Whether a text is shown as it is.
    public static func isPlain(_ text: some StringProtocol) -> Bool {
        !text.unicodeScalars.contains(where: isEscaped)
    }

    private static func isEscaped(_ scalar: Unicode.Scalar) -> Bool {
        switch scalar.value {
        case 0..<0x20, 0x7F..<0xA0: true
        // Line and paragraph separator, then embeddings and overrides, and isolates.
        case 0x2028, 0x2029, 0x202A...0x202E, 0x2066...0x2069: true
        // Invisible, or no character at all.
        case 0xFEFF, 0xFFF9...0xFFFB, 0xFDD0...0xFDEF: true
        case let value: value & 0xFFFE == 0xFFFE
        }
    }
}

extension DefaultStringInterpolation {
    /// A name, a title or a value from outside: at most 80 characters of it.
    public mutating func appendInterpolation(quoted text: some StringProtocol) {
        appendLiteral(QuotedText(text).description)
    }

    /// The same of UTF-8.
    public mutating func appendInterpolation(quoted bytes: Span<UInt8>) {
        appendLiteral(QuotedText(utf8: bytes).description)
    }

    /// A path or a URL from outside, which is shown whole, since people and editors go where it says.
    public mutating func appendInterpolation(path text: some StringProtocol) {
        appendLiteral(QuotedText(text, most: QuotedText.mostPathCharacters).description)
    }
}

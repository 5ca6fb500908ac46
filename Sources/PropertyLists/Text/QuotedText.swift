import Bytes

/// Text from a document, a file name, a URL or a query, quoted for a message: on one line, short, and harmless to a
/// terminal.
///
/// Control characters, line separators, noncharacters and bidirectional formatting characters (UAX #9, section 2) are
/// shown in the form `\u{1B}`. An omitted end is shown as `…`. Any other text is unchanged.
public struct QuotedText: CustomStringConvertible, Sendable, Equatable {
    /// The text as a message shows it, without quotation marks around it.
    public let description: String

    /// The maximum number of characters of a name, a title or a value.
    public static let mostCharacters = 80
    /// The maximum number of characters of a path or a URL: the length that Linux allows (`PATH_MAX`).
    public static let mostPathCharacters = 4_096

    /// The maximum average number of scalars per character. Text with more is not legible anyway.
    private static let scalarsPerCharacter = 8

    /// - Parameters:
    ///   - text: the text; only its beginning is read.
    ///   - most: the maximum number of characters shown.
    public init(text: some StringProtocol, most: Int = mostCharacters) {
        if text.utf8.count <= most, text.utf8.allSatisfy({ (0x20..<0x7F).contains($0) }) {
            description = String(text)
            return
        }
        // A character may have any number of scalars, so only a limited number is read.
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

    /// Creates a quoted text from UTF-8. An invalid sequence becomes U+FFFD.
    public init(utf8 bytes: Span<UInt8>, most: Int = mostCharacters) {
        // A scalar has up to four bytes. One more scalar is read, so that an omitted end is noticed.
        let enough = (most * Self.scalarsPerCharacter + 1) * 4
        self.init(text: String(utf8: bytes.extracting(first: enough)), most: most)
    }

    /// Whether a text contains only characters that are shown unchanged.
    public static func isPlain(_ text: some StringProtocol) -> Bool {
        !text.unicodeScalars.contains(where: isEscaped)
    }

    private static func isEscaped(_ scalar: Unicode.Scalar) -> Bool {
        switch scalar.value {
        case 0..<0x20, 0x7F..<0xA0: true
        // Line and paragraph separator, then embeddings and overrides, and isolates.
        case 0x2028, 0x2029, 0x202A...0x202E, 0x2066...0x2069: true
        // Invisible characters and noncharacters.
        case 0xFEFF, 0xFFF9...0xFFFB, 0xFDD0...0xFDEF: true
        case let value: value & 0xFFFE == 0xFFFE
        }
    }
}

extension DefaultStringInterpolation {
    /// Quotes at most 80 characters of a name, a title or a value from outside.
    public mutating func appendInterpolation(quoted text: some StringProtocol) {
        appendLiteral(QuotedText(text: text).description)
    }

    /// Quotes at most 80 characters of a name, a title or a value from outside, in UTF-8.
    public mutating func appendInterpolation(quoted bytes: Span<UInt8>) {
        appendLiteral(QuotedText(utf8: bytes).description)
    }

    /// Quotes a path or a URL from outside in full, because users open the path or URL.
    public mutating func appendInterpolation(path text: some StringProtocol) {
        appendLiteral(QuotedText(text: text, most: QuotedText.mostPathCharacters).description)
    }
}

/// A count with its noun, for messages: `1 item`, `0 items`, `12 items`.
public struct Quantity: Sendable, CustomStringConvertible {
    /// The number.
    public let count: Int
    private let noun: String

    /// - Parameter noun: the noun in the singular; its plural must end in `s`.
    public init(count: Int, noun: String) {
        self.count = count
        self.noun = noun
    }

    /// The number, a space and the noun, in the plural unless the number is 1.
    public var description: String { count == 1 ? "1 \(noun)" : "\(count) \(noun)s" }
}

import PropertyLists

/// A text from a request as a sentence shows it: in quotes, and cut if it is long.
struct Quoted: CustomStringConvertible {
    private let text: String

    /// How many characters of a text are shown.
    private static let limit = 80

    init(_ text: String) { self.text = text }

    init(_ text: Span<UInt8>) {
        // A character has at most four bytes: no more than can be shown is decoded.
        self.init(String(utf8: text.extracting(0..<Swift.min(text.count, 4 * Self.limit + 4))))
    }

    var description: String {
        let start = text.unicodeScalars.prefix(Self.limit)
        return start.endIndex == text.endIndex ? "'\(text)'" : "'\(String(start))…'"
    }
}

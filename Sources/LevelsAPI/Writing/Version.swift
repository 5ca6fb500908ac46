import Bytes
import Levels
import PropertyLists

/// Hashes as text in base64url without padding (RFC 4648, section 5). URLs, JSON and XML contain this text unescaped.
enum Version {
    /// The number of characters in the version of a level or a detail, which is a 128-bit hash.
    static let width = 22
    /// The number of characters in the version of a row, which is 48 bits of a hash.
    static let shortWidth = 8
    /// The number of characters of a word, which is 64 bits.
    static let wordWidth = 11

    /// The text in place of a version until it is known.
    static var placeholder: StaticString { "----------------------" }
    /// The text in place of a row's version until it is known.
    static var shortPlaceholder: StaticString { "--------" }

    static func short(_ hash: UInt64) -> String {
        String(decoding: (0..<shortWidth).map { character(hash, digit: shortWidth - 1 - $0) }, as: UTF8.self)
    }

    /// The version of a level or a detail.
    static func text(_ hash: ContentHash) -> String {
        String(decoding: (0..<width).map { character(of: hash, at: $0) }, as: UTF8.self)
    }

    /// The character of a version at an index. Each half of the hash has eleven characters.
    @inline(__always)
    static func character(of hash: ContentHash, at index: Int) -> UInt8 {
        index < wordWidth
            ? character(hash.high, digit: wordWidth - 1 - index)
            : character(hash.low, digit: 2 * wordWidth - 1 - index)
    }

    struct Words: Hashable {
        let high, low: UInt64
    }

    static func words(_ hash: ContentHash) -> Words { Words(high: hash.high, low: hash.low) }

    /// Decodes a version; nil for any other text.
    static func words(ofVersion text: Span<UInt8>) -> Words? {
        guard text.count == width, let words = words(text) else { return nil }
        return Words(high: words[0], low: words[1])
    }

    static func isCharacter(_ character: UInt8) -> Bool { value(character) != nil }

    /// Appends a word. Each character is six bits, and the highest bits come first.
    static func word(_ word: UInt64, into buffer: inout ByteBuffer) {
        buffer.reserve(wordWidth)
        for digit in (0..<wordWidth).reversed() { buffer.append(character(word, digit: digit)) }
    }

    /// One character of a word. Digit 0 is the lowest six bits.
    @inline(__always)
    static func character(_ word: UInt64, digit: Int) -> UInt8 {
        // The alphabet is 64 characters long, and the index is below 64.
        unsafe alphabet.utf8Start[Int(truncatingIfNeeded: word &>> UInt64(digit &* 6)) & 63]
    }

    private static let alphabet: StaticString = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_"

    /// Decodes base64url text into words of eleven characters each; nil for any other text.
    static func words(_ text: Span<UInt8>) -> [UInt64]? {
        guard text.count % wordWidth == 0 else { return nil }
        var words: [UInt64] = []
        for start in stride(from: 0, to: text.count, by: wordWidth) {
            var word: UInt64 = 0
            for index in start..<start + wordWidth {
                guard word >> 58 == 0, let value = value(text[index]) else { return nil }
                word = word << 6 | UInt64(value)
            }
            words.append(word)
        }
        return words
    }

    private static func value(_ character: UInt8) -> UInt8? {
        switch character {
        case 65...90: character - 65
        case 97...122: character - 71
        case 48...57: character + 4
        case UInt8(ascii: "-"): 62
        case UInt8(ascii: "_"): 63
        default: nil
        }
    }
}

/// The version of a level or a detail that a client claims to have.
struct RequestedVersion {
    let text: String
    /// The hash with this text; nil if the text is not that of any hash.
    let words: Version.Words?

    init(_ text: String) {
        self.text = text
        words = Version.words(ofVersion: text.utf8Span.span)
    }
}

import Levels
import PropertyLists

/// Hashes as text that URLs, JSON and XML carry as they are: base64url without padding (RFC 4648, section 5).
enum Version {
    /// Characters of a 128-bit hash, which is a level's or detail's version.
    static let width = 22
    /// Characters of a 64-bit hash, which is a row's version.
    static let shortWidth = 11

    static func text(_ hash: ContentHash, into buffer: inout ByteBuffer) {
        // 128 bits are 21 characters and two bits more.
        append(hash.high, digits: 11, into: &buffer)
        append(hash.low, digits: 11, into: &buffer)
    }

    static func text(_ hash: UInt64, into buffer: inout ByteBuffer) { append(hash, digits: shortWidth, into: &buffer) }

    /// Six bits a character, the highest first; eleven characters hold 64 bits.
    private static func append(_ word: UInt64, digits: Int, into buffer: inout ByteBuffer) {
        for digit in (0..<digits).reversed() {
            buffer.append(character(UInt8(truncatingIfNeeded: word >> UInt64(digit * 6)) & 63))
        }
    }

    private static func character(_ value: UInt8) -> UInt8 {
        switch value {
        case 0..<26: 65 + value
        case 26..<52: 71 + value
        case 52..<62: value - 4
        case 62: UInt8(ascii: "-")
        default: UInt8(ascii: "_")
        }
    }

    /// The words that base64url text stands for, eleven characters each; nil for anything else.
    static func words(_ text: Span<UInt8>) -> [UInt64]? {
        guard text.count % shortWidth == 0 else { return nil }
        var words: [UInt64] = []
        for start in stride(from: 0, to: text.count, by: shortWidth) {
            var word: UInt64 = 0
            for index in start..<start + shortWidth {
                guard let value = value(text[index]) else { return nil }
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

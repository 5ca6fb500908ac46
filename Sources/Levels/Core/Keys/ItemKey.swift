internal import Bytes
internal import PropertyLists

/// The rules for an item's natural key. The key is the item's `Key` or title in Unicode NFC, followed by `~1` if URLs
/// cannot contain that text as a segment.
enum ItemKey {
    /// Whether a text is certainly in NFC: all its characters are below U+0300 or from U+4000 to U+9FFF.
    @inline(__always)
    static func isPlain(_ text: Span<UInt8>) -> Bool {
        for index in text.indices where text[index] >= 0xCC && !(0xE4...0xE9).contains(text[index]) { return false }
        return true
    }

    /// Whether `~1` must follow the text, because URLs cannot contain it as a segment (RFC 3986, section 5.2.4).
    @inline(__always)
    static func needsMark(_ text: Span<UInt8>) -> Bool {
        switch text.count {
        case 0: true
        case 1: text[0] == UInt8(ascii: ".")
        case 2: text[0] == UInt8(ascii: ".") && text[1] == UInt8(ascii: ".")
        default: false
        }
    }

    static func normalized(_ text: Span<UInt8>) -> [UInt8] {
        isPlain(text) ? Array(copying: text) : NormalizationFormC.text(of: text)
    }

    static func natural(_ text: Span<UInt8>) -> [UInt8] {
        var key = normalized(text)
        if needsMark(key.span) { key += [UInt8(ascii: "~"), UInt8(ascii: "1")] }
        return key
    }
}

extension ContentHash {
    /// Hashes a text in Unicode NFC, so that texts that are canonically equivalent have the same hash.
    init(normalizing text: Span<UInt8>) {
        if ItemKey.isPlain(text) {
            self.init(of: text)
        } else {
            let normalized = NormalizationFormC.text(of: text)
            self.init(of: normalized.span)
        }
    }
}

extension ItemKey {
    /// The start of a key's suffix, which is `~` and digits; nil for a key without a suffix. The digits may be the
    /// number that distinguishes a row from its siblings.
    static func numberedBase(of key: Span<UInt8>) -> Int? {
        var start = key.count
        while start > 0, (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(key[start - 1]) { start -= 1 }
        guard start > 0, start < key.count, key[start - 1] == UInt8(ascii: "~") else { return nil }
        return start - 1
    }
}

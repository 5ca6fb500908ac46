internal import PropertyLists

/// The chain of keys from the root to an item, as a URL's segments carry it.
public struct ItemPath: Sendable, Equatable {
    /// The keys in Unicode NFC, the outermost first; none for the root.
    public let keys: [[UInt8]]

    /// Takes apart the part of a target after `/levels`: `/Item%204/Screen%20G`, or nothing for the root.
    ///
    /// - Throws: `ItemPathError` for a segment that is not percent-encoded UTF-8.
    public init(_ text: Span<UInt8>) throws(ItemPathError) {
        var keys: [[UInt8]] = []
        var start = 0
        var end = text.count
        if end > 0, text[end - 1] == UInt8(ascii: "/") { end -= 1 }
        if end > 0, text[0] == UInt8(ascii: "/") { start = 1 }
        var index = start
        while start < end {
            while index < end, text[index] != UInt8(ascii: "/") { index += 1 }
            keys.append(try Self.key(text.extracting(start..<index)))
            index += 1
            start = index
        }
        self.keys = keys
    }

    private static func key(_ segment: Span<UInt8>) throws(ItemPathError) -> [UInt8] {
        guard let bytes = PercentEncoding.decode(segment), isUTF8(bytes) else {
            throw ItemPathError(segment: String(utf8: segment))
        }
        return ItemKey.isPlain(bytes.span) ? bytes : ItemKey.normalized(bytes.span)
    }

    private static func isUTF8(_ bytes: [UInt8]) -> Bool { String(validating: bytes, as: UTF8.self) != nil }
}

/// A segment that cannot be read.
public struct ItemPathError: Error, Equatable, Sendable {
    /// The segment as it was sent.
    public let segment: String
}

import Bytes
import Levels
import PropertyLists

/// The end of a page, as text: a bookmark, so the next page begins in the right place if rows came or went since.
///
/// It needs no memory on the server. Its text is the position and the key hashes; in a sorted or grouped listing a dot
/// and the order key follow, and if the rows are grouped by a field, another dot and the marks of the sections.
struct Cursor: Equatable {
    let bookmark: Bookmark

    /// - Parameter position: the position of the next row.
    init(before position: Int, in listing: Listing) { bookmark = listing.bookmark(before: position) }

    /// Reads a cursor's text; nil for anything that `append` does not write.
    init?(_ text: String) {
        let parts = text.split(separator: ".", maxSplits: 2, omittingEmptySubsequences: false).map { Array($0.utf8) }
        guard let words = Self.words(parts[0], 2...Bookmark.remembered + 1), let row = Int(exactly: words[0]) else {
            return nil
        }
        let hasKey = parts.count > 1 && !parts[1].isEmpty
        let orderKey = hasKey ? Self.bytes(parts[1]) : nil
        let marks = parts.count > 2 ? Self.words(parts[2], 1...Bookmark.remembered) : []
        guard let marks, (orderKey != nil) == hasKey, parts.count != 2 || hasKey else { return nil }
        bookmark = Bookmark(
            position: row, keyHashes: Array(words.dropFirst()), orderKey: orderKey, sectionMarks: marks)
    }

    /// Appends the cursor's text to a link.
    func append(to link: inout ByteBuffer) {
        Version.word(UInt64(bookmark.position), into: &link)
        for hash in bookmark.keyHashes { Version.word(hash, into: &link) }
        if let key = bookmark.orderKey {
            link.append(UInt8(ascii: "."))
            Self.append(key, to: &link)
        }
        guard !bookmark.sectionMarks.isEmpty else { return }
        if bookmark.orderKey == nil { link.append(UInt8(ascii: ".")) }
        link.append(UInt8(ascii: "."))
        for mark in bookmark.sectionMarks { Version.word(mark, into: &link) }
    }

    /// The position of the first row after the place in the current listing.
    func start(in listing: Listing) -> Int { listing.position(after: bookmark) }

    // MARK: Bytes as words

    /// Appends bytes as words: their number is the first byte, and zeros fill the last word.
    private static func append(_ bytes: [UInt8], to link: inout ByteBuffer) {
        let counted = [UInt8(clamping: bytes.count)] + bytes
        for start in stride(from: 0, to: counted.count, by: 8) {
            let word = (0..<8).reduce(0) { $0 << 8 | UInt64(start + $1 < counted.count ? counted[start + $1] : 0) }
            Version.word(word, into: &link)
        }
    }

    /// Reads bytes that `append` wrote; nil for all other text.
    private static func bytes(_ text: [UInt8]) -> [UInt8]? {
        guard let words = words(text, 1...Bookmark.orderKeyLimit / 8 + 1) else { return nil }
        let count = Int(words[0] >> 56)
        guard (1...Bookmark.orderKeyLimit).contains(count), words.count == (count + 8) / 8 else { return nil }
        let bytes = words.flatMap { word in (0..<8).map { UInt8(truncatingIfNeeded: word >> UInt64(56 - 8 * $0)) } }
        guard bytes[(count + 1)...].allSatisfy({ $0 == 0 }) else { return nil }
        return Array(bytes[1...count])
    }

    private static func words(_ text: [UInt8], _ counts: ClosedRange<Int>) -> [UInt64]? {
        guard let words = Version.words(text.span), counts.contains(words.count) else { return nil }
        return words
    }
}

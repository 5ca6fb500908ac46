import Bytes
import Levels

/// Bookmarks as text: three parts, of which each is words, or empty.
extension Bookmark {
    /// Reads the parts of a text; nil for anything that the `append` functions do not write.
    ///
    /// - Parameter room: how much was remembered.
    init?(position: [UInt8], orderKey: [UInt8], sectionMarks: [UInt8], _ room: Room) {
        guard let words = Self.words(position, 2...room.rows + 1), let position = Int(exactly: words[0]) else {
            return nil
        }
        let key = orderKey.isEmpty ? nil : Self.bytes(orderKey, room)
        let marks = sectionMarks.isEmpty ? [] : Self.words(sectionMarks, 1...room.rows)
        guard let marks, orderKey.isEmpty || key != nil else { return nil }
        self.init(
            position: position, keyHashes: Array(words.dropFirst()), orderKey: key, sectionMarks: marks, room: room)
    }

    /// Appends the position and the key hashes.
    func appendPosition(to link: inout ByteBuffer) {
        Version.word(UInt64(position), into: &link)
        for hash in keyHashes { Version.word(hash, into: &link) }
    }

    /// Appends the order key as words: its length is the first byte, and zeros fill the last word.
    func appendOrderKey(to link: inout ByteBuffer) {
        guard let orderKey else { return }
        let counted = [UInt8(clamping: orderKey.count)] + orderKey
        for start in stride(from: 0, to: counted.count, by: 8) {
            let word = (0..<8).reduce(0) { $0 << 8 | UInt64(start + $1 < counted.count ? counted[start + $1] : 0) }
            Version.word(word, into: &link)
        }
    }

    /// Appends the marks of the sections.
    func appendSectionMarks(to link: inout ByteBuffer) {
        for mark in sectionMarks { Version.word(mark, into: &link) }
    }

    /// Reads bytes that `appendOrderKey` wrote; nil for all other text.
    private static func bytes(_ text: [UInt8], _ room: Room) -> [UInt8]? {
        guard let words = words(text, 1...room.keyBytes / 8 + 1) else { return nil }
        let count = Int(words[0] >> 56)
        guard (1...room.keyBytes).contains(count), words.count == (count + 8) / 8 else { return nil }
        let bytes = words.flatMap { word in (0..<8).map { UInt8(truncatingIfNeeded: word >> UInt64(56 - 8 * $0)) } }
        guard bytes[(count + 1)...].allSatisfy({ $0 == 0 }) else { return nil }
        return Array(bytes[1...count])
    }

    private static func words(_ text: [UInt8], _ counts: ClosedRange<Int>) -> [UInt64]? {
        guard let words = Version.words(text.span), counts.contains(words.count) else { return nil }
        return words
    }
}

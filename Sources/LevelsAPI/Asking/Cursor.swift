import Bytes
import Levels
import PropertyLists

/// Where a page ended: the rows just before the place, by the hashes of their keys, and its number.
///
/// It needs no memory on the server and goes on in the right place after rows were inserted or deleted before it, and
/// after the row before it was deleted: the nearest of the rows that is still there tells where.
struct Cursor: Equatable {
    /// XXH3-64 of the keys, the nearest row first.
    let keyHashes: [UInt64]
    /// The number of the next row when the page was made, for when all of those rows are gone.
    let row: Int

    /// How many rows before the place are remembered.
    static let remembered = 8

    /// - Parameter position: that of the next row.
    init(before position: Int, in listing: Listing) {
        row = position
        guard let level = listing.level else {
            keyHashes = []
            return
        }
        let bytes = level.bytes
        keyHashes = (max(0, position - Self.remembered)..<position).reversed().map {
            ContentHash.short(of: bytes.span.extracting(level.row(listing.row(at: $0)).key))
        }
    }

    /// Reads a cursor's text; nil for anything that `text` does not write.
    init?(_ text: String) {
        var text = text
        text.makeContiguousUTF8()
        guard let words = Version.words(text.utf8Span.span), words.count > 1, words.count <= Self.remembered + 1,
            let row = Int(exactly: words[0])
        else { return nil }
        self.row = row
        keyHashes = Array(words.dropFirst())
    }

    /// The cursor for a link.
    var text: String {
        var buffer = ByteBuffer(capacity: Version.wordWidth * (keyHashes.count + 1))
        Version.word(UInt64(row), into: &buffer)
        for hash in keyHashes { Version.word(hash, into: &buffer) }
        return String(utf8: buffer.span)
    }

    /// The position of the first row after the place, as the listing is now.
    func start(in listing: Listing) -> Int {
        for hash in keyHashes {
            if let found = listing.level?.row(withKeyHash: hash), let position = listing.position(ofRow: found) {
                return position + 1
            }
        }
        return min(row, listing.count)
    }
}

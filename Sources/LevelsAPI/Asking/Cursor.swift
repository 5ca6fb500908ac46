import Bytes
import Levels
import PropertyLists

/// The end of a page: the hashes of the keys of the last rows before the next page, and the position of that page.
///
/// It needs no memory on the server. The next page begins in the right place even if rows before it were inserted or
/// deleted since: the nearest remembered row that still exists determines the place.
struct Cursor: Equatable {
    /// The hashes of the rows' keys (`Listing.keyHash`), the nearest row first.
    let keyHashes: [UInt64]
    /// The position of the next row when the page was made; used if none of those rows exists any more.
    let row: Int

    /// The number of rows before the place that are remembered.
    static let remembered = 8

    /// - Parameter position: the position of the next row.
    init(before position: Int, in listing: Listing) {
        row = position
        keyHashes = (max(0, position - Self.remembered)..<position).reversed().map(listing.keyHash)
    }

    /// Reads a cursor's text; nil for anything that `append` does not write.
    init?(_ text: String) {
        var text = text
        text.makeContiguousUTF8()
        guard let words = Version.words(text.utf8Span.span), words.count > 1, words.count <= Self.remembered + 1,
            let row = Int(exactly: words[0])
        else { return nil }
        self.row = row
        keyHashes = Array(words.dropFirst())
    }

    /// Appends the cursor's text to a link.
    func append(to link: inout ByteBuffer) {
        Version.word(UInt64(row), into: &link)
        for hash in keyHashes { Version.word(hash, into: &link) }
    }

    /// The position of the first row after the place in the current listing.
    func start(in listing: Listing) -> Int {
        listing.position(ofFirst: keyHashes, lastAt: row - 1).map { $0 + 1 } ?? min(row, listing.count)
    }
}

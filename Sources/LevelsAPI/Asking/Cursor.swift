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
        // A part that is empty at the end is left out.
        guard parts.count == 1 || parts[parts.count - 1] != [],
            let bookmark = Bookmark(
                position: parts[0], orderKey: parts.count > 1 ? parts[1] : [],
                sectionMarks: parts.count > 2 ? parts[2] : [], .whole)
        else { return nil }
        self.bookmark = bookmark
    }

    /// Appends the cursor's text to a link.
    func append(to link: inout ByteBuffer) {
        bookmark.appendPosition(to: &link)
        let hasMarks = !bookmark.sectionMarks.isEmpty
        if hasMarks || bookmark.orderKey != nil { link.append(UInt8(ascii: ".")) }
        bookmark.appendOrderKey(to: &link)
        if hasMarks { link.append(UInt8(ascii: ".")) }
        bookmark.appendSectionMarks(to: &link)
    }

    /// The position of the first row after the place in the current listing.
    func start(in listing: Listing) -> Int { listing.position(after: bookmark) }
}

import Bytes
import Levels
import PropertyLists

/// The prefixes of the links to the rows of one level, before their keys.
struct RowPrefixes: ~Copyable {
    /// The number of the level among the listing's branches.
    let branch: Int
    private let levels: ByteBuffer
    private let details: ByteBuffer

    /// The prefixes for the rows of an item's own level.
    init(_ links: borrowing Links) {
        branch = 0
        levels = links.childPrefix(isDetail: false)
        details = links.childPrefix(isDetail: true)
    }

    /// The prefixes for a row of a listing, and for its siblings.
    init(_ links: borrowing Links, for place: Place, in listing: Listing) {
        branch = place.branch
        let steps = listing.rows(above: place)
        levels = Self.extended(links.childPrefix(isDetail: false), by: steps)
        details = Self.extended(links.childPrefix(isDetail: true), by: steps)
    }

    /// The prefix of a row's link: a leaf links to its detail, any other row to its level.
    @inline(__always)
    @_lifetime(borrow self)
    func prefix(isLeaf: Bool) -> Span<UInt8> { isLeaf ? details.span : levels.span }

    private static func extended(_ prefix: consuming ByteBuffer, by steps: [Item.Step]) -> ByteBuffer {
        var extended = prefix
        for step in steps {
            let bytes = step.level.bytes
            PercentEncoding.append(bytes.span.extracting(step.level.row(step.row).key), to: &extended)
            extended.append(UInt8(ascii: "/"))
        }
        return extended
    }
}

internal import Bytes

/// The rows of a level, selected, ordered and divided by a query, for a source that has read the whole level.
///
/// The rows compare as the rows of a tree do. Every row of the level must be a leaf.
public struct ArrangedRows: Sendable {
    private let listing: Listing

    public init(level: Level?, by query: RowQuery) {
        listing = Listing(level, by: query, texts: SearchTexts(bytes: 0))
    }

    public var count: Int { listing.count }

    /// The sections of all rows; empty for one section without a title.
    public var sections: [Section] { Array(listing.sections) }

    /// For the row at a position, its number in the level.
    public func rowNumber(at position: Int) -> Int { rowNumbers(at: position..<position + 1)[0] }

    /// For the rows at some positions, their numbers in the level.
    public func rowNumbers(at positions: Range<Int>) -> [Int] {
        let located = listing.located(positions)
        return positions.map { located.place(at: $0).row }
    }

    /// A row's place in the order. The rows after this place can be found when rows have been added or removed.
    public struct Mark: Hashable, Sendable {
        /// The beginning of the row's sort key; empty if the rows have no sort keys.
        public let orderKey: [UInt8]
        /// The hash that identifies the row's section; nil unless the sections are by a field.
        public let section: UInt64?

        public init(orderKey: [UInt8], section: UInt64?) {
            self.orderKey = orderKey
            self.section = section
        }
    }

    /// The maximum length of a mark's sort key. Rows whose sort keys differ only after this length are distinguished by
    /// their numbers in the level.
    private static let room = Bookmark.Room(rows: 1, keyBytes: 1_024)

    public func mark(at position: Int) -> Mark {
        let bookmark = listing.bookmark(before: position + 1, room: Self.room)
        return Mark(orderKey: bookmark.orderKey ?? [], section: bookmark.sectionMarks.first)
    }

    /// Returns the position of the first row after a mark.
    ///
    /// - Parameters:
    ///   - row: the number of the first row that follows the marked row in the level's own order.
    ///   - position: the former position of the first row after the mark. It is returned if the mark's section no
    ///     longer exists.
    public func position(after mark: Mark, row: Int, formerly position: Int) -> Int {
        guard let range = listing.positions(of: mark, room: Self.room) else { return min(position, count) }
        // Rows with the same sort key are in the level's own order. This does not hold for rows whose sort keys differ
        // only after the part that the mark has.
        return range.partitioningIndex { rowNumber(at: $0) >= row }
    }
}

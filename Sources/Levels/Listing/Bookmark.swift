internal import Bytes

/// A place between two rows of a listing. The place can be found again after rows have changed.
///
/// `position` is the former position of the place. The bookmark remembers the keys of several rows before the place,
/// because some of these rows may be removed.
public struct Bookmark: Hashable, Sendable {
    /// The former position of the row after the place.
    public let position: Int
    /// The hashes of the keys of the rows before the place (`Listing.keyHash`), the nearest row first. In a sorted
    /// listing, these are only the rows with the same sort key.
    public let keyHashes: [UInt64]
    /// The first bytes of the sort key of the row before the place; nil if the rows are unsorted.
    public let orderKey: [UInt8]?
    /// The hashes that identify the section of the row before the place and the previous sections, the nearest section
    /// first. Empty unless the rows are grouped by a field.
    public let sectionMarks: [UInt64]

    /// The limits on the size of the bookmark.
    public let room: Room

    /// Limits on the size of a bookmark.
    public struct Room: Hashable, Sendable {
        /// The maximum number of rows, and of sections; at least 1.
        public let rows: Int
        /// The maximum length of `orderKey`, in bytes; at least 1. Rows whose sort keys differ only after this length
        /// are distinguished by their keys.
        public let keyBytes: Int

        /// The limits for a cursor with only one bookmark.
        public static let whole = Room(rows: 8, keyBytes: 240)
    }

    /// Whether the bookmark remembers all rows before the place that have the same sort key.
    var remembersAll: Bool {
        let isAmongAll = orderKey == nil && sectionMarks.isEmpty
        return isAmongAll ? position <= keyHashes.count : keyHashes.count < room.rows
    }

    public init(
        position: Int, keyHashes: [UInt64], orderKey: [UInt8]? = nil, sectionMarks: [UInt64] = [], room: Room = .whole
    ) {
        self.position = position
        self.keyHashes = keyHashes
        self.orderKey = orderKey
        self.sectionMarks = sectionMarks
        self.room = room
    }
}

/// Remembering and finding places between rows.
extension Listing {
    /// A bookmark before the row at a position.
    public func bookmark(before position: Int, room: Bookmark.Room = .whole) -> Bookmark {
        guard let known, !known.isDocument, position > 0 else {
            let first = max(0, position - room.rows)
            return Bookmark(position: position, keyHashes: keyHashes(first..<position), room: room)
        }
        let key = known.hasKeys ? orderKey(at: position - 1, room: room) : nil
        let section = known.hasSectionMarks ? sectionNumber(at: position - 1) : nil
        let start = section.map { sections.rows($0).lowerBound } ?? 0
        var first = position - 1
        while first > start, position - first < room.rows,
            key.map({ $0 == orderKey(at: first - 1, room: room) }) ?? true
        {
            first -= 1
        }
        let marks = section.map { known.sectionMarks[max(0, $0 + 1 - room.rows)...$0].reversed() } ?? []
        return Bookmark(
            position: position, keyHashes: keyHashes(first..<position), orderKey: key, sectionMarks: Array(marks),
            room: room)
    }

    /// The position of the first row after a bookmark.
    ///
    /// If the order is known, this takes time logarithmic in the number of rows, apart from looking up the section.
    public func position(after bookmark: Bookmark) -> Int {
        let hasKey = bookmark.orderKey != nil
        guard let known, known.hasKeys == hasKey, known.hasSectionMarks == !bookmark.sectionMarks.isEmpty else {
            // The bookmark was made in another order: continue after the current position of the remembered row.
            let found = position(ofFirst: bookmark.keyHashes, lastAt: bookmark.position - 1)
            return found.map { $0 + 1 } ?? min(bookmark.position, count)
        }
        var range = 0..<count
        if known.hasSectionMarks {
            guard let section = nearestSection(of: bookmark.sectionMarks) else {
                return bookmark.sectionMarks.count < bookmark.room.rows ? 0 : min(bookmark.position, count)
            }
            range = section.rows
            guard section.isOwn else { return range.upperBound }
        }
        if let key = bookmark.orderKey { range = run(of: key, in: range, room: bookmark.room) }
        return position(after: bookmark, in: range)
    }

    /// The positions of the rows that compare as equal to a marked row; nil if the section of the marked row no longer
    /// exists.
    func positions(of mark: ArrangedRows.Mark, room: Bookmark.Room) -> Range<Int>? {
        var range = 0..<count
        if let section = mark.section {
            guard let known, known.hasSectionMarks, let found = nearestSection(of: [section]) else { return nil }
            range = found.rows
        }
        return known?.hasKeys == true ? run(of: mark.orderKey, in: range, room: room) : range
    }

    /// The position of a row of the listing's own level; nil if the row is not shown.
    public func position(ofRow row: Int) -> Int? {
        guard case .numbers(let numbers) = rows else { return row < count ? row : nil }
        guard let level, let known else { return numbers.firstIndex(of: UInt32(row)) }
        let bytes = level.bytes
        let packed = Row(in: bytes.span, number: row)
        var range = 0..<count
        if case .field(let field) = known.grouping {
            let mark = RowGrouping.mark(of: field, row: packed, in: bytes.span)
            guard let section = nearestSection(of: [mark?.low ?? RowGrouping.unmarked]) else {
                return nil
            }
            range = section.rows
        }
        let key = known.hasKeys ? orderKey(of: packed, in: bytes.span) : []
        if known.hasKeys { range = run(of: key, in: range) }
        guard key.count < Bookmark.Room.whole.keyBytes else { return numbers[range].firstIndex(of: UInt32(row)) }
        let position = range.partitioningIndex { numbers[$0] >= row }
        return position < range.upperBound && numbers[position] == row ? position : nil
    }

    /// The number of the section of the row at a position; 0 if there is only one section without a title.
    public func sectionNumber(at position: Int) -> Int {
        let sections = sections
        return max(0, sections.indices.partitioningIndex { sections.rows($0).lowerBound > position } - 1)
    }

    // MARK: Rows with the same sort key

    private func keyHashes(_ positions: Range<Int>) -> [UInt64] { positions.reversed().map(keyHash) }

    /// The position after a bookmark, among unsorted rows or rows with the same sort key: directly after the nearest
    /// remembered row that still exists.
    private func position(after bookmark: Bookmark, in range: Range<Int>) -> Int {
        if isInDocumentOrder(cut: bookmark.orderKey, room: bookmark.room) {
            // A row that moved or is not shown still has its place in the document.
            for hash in bookmark.keyHashes {
                guard let row = level?.row(withKeyHash: hash) else { continue }
                return range.partitioningIndex { place(at: $0).row > row }
            }
        } else if let position = position(ofFirst: bookmark.keyHashes, in: range, lastAt: bookmark.position - 1) {
            return position + 1
        }
        if bookmark.remembersAll { return range.lowerBound }
        // All remembered rows were removed, so the place has moved up by at least their number.
        return min(max(bookmark.position - bookmark.keyHashes.count, range.lowerBound), range.upperBound)
    }

    /// Whether rows with the same sort key are in document order; false if the key is cut, because the sort keys of the
    /// rows may differ after the cut.
    private func isInDocumentOrder(cut key: [UInt8]?, room: Bookmark.Room) -> Bool {
        switch rows {
        case .items, .part: return false
        case .level, .numbers: break
        }
        return key.map { $0.count < room.keyBytes } ?? true
    }

    /// The positions in a range at which the rows have a given sort key.
    private func run(of key: [UInt8], in range: Range<Int>, room: Bookmark.Room = .whole) -> Range<Int> {
        let start = range.partitioningIndex { !orderKey(at: $0, room: room).lexicographicallyPrecedes(key) }
        let end = (start..<range.upperBound).partitioningIndex {
            key.lexicographicallyPrecedes(orderKey(at: $0, room: room))
        }
        return start..<end
    }

    private func orderKey(at position: Int, room: Bookmark.Room) -> [UInt8] {
        let listing = located(position..<position + 1)
        let place = listing.place(at: position)
        guard let level = listing.level(of: place) else { return [] }
        let bytes = level.bytes
        return orderKey(of: Row(in: bytes.span, number: place.row), in: bytes.span, room: room)
    }

    private func orderKey(of row: Row, in bytes: Span<UInt8>, room: Bookmark.Room = .whole) -> [UInt8] {
        var key = ByteBuffer(capacity: 64)
        known?.appendKey(of: row, in: bytes, to: &key)
        return Array(copying: key.span.extracting(first: room.keyBytes))
    }

    // MARK: Sections by a field

    /// Finds the first of the marks whose section still exists. Returns the rows of that section, and whether the mark
    /// is `marks[0]`; nil if all sections are gone.
    private func nearestSection(of marks: [UInt64]) -> (rows: Range<Int>, isOwn: Bool)? {
        for (step, mark) in marks.enumerated() {
            guard let number = known?.sectionMarks.firstIndex(of: mark) else { continue }
            return (sections.rows(number), step == 0)
        }
        return nil
    }
}

/// The order of the rows of a listing: by section, then by search rank, then by fields, then by place in the document.
///
/// The order determines the place of each row, so that a place can be found in a changed list.
struct KnownOrder: Sendable {
    var rankedBy: ItemSearch?
    var fields = RowOrder.document
    var grouping = RowGrouping.document
    /// The hash that identifies each section, if the rows are grouped by a field.
    var sectionMarks: [UInt64] = []

    /// Whether the rows have sort keys.
    var hasKeys: Bool { !fields.criteria.isEmpty || grouping == .initial || rankedBy != nil }

    /// Whether the rows are grouped by a field, with the sections in order of first appearance.
    var hasSectionMarks: Bool { if case .field = grouping { true } else { false } }

    var isDocument: Bool { !hasKeys && !hasSectionMarks }

    /// Appends the sort key of a row: bytes that sort as the rows do. If the rows are grouped by a field, this holds
    /// within one section.
    func appendKey(of row: Row, in bytes: Span<UInt8>, to key: inout ByteBuffer) {
        if grouping == .initial { InitialLetter.appendKey(of: bytes.extracting(row.title), to: &key) }
        if let rankedBy { key.append(rankedBy.rank(of: bytes.extracting(row.title)).rawValue) }
        fields.appendKey(of: row, in: bytes, to: &key)
    }
}

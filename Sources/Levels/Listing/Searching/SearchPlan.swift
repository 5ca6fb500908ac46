import Bytes

/// The division of a large level, with all items below, into parts whose folded texts are cached.
///
/// A part is a run of rows with everything below them. A part ends at a row above another large level, because that
/// level has its own plan. Within limits of size, all other ends depend on titles alone, so that an insertion changes
/// only nearby parts.
final class SearchPlan: Sendable {
    struct Part {
        let rows: Range<Int>
        /// Whether the level below the last row is large. If so, the part does not include that level.
        let isOpen: Bool
        /// The index of the part's first item among the items in and below the level.
        let first: Int
        /// The number of the part's items.
        let count: Int
        /// The hash of the rows and the levels below them.
        let key: ContentHash
    }

    let parts: [Part]

    /// The sizes of parts.
    struct Sizes {
        /// The maximum number of items in and below a level that is not large.
        var largest = 4_096
        /// The minimum number of items of a part, unless a large level or the end of the level follows.
        var leastItems = 2_048
        /// The number of items at which a part ends in any case.
        var mostItems = 8_192
    }

    /// Divides a level, in time linear in its rows.
    init(level: Level, sizes: Sizes) {
        var parts: [Part] = []
        var row = 0
        var number = 0
        while row < level.count {
            let (end, items, below) = Self.end(of: level, from: row, sizes: sizes)
            parts.append(
                Part(
                    rows: row..<end, isOpen: below > 0, first: number, count: items,
                    key: level.hash(of: row..<end, isOpen: below > 0)))
            row = end
            number += items + below
        }
        self.parts = parts
    }

    /// Returns the end of the part that begins at a row, the part's number of items, and the number of items of the
    /// large level that follows; 0 if none follows.
    private static func end(
        of level: Level, from start: Int, sizes: Sizes
    ) -> (end: Int, items: Int, below: Int) {
        var row = start
        var items = 0
        if level.children.isEmpty {
            row = min(level.count, start + sizes.leastItems)
            items = row - start
        }
        while row < level.count, items < sizes.mostItems,
            items < sizes.leastItems || !endsPart(level, after: row - 1)
        {
            let below = level.child(row)?.itemCount ?? 0
            row += 1
            if below > sizes.largest { return (row, items + 1, below) }
            items += 1 + below
        }
        return (row, items, 0)
    }

    private static func endsPart(_ level: Level, after row: Int) -> Bool {
        let bytes = level.bytes
        return ContentHash.short(of: bytes.span.extracting(level.row(row).title)) & 3 == 0
    }

    /// Returns the part that contains the item with a number.
    func part(of number: Int) -> Part { parts[max(0, parts.partitioningIndex { $0.first > number } - 1)] }

    var cost: Int { parts.count * MemoryLayout<Part>.stride + 64 }
}

extension Level {
    /// The hash of some rows and of everything below them. If `isOpen`, the level below the last row is left out.
    fileprivate func hash(of rows: Range<Int>, isOpen: Bool) -> ContentHash {
        let bytes = bytes
        var summary = ByteBuffer(capacity: 32 + (children.isEmpty ? 0 : rows.count * 17))
        summary.append(ContentHash(of: bytes.span.extracting(packed(rows))))
        summary.append(isOpen ? 1 : 0 as UInt8)
        guard !children.isEmpty else { return ContentHash(of: summary.span) }
        for row in isOpen ? rows.dropLast() : rows {
            let below = children[row]
            summary.append(below == nil ? 0 : 1 as UInt8)
            if let below { summary.append(below.hash) }
        }
        return ContentHash(of: summary.span)
    }
}

import Bytes

/// How the items in and below a large level are divided into parts whose folded texts are kept.
///
/// A part is a run of rows with all that is below them. A row above another large level ends its part: that level has a
/// plan of its own. Where other parts end depends on the titles of the rows alone, so that an insertion changes the parts
/// near it and leaves the others as they were.
final class SearchPlan: Sendable {
    struct Part {
        /// Rows of the level.
        let rows: Range<Int>
        /// Whether the level below the last row is not in the part, because it is large itself.
        let isOpen: Bool
        /// The number of the first item, counted from the level's first.
        let first: Int
        /// How many items it has.
        let count: Int
        /// The hash of the rows and of the levels below them.
        let key: ContentHash
    }

    let parts: [Part]

    /// How large parts are.
    struct Sizes {
        /// A level with more items in and below it is large.
        var largest = 4_096
        /// Parts have at least so many items, if they are not followed by a large level.
        var leastItems = 2_048
        /// A part that has so many items ends.
        var mostItems = 8_192
    }

    /// Divides a level, in time linear in its rows.
    init(_ level: Level, _ sizes: Sizes) {
        var parts: [Part] = []
        var row = 0
        var number = 0
        while row < level.count {
            let (end, items, below) = Self.end(of: level, from: row, sizes)
            parts.append(
                Part(
                    rows: row..<end, isOpen: below > 0, first: number, count: items,
                    key: level.hash(of: row..<end, isOpen: below > 0)))
            row = end
            number += items + below
        }
        self.parts = parts
    }

    /// The end of the part that begins at a row, its items, and those of the large level that follows it.
    private static func end(
        of level: Level, from start: Int, _ sizes: Sizes
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

    /// The part with an item; its number is counted from the level's first.
    func part(of number: Int) -> Part { parts[max(0, parts.partitioningIndex { $0.first > number } - 1)] }

    /// The approximate memory use, in bytes.
    var cost: Int { parts.count * MemoryLayout<Part>.stride + 64 }
}

extension Level {
    /// The hash of some rows and of all that is below them.
    ///
    /// - Parameter isOpen: whether the level below the last row is left out.
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

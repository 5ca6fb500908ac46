/// New rows put together from old ones, and a record of what was taken out and put in.
///
/// A row that is neither is *stable*: the stable rows have the same order in the old and the new list.
struct RowAssembly {
    /// The old rows.
    let old: [Row]
    /// The hashes of the keys of the old rows; nil if no delta is going to be applied.
    let oldHashes: [Int]?
    /// The rows that have been put together so far.
    private(set) var rows: [Row] = []
    /// The hashes of their keys; empty if those of the old rows are not known.
    private(set) var hashes: [Int] = []
    /// The positions of old rows that were taken out, ascending.
    private(set) var taken: [Int] = []
    /// The positions of new rows that were put in, ascending.
    private(set) var placed: [Int] = []
    /// The positions of new rows that were replaced by another version of the same row; some may also be in `placed`.
    private(set) var updated: [Int] = []

    init(_ old: [Row], hashes oldHashes: [Int]? = nil, capacity: Int) {
        (self.old, self.oldHashes) = (old, oldHashes)
        rows.reserveCapacity(capacity)
        if oldHashes != nil { hashes.reserveCapacity(capacity) }
    }

    /// Appends old rows that are stable.
    mutating func keep(_ range: Range<Int>) {
        rows.append(contentsOf: old[range])
        if let oldHashes { hashes.append(contentsOf: oldHashes[range]) }
    }

    /// Leaves out old rows, whose positions are ascending.
    mutating func take(_ positions: [Int]) {
        taken += positions
    }

    /// Appends a row that was not at this place before.
    mutating func place(_ row: Row) {
        placed.append(rows.count)
        append(row)
    }

    /// Replaces a row that has already been appended.
    mutating func update(_ position: Int, _ row: Row) {
        updated.append(position)
        rows[position] = row
    }

    /// Appends rows in place of old ones, of which those at the beginning and the end that are the same stay stable.
    mutating func replace(_ range: Range<Int>, with new: [Row]) {
        let shorter = min(range.count, new.count)
        let prefix = (0..<shorter).first { old[range.lowerBound + $0].id != new[$0].id } ?? shorter
        let suffix =
            (0..<shorter - prefix).first { old[range.upperBound - 1 - $0].id != new[new.count - 1 - $0].id }
            ?? shorter - prefix
        appendStable(new[..<prefix], from: range.lowerBound)
        taken += range.dropFirst(prefix).dropLast(suffix)
        placed += rows.count..<(rows.count + new.count - prefix - suffix)
        for row in new[prefix..<(new.count - suffix)] { append(row) }
        appendStable(new[(new.count - suffix)...], from: range.upperBound - suffix)
    }

    /// Appends new versions of old rows.
    private mutating func appendStable(_ new: ArraySlice<Row>, from start: Int) {
        for (position, row) in zip(start..., new) {
            if !old[position].showsSame(as: row) { updated.append(rows.count) }
            append(row)
        }
    }

    private mutating func append(_ row: Row) {
        rows.append(row)
        if oldHashes != nil { hashes.append(row.key.hashValue) }
    }

    /// The old position of the row at a new one; nil if it was put in.
    ///
    /// - Complexity: O(log *k*) for *k* changes.
    func oldPosition(ofStable position: Int) -> Int? {
        let before = placed.prefixCount { _, placed in placed < position }
        if before < placed.count, placed[before] == position { return nil }
        let rank = position - before
        return rank + taken.prefixCount { index, taken in taken - index <= rank }
    }
}

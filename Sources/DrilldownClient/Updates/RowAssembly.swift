/// New rows put together from old ones, and a record of what was taken out and put in.
///
/// A row that is neither is *stable*: the stable rows have the same order in the old and the new list.
struct RowAssembly {
    let old: [Row]
    private(set) var rows: [Row] = []
    /// The positions of old rows that were taken out, ascending.
    private(set) var taken: [Int] = []
    /// The positions of new rows that were put in, ascending.
    private(set) var placed: [Int] = []
    /// The positions of new rows that were replaced by another version of the same row; some may also be in `placed`.
    private(set) var updated: [Int] = []

    init(_ old: [Row], capacity: Int) {
        self.old = old
        rows.reserveCapacity(capacity)
    }

    /// Appends old rows that are stable.
    mutating func keep(_ range: Range<Int>) { rows.append(contentsOf: old[range]) }

    /// Appends a row that was not at this place before.
    mutating func place(_ row: Row) {
        placed.append(rows.count)
        rows.append(row)
    }

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
        rows += new[prefix..<(new.count - suffix)]
        appendStable(new[(new.count - suffix)...], from: range.upperBound - suffix)
    }

    /// Appends new versions of old rows.
    private mutating func appendStable(_ new: ArraySlice<Row>, from start: Int) {
        for (position, row) in zip(start..., new) {
            if !old[position].showsSame(as: row) { updated.append(rows.count) }
            rows.append(row)
        }
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

extension RowAssembly {
    /// A delta that does not fit the rows that it is applied to: they have to be read again.
    struct Misfit: Error {}

    /// Appends old rows as a delta changed them.
    ///
    /// - Parameters:
    ///   - range: The positions of the old rows that the delta applies to.
    ///   - count: The number of rows that there must be afterwards.
    /// - Throws: `Misfit` if a key or a position of the delta does not fit the rows.
    /// - Complexity: O(*n*) for *n* rows in the range.
    mutating func apply(_ delta: LevelDelta, to range: Range<Int>, count: Int) throws(Misfit) {
        let start = rows.count
        let leaving = try leaving(range, delta)
        var source = PendingRows(next: range.lowerBound, end: range.upperBound, taken: leaving.positions)
        for placement in try placements(of: delta, leaving.rows) {
            try keep(&source, until: start + placement.position)
            place(placement.value)
        }
        taken += leaving.positions
        try keep(&source, until: rows.count + source.count)
        guard rows.count == start + count else { throw Misfit() }
        for update in delta.updated {
            let position = start + update.position
            guard position < rows.count, rows[position].key == update.value.key else { throw Misfit() }
            self.update(position, update.value)
        }
    }

    /// The rows of a range that a delta takes out, whether or not it puts them in again.
    private func leaving(
        _ range: Range<Int>, _ delta: LevelDelta
    ) throws(Misfit) -> (positions: [Int], rows: [String: Row]) {
        let moved = Set(delta.moved.map(\.value))
        let leaving = moved.union(delta.removed)
        let inserted = Set(delta.inserted.map(\.value.key))
        guard leaving.count == delta.moved.count + delta.removed.count, inserted.count == delta.inserted.count else {
            throw Misfit()
        }
        if leaving.isEmpty && inserted.isEmpty { return ([], [:]) }
        var positions: [Int] = []
        var rows: [String: Row] = [:]
        for position in range {
            let key = old[position].key
            if leaving.contains(key) {
                positions.append(position)
                if moved.contains(key) { rows[key] = old[position] }
            } else if inserted.contains(key) {
                throw Misfit()
            }
        }
        guard positions.count == leaving.count else { throw Misfit() }
        return (positions, rows)
    }

    /// The inserted and the moved rows by ascending position.
    private func placements(of delta: LevelDelta, _ moved: [String: Row]) throws(Misfit) -> [LevelDelta.Placed<Row>] {
        var result = delta.inserted
        for move in delta.moved {
            guard let row = moved[move.value] else { throw Misfit() }
            result.append(LevelDelta.Placed(position: move.position, value: row))
        }
        return result.sorted { $0.position < $1.position }
    }

    /// Appends stable rows until there is a number of rows.
    private mutating func keep(_ source: inout PendingRows, until count: Int) throws(Misfit) {
        guard rows.count <= count else { throw Misfit() }
        while rows.count < count {
            guard let range = source.removeStable(count - rows.count) else { throw Misfit() }
            keep(range)
        }
    }
}

/// Old rows that have not been appended yet.
private struct PendingRows {
    var next: Int
    let end: Int
    /// The positions of rows that are not stable, ascending.
    let taken: [Int]
    /// The number of elements of `taken` that precede `next`.
    var passed = 0

    init(next: Int, end: Int, taken: [Int]) {
        (self.next, self.end, self.taken) = (next, end, taken)
    }

    /// The number of stable rows.
    var count: Int { end - next - (taken.count - passed) }

    /// The next run of at most this many stable rows; nil if there is none.
    mutating func removeStable(_ limit: Int) -> Range<Int>? {
        while passed < taken.count, taken[passed] == next { (passed, next) = (passed + 1, next + 1) }
        let run = next..<min(next + limit, passed < taken.count ? taken[passed] : end)
        next = run.upperBound
        return run.isEmpty ? nil : run
    }
}

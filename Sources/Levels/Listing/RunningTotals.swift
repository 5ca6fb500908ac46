/// For each row of one level, the number of the outline's rows before it. Positions are found from these totals without
/// counting.
public struct RunningTotals: Sendable {
    /// Everything that totals depend on: the content in and below a level, the number of open levels, and the order of
    /// the rows.
    public struct Key: Hashable, Sendable {
        let level: ContentHash
        let depth: Int
        let order: ListingOrder?
    }

    /// The totals before each row and at the end; nil if all rows are closed.
    private let table: [UInt32]?

    /// The totals of a level with all rows closed: a row's position is its number.
    static let closed = RunningTotals(table: nil)

    private init(table: [UInt32]?) { self.table = table }

    /// The totals of rows with these sizes; a size includes the row itself.
    init(rows: Int, size: (_ row: Int) -> Int) {
        var table: [UInt32] = []
        table.reserveCapacity(rows + 1)
        table.append(0)
        for row in 0..<rows { table.append(UInt32(clamping: Int(table[row]) + size(row))) }
        self.table = table
    }

    public var cost: Int { (table?.count ?? 0) * 4 }

    /// The number of the outline's rows before a row of the level, or before the level's end.
    func before(_ row: Int) -> Int { table.map { Int($0[row]) } ?? row }

    /// The row of the level that is at a position, or that has the row at the position below it.
    func row(at position: Int) -> Int {
        guard let table else { return position }
        return table.partitioningIndex { $0 > position } - 1
    }
}

/// Counts the rows that an outline shows in and below a level, if all levels are open down to a depth.
struct OutlineSizes {
    private let store: ArrangementCache

    /// The minimum number of items of a level whose totals are kept. Counting fewer items costs less than keeping
    /// totals.
    private static let leastKept = 1_024

    init(_ store: ArrangementCache) { self.store = store }

    /// The order of the rows below an item; nil for the document's order.
    func order(below step: Item.Step) -> OutlineOrder? {
        guard step.hasOrder, let order = step.order else { return nil }
        return OutlineOrder(listing: store.listing(below: step), by: order)
    }

    /// The number of rows that must be sorted below an item; 0 if their order is known.
    func work(below step: Item.Step) -> Int { step.hasOrder ? store.work(below: step) : 0 }

    /// The number of shown rows of a level and the levels below it.
    ///
    /// - Parameter depth: the number of open levels, including this one; at least 1.
    func size(of level: Level, depth: Int) -> Int {
        if depth <= 1 { return level.count }
        if depth >= level.height { return level.itemCount }
        guard level.itemCount < Self.leastKept else {
            return totals(of: level, depth: depth, in: nil).before(level.count)
        }
        return counted(level, depth: depth)
    }

    /// The totals of a level. Takes time linear in the level's rows if everything below is open, or if the totals below
    /// are kept.
    func totals(of level: Level, depth: Int, in order: OutlineOrder?) -> RunningTotals {
        guard depth > 1, level.itemCount > level.count else { return .closed }
        // All depths that show everything share a key.
        let key = RunningTotals.Key(level: level.hash, depth: min(depth, Int(level.height)), order: order?.order)
        let isKept = level.itemCount >= Self.leastKept
        if isKept, let kept = store.totals(key) { return kept }
        let totals = RunningTotals(rows: level.count) { index in
            1 + (level.child(order?.row(at: index) ?? index).map { size(of: $0, depth: depth - 1) } ?? 0)
        }
        if isKept { store.keep(totals, key: key) }
        return totals
    }

    private func counted(_ level: Level, depth: Int) -> Int {
        var count = 0
        var waiting = [(level: level, depth: depth)]
        while let (level, depth) = waiting.popLast() {
            guard depth > 1, depth < level.height else {
                count += depth > 1 ? level.itemCount : level.count
                continue
            }
            count += level.count
            for row in 0..<level.count {
                if let below = level.child(row) { waiting.append((below, depth - 1)) }
            }
        }
        return count
    }
}

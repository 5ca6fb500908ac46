/// How many rows an outline has before each row of one level, in the order of its rows, so that a position is found without counting.
public struct RunningTotals: Sendable {
    /// What totals depend on: the content of a level and of all levels below it, how many of them are open, and the order
    /// of the rows.
    public struct Key: Hashable, Sendable {
        let level: ContentHash
        let depth: Int
        let order: ListingOrder?
    }

    /// The totals before each row and after the last one; nil if nothing below the rows is open.
    private let table: [UInt32]?

    /// The totals of a level whose rows are all closed: each row is at the position that is its number.
    static let closed = RunningTotals(table: nil)

    private init(table: [UInt32]?) { self.table = table }

    /// The totals of a level whose rows have these sizes; a size is the row itself and the open rows below it.
    init(rows: Int, size: (_ row: Int) -> Int) {
        var table: [UInt32] = []
        table.reserveCapacity(rows + 1)
        table.append(0)
        for row in 0..<rows { table.append(UInt32(clamping: Int(table[row]) + size(row))) }
        self.table = table
    }

    /// The approximate memory use, in bytes.
    public var cost: Int { (table?.count ?? 0) * 4 }

    /// The number of rows before a row; for the number of rows, all of them.
    func before(_ row: Int) -> Int { table.map { Int($0[row]) } ?? row }

    /// The row at a position, or the row above the one at that position.
    func row(at position: Int) -> Int {
        guard let table else { return position }
        return table.partitioningIndex { $0 > position } - 1
    }
}

/// Counts the rows that an outline shows of whole levels, with the same number of levels open everywhere below.
struct OutlineSizes {
    private let store: ArrangementCache

    /// The number of items from which on a level's totals are kept; counting fewer costs less than keeping them.
    private static let leastKept = 1_024

    init(_ store: ArrangementCache) { self.store = store }

    /// The order of the rows below an item; nil for that of the document.
    func order(below step: Item.Step) -> OutlineOrder? {
        guard step.hasOrder, let order = step.order else { return nil }
        return OutlineOrder(store.listing(below: step), by: order)
    }

    /// How many rows must be put in order below an item; 0 if their order is known.
    func work(below step: Item.Step) -> Int { step.hasOrder ? store.work(below: step) : 0 }

    /// The number of rows that are shown of a level and of the levels below it.
    ///
    /// - Parameter depth: the number of levels that are open, the level itself among them; at least 1.
    func size(of level: Level, depth: Int) -> Int {
        if depth <= 1 { return level.count }
        // With everything open, the level knows it.
        if depth >= level.height { return level.itemCount }
        guard level.itemCount < Self.leastKept else {
            return totals(of: level, depth: depth, in: nil).before(level.count)
        }
        return counted(level, depth: depth)
    }

    /// The totals of a level's rows, in time linear in their number if everything is open or the totals below are kept.
    ///
    /// - Parameter order: nil for that of the document.
    func totals(of level: Level, depth: Int, in order: OutlineOrder?) -> RunningTotals {
        guard depth > 1, level.itemCount > level.count else { return .closed }
        // All depths that show everything are the same.
        let key = RunningTotals.Key(level: level.hash, depth: min(depth, Int(level.height)), order: order?.order)
        let isKept = level.itemCount >= Self.leastKept
        if isKept, let kept = store.totals(key) { return kept }
        let totals = RunningTotals(rows: level.count) { index in
            1 + (level.child(order?.row(at: index) ?? index).map { size(of: $0, depth: depth - 1) } ?? 0)
        }
        if isKept { store.keep(totals, key) }
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

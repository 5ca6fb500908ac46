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

/// Keeps what outlines find out about large levels between requests, within a budget.
public protocol OutlineStore: Sendable {
    /// The rows below an item as they are shown without a query.
    func listing(below step: Item.Step) -> Listing

    /// How many rows must be put in order to make that listing; 0 if it is kept.
    func work(below step: Item.Step) -> Int

    /// The totals with a key; nil if they are not kept.
    func totals(_ key: RunningTotals.Key) -> RunningTotals?

    /// Keeps totals, unless they take too much memory.
    func keep(_ totals: RunningTotals, _ key: RunningTotals.Key)
}

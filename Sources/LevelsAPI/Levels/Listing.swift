import Levels

/// The rows of a level that an answer is about, all pages together, in the order in which they are shown.
struct Listing {
    /// Changes which rows there are, or their order.
    typealias Step = @Sendable (inout Listing) -> Void

    let level: Level?
    /// The numbers of the rows in the level, by position; nil if each is at its own.
    private(set) var order: [Int]?

    init(_ level: Level?, _ steps: [Step] = []) {
        self.level = level
        for step in steps { step(&self) }
    }

    var count: Int { order?.count ?? level?.count ?? 0 }

    /// The sections that divide the rows; empty for one of no title. Rows that were arranged have no others.
    var sections: ArraySlice<Section> { order == nil ? level?.sections ?? [] : [] }

    /// The number of the row at a position.
    @inline(__always)
    func row(at position: Int) -> Int {
        guard let order else { return position }
        return order[position]
    }

    /// Where a row of the level is shown; nil if it is not.
    func position(ofRow row: Int) -> Int? {
        guard let order else { return row }
        return order.firstIndex(of: row)
    }

    /// Replaces the rows by others, or by the same in another order.
    ///
    /// - Parameter arrange: gives the numbers of the rows to show, of those shown so far.
    mutating func arrange(_ arrange: (_ rows: [Int], _ level: Level) -> [Int]) {
        guard let level else { return }
        order = arrange(order ?? Array(0..<level.count), level)
    }
}

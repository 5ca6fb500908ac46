/// A level of an outline, with its open rows.
///
/// A row's index is its place in the shown order. If the level is without an order of its own, the index is the row's
/// number.
final class OutlineBranch {
    let level: Level
    /// The item above the level.
    private let step: Item.Step
    /// The number of open levels from this level on, apart from rows opened by name.
    private let depth: Int
    private let sizes: OutlineSizes
    private let names: NamedRows?
    /// The order of the rows, determined on demand; nil for the document's order.
    private(set) lazy var order = sizes.order(below: step)
    private lazy var totals = sizes.totals(of: level, depth: depth, in: order)
    /// The rows opened by name, in ascending order.
    private lazy var named = namedRows()
    /// The number of shown rows of the level and the levels below it.
    private(set) lazy var count = countOfLevel() + (named.last?.moreRows ?? 0)

    /// A row opened by name.
    private struct Named {
        let index: Int
        let branch: OutlineBranch
        /// The number of rows that this row and the previous named rows add to the rows opened by depth.
        let moreRows: Int
    }

    /// Creates the branch below an item; nil for a leaf.
    init?(below step: Item.Step, depth: Int, names: NamedRows?, sizes: OutlineSizes) {
        guard let level = step.below, level.count > 0 else { return nil }
        self.level = level
        self.step = step
        self.depth = depth
        self.sizes = sizes
        // If everything is open, names add nothing.
        self.names = depth < level.height ? names : nil
    }

    /// The number of rows that must be sorted; 0 if their order is known.
    var work: Int { sizes.work(below: step) }

    /// Counts the rows without determining their order, because a level outside the page may be large.
    private func countOfLevel() -> Int {
        step.hasOrder ? sizes.size(of: level, depth: depth) : totals.before(level.count)
    }

    /// The open level below the row at an index; nil if the level is closed or empty.
    func below(_ index: Int) -> OutlineBranch? {
        let nearest = named.partitioningIndex { $0.index >= index }
        if nearest < named.count, named[nearest].index == index { return named[nearest].branch }
        guard depth > 1 else { return nil }
        return OutlineBranch(
            below: Item.Step(level: level, row: row(at: index)), depth: depth - 1, names: nil, sizes: sizes)
    }

    /// The number of the row at an index.
    func row(at index: Int) -> Int { order?.row(at: index) ?? index }

    /// The position of the row at an index, relative to the level's first row; for the index `level.count`, the number
    /// of all shown rows.
    func position(of index: Int) -> Int {
        let nearest = named.partitioningIndex { $0.index >= index }
        return totals.before(index) + (nearest > 0 ? named[nearest - 1].moreRows : 0)
    }

    /// The index of the row that is at a position, or that has the row at the position below it.
    ///
    /// - Parameter position: at least 0 and less than `count`.
    func index(at position: Int) -> Int {
        let next = named.partitioningIndex { self.position(of: $0.index) > position }
        guard next > 0 else { return totals.row(at: position) }
        let nearest = named[next - 1]
        // The row at the position is below the nearest named row, or after the rows below it.
        guard position >= self.position(of: nearest.index + 1) else { return nearest.index }
        return totals.row(at: position - nearest.moreRows)
    }

    /// The index of the row before a bookmark, if that row is still in its place; otherwise, the index of the first row
    /// after the bookmark.
    func index(at bookmark: Bookmark) -> (index: Int, isRow: Bool) {
        let next = (order?.listing ?? Listing(level)).position(after: bookmark)
        guard let hash = bookmark.keyHashes.first, let row = level.row(withKeyHash: hash), let index = index(ofRow: row)
        else { return (next, false) }
        // A row between the same rows as before is in its place, even if its sort key has changed.
        return index == next || index + 1 == next ? (index, true) : (next, false)
    }

    private func index(ofRow row: Int) -> Int? { order.map { $0.listing.position(ofRow: row) } ?? row }

    private func namedRows() -> [Named] {
        var named: [Named] = []
        let rows = (names?.rows ?? [:]).compactMap { row, names in index(ofRow: row).map { ($0, row, names) } }
        for (index, row, names) in rows.sorted(by: { $0.0 < $1.0 }) {
            let step = Item.Step(level: level, row: row)
            guard let branch = OutlineBranch(below: step, depth: max(depth - 1, 1), names: names, sizes: sizes) else {
                continue
            }
            let more = branch.count - (depth > 1 ? sizes.size(of: branch.level, depth: depth - 1) : 0)
            named.append(Named(index: index, branch: branch, moreRows: (named.last?.moreRows ?? 0) + more))
        }
        return named
    }
}

/// The rows of a level in the order that the item above defines (`SortBy`, `GroupBy`).
final class OutlineOrder: Sendable {
    let listing: Listing
    let order: ListingOrder

    init(listing: Listing, by order: ListingOrder) {
        self.listing = listing
        self.order = order
    }

    /// The number of the row at an index.
    func row(at index: Int) -> Int { listing.place(at: index).row }

    var first: Int? { listing.count > 0 ? row(at: 0) : nil }

    var last: Int? { listing.count > 0 ? row(at: listing.count - 1) : nil }
}

/// The rows of a level, and of the open levels below it, in one list: each row is followed by the rows below it.
///
/// The list is never made: the sizes of subtrees tell which row is at a position. A page takes time linear in its rows
/// and in the rows of the levels that lead to it, and memory for its rows.
public struct OutlineRows {
    private let level: Level?
    private let root: OutlineBranch?
    private let step: Item.Step
    private let names: NamedRows?
    private let sizes: OutlineSizes

    /// The rows below an item.
    ///
    /// - Parameter store: keeps what was found out about large levels.
    public init(below step: Item.Step, _ opening: OutlineOpening, _ store: any OutlineStore) {
        self.step = step
        level = step.level.child(step.row)
        names = opening.paths.isEmpty ? nil : level.map { NamedRows(opening.paths, in: $0) }
        sizes = OutlineSizes(store)
        root = OutlineBranch(below: step, depth: opening.depth, names, sizes)
    }

    /// The number of rows on all pages.
    public var count: Int { root?.count ?? 0 }

    /// The listing of the rows at some positions, which shows no others.
    public func listing(of positions: Range<Int>) -> Listing {
        var listing = Listing(level)
        if let order = root?.order { listing.addRoot(in: order) }
        // The row after the last tells whether that one is expanded.
        let shown = positions.lowerBound..<min(positions.upperBound + 1, count)
        var places: [Place] = []
        places.reserveCapacity(shown.count)
        var walk = OutlineWalk()
        if let root, !shown.isEmpty { walk.begin(root, at: shown.lowerBound, &listing) }
        while places.count < shown.count, let place = walk.next(&listing) { places.append(place) }
        listing.show(places, from: shown.lowerBound, of: count, with: .outline)
        return listing
    }

    /// The position of the first row after the place that a cursor remembers.
    public func position(after cursor: OutlinePlace) -> Int {
        var start = 0
        var next = root
        for bookmark in cursor.steps {
            guard let branch = next else { return start }
            let (index, isRow) = branch.index(at: bookmark)
            start += branch.position(of: index)
            guard isRow else { return start }
            start += 1
            next = branch.below(index)
        }
        return start
    }

    // MARK: Levels with an order of their own

    /// How many rows must be put in order to count the rows.
    public var workOfCounting: Int { names.map { work(of: $0, below: step) } ?? 0 }

    private func work(of names: NamedRows, below step: Item.Step) -> Int {
        guard !names.rows.isEmpty, let level = step.level.child(step.row) else { return 0 }
        return names.rows.reduce(sizes.work(below: step)) {
            $0 + work(of: $1.value, below: Item.Step(level: level, row: $1.key))
        }
    }

    /// How many rows must be put in order to find the row at a position.
    ///
    /// - Parameter limit: how many rows may be put in order to find it out; a level that would be more is not looked into.
    public func work(at position: Int, limit: Int) -> Int {
        var work = 0
        var rest = position
        var next = position < count ? root : nil
        while let branch = next {
            work += branch.work
            guard work <= limit else { break }
            let index = branch.index(at: rest)
            rest -= branch.position(of: index)
            guard rest > 0 else { break }
            rest -= 1
            next = branch.below(index)
        }
        return work
    }

    /// How many rows must be put in order to find the place that a cursor remembers.
    ///
    /// - Parameter limit: how many rows may be put in order to find it out; a level that would be more is not looked into.
    public func work(after cursor: OutlinePlace, limit: Int) -> Int {
        var work = 0
        var next = root
        for bookmark in cursor.steps {
            guard let branch = next else { break }
            work += branch.work
            guard work <= limit else { break }
            next = branch.below(branch.index(at: bookmark).index)
        }
        return work
    }
}

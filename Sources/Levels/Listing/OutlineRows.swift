/// A list of the rows of a level and of the open levels below it. Each row is followed by the rows below it.
///
/// The list is virtual: the row at a position is found from the sizes of the subtrees. A page takes memory only for its
/// own rows. It takes time linear in its rows and in the rows of the levels that lead to the page.
public struct OutlineRows {
    private let level: Level?
    private let root: OutlineBranch?
    private let step: Item.Step
    private let names: NamedRows?
    private let sizes: OutlineSizes

    /// Creates the outline of the rows below an item.
    ///
    /// - Parameter store: a cache for large levels.
    public init(below step: Item.Step, opening: OutlineOpening, store: ArrangementCache) {
        self.step = step
        level = step.below
        names = opening.paths.isEmpty ? nil : level.map { NamedRows(paths: opening.paths, in: $0) }
        sizes = OutlineSizes(store)
        root = OutlineBranch(below: step, depth: opening.depth, names: names, sizes: sizes)
    }

    /// The number of rows on all pages.
    public var count: Int { root?.count ?? 0 }

    func positions(of page: PageQuery) -> Range<Int> {
        var start = page.firstPosition
        if case .outline(let place) = page.after { start = position(after: place) }
        return page.positions(from: start, of: count)
    }

    /// Returns a listing of only the rows at some positions.
    public func listing(of positions: Range<Int>) -> Listing {
        var listing = Listing(level)
        if let order = root?.order { listing.addRoot(in: order) }
        // The row after the last position shows whether the row at the last position is expanded.
        let shown = positions.lowerBound..<min(positions.upperBound + 1, count)
        var places: [Place] = []
        places.reserveCapacity(shown.count)
        var walk = OutlineWalk()
        if let root, !shown.isEmpty { walk.begin(root, at: shown.lowerBound, listing: &listing) }
        while places.count < shown.count, let place = walk.next(&listing) { places.append(place) }
        listing.show(places, from: shown.lowerBound, of: count, with: .outline)
        return listing
    }

    /// The position of the first row after a cursor's place.
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

    /// The number of rows that must be sorted before the rows of the outline can be counted.
    public var workOfCounting: Int { names.map { work(of: $0, below: step) } ?? 0 }

    private func work(of names: NamedRows, below step: Item.Step) -> Int {
        guard !names.rows.isEmpty, let level = step.below else { return 0 }
        return names.rows.reduce(sizes.work(below: step)) {
            $0 + work(of: $1.value, below: Item.Step(level: level, row: $1.key))
        }
    }

    /// The number of rows that must be sorted to find the row at a position.
    ///
    /// - Parameter limit: the number of rows that this function itself may sort. It stops at a level that would exceed
    ///   the limit.
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

    /// The number of rows that must be sorted to find a cursor's place.
    ///
    /// - Parameter limit: the number of rows that this function itself may sort. It stops at a level that would exceed
    ///   the limit.
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

/// The open rows of an outline: all rows down to a depth, and some rows by name.
public struct OutlineOpening: Hashable, Sendable, CustomStringConvertible {
    /// The number of open levels, including the outline's own level; at least 1.
    public var depth = 1 { didSet { isDepthAsked = true } }
    /// Whether the query gives the depth.
    public private(set) var isDepthAsked = false
    /// The paths of open items. Each path begins below the outline's level. The items above an open item are open, too.
    public var paths: [ItemPath] = []

    public init() {}

    /// The depth that opens everything.
    public static let all = Int(UInt16.max)

    /// The opening as text, such as `depth 2, expand a/b`.
    public var description: String {
        (["depth \(depth)"] + paths.map { "expand \($0)" }).joined(separator: ", ")
    }
}

/// The rows of a level that are opened by name, each with the rows below it that are opened by name.
struct NamedRows {
    private(set) var rows: [Int: NamedRows] = [:]

    /// Finds the rows at the paths. Ignores a path that does not lead to a row.
    init(paths: [ItemPath], in level: Level) {
        for path in paths {
            if let steps = Self.steps(path, in: level) { insert(steps[...]) }
        }
    }

    private init() {}

    private mutating func insert(_ steps: ArraySlice<Int>) {
        guard let first = steps.first else { return }
        rows[first, default: NamedRows()].insert(steps.dropFirst())
    }

    /// The row numbers on a path; nil if a row is missing.
    private static func steps(_ path: ItemPath, in level: Level) -> [Int]? {
        var steps: [Int] = []
        var next: Level? = level
        for number in 0..<path.count {
            guard let level = next, let row = level.row(withKey: path.bytes.span.extracting(path.range(number))) else {
                return nil
            }
            steps.append(row)
            next = level.child(row)
        }
        return steps
    }
}

/// A remembered row of an outline. The row's place can be found again after rows have changed.
public struct OutlinePlace: Hashable, Sendable {
    /// A bookmark for each level, from the outline's own level to the row's level: the place directly after the row, or
    /// after the item above the row on that level.
    public let steps: [Bookmark]

    /// - Parameter steps: at least one.
    public init(steps: [Bookmark]) { self.steps = steps }

    /// Remembers the row at a position of a listing.
    public init(at position: Int, in listing: Listing) {
        var places: [Place] = []
        var next: Place? = listing.place(at: position)
        while let place = next {
            places.append(place)
            next = listing.above(place)
        }
        let room = Self.room(steps: places.count)
        steps = places.reversed().map { place in
            let siblings = listing.siblings(of: place)
            return siblings.bookmark(before: (siblings.position(ofRow: place.row) ?? place.row) + 1, room: room)
        }
    }

    /// The room for the bookmark of each level. It shrinks with the number of levels, to keep the cursor short.
    public static func room(steps: Int) -> Bookmark.Room {
        let whole = Bookmark.Room.whole
        let steps = max(steps, 1)
        return Bookmark.Room(
            rows: min(max(32 / steps, 1), whole.rows), keyBytes: min(max(960 / steps, 7), whole.keyBytes))
    }
}

/// Visits the rows of an outline in order, without recursion.
struct OutlineWalk {
    private struct Frame {
        let branch: OutlineBranch
        /// The number of the branch in the listing.
        let number: Int
        /// The index of the next row in the branch.
        var index: Int

        var place: Place { Place(branch: number, row: branch.row(at: index)) }
    }

    /// The levels that lead to the next row, or to the row visited last.
    private var frames: [Frame] = []
    /// Whether the last frame is at the row visited last. The walk moves on only when the next row is requested,
    /// because until then the level below the visited row need not be examined.
    private var isVisited = false

    /// Moves to the row at a position.
    ///
    /// - Parameter position: at least 0 and less than the number of rows of the outline.
    mutating func begin(_ root: OutlineBranch, at position: Int, listing: inout Listing) {
        var rest = position
        frames = [Frame(branch: root, number: 0, index: 0)]
        while let top = frames.last {
            let index = top.branch.index(at: rest)
            frames[frames.count - 1].index = index
            rest -= top.branch.position(of: index)
            guard rest > 0, enter(&listing) else { return }
            rest -= 1
        }
    }

    mutating func next(_ listing: inout Listing) -> Place? {
        if isVisited, !enter(&listing) { frames[frames.count - 1].index += 1 }
        while let top = frames.last {
            if top.index < top.branch.level.count {
                isVisited = true
                return top.place
            }
            frames.removeLast()
        }
        isVisited = false
        return nil
    }

    /// Passes the last frame's row, and enters the level below that row. If that level is not open, does nothing and
    /// returns false.
    private mutating func enter(_ listing: inout Listing) -> Bool {
        guard let top = frames.last, let below = top.branch.below(top.index),
            let number = listing.addBranch(below: top.place, in: below.order)
        else { return false }
        frames[frames.count - 1].index += 1
        frames.append(Frame(branch: below, number: number, index: 0))
        return true
    }
}

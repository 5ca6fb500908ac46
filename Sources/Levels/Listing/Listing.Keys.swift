internal import Bytes

/// Rows by hashes of their keys, which cursors carry.
extension Listing {
    /// The XXH3-64 hash of the key of the row at a position; further down, that of all keys from the level to the row.
    public func keyHash(at position: Int) -> UInt64 {
        let place = place(at: position)
        guard let level = level(of: place) else { return 0 }
        if place.branch == 0 { return level.keyHash(place.row) }
        var branchHash: UInt64 = 0
        for step in rows(above: place) { branchHash = Self.hash(step.level.keyHash(step.row), below: branchHash) }
        return level.keyHash(place.row) ^ branchHash
    }

    /// The first place that one of these hashes leads to, with its position; nil if none of the rows is shown.
    ///
    /// Time is that of a look-up in each level that rows come from, and in an arranged listing linear in the rows.
    ///
    /// - Parameters:
    ///   - range: the positions that count; nil for all.
    ///   - position: where the first of them was; the hits of a search are looked for near it.
    func position(ofFirst hashes: [UInt64], in range: Range<Int>? = nil, lastAt position: Int = 0) -> Int? {
        if case .items = rows {
            return self.position(ofFirst: hashes, in: range ?? 0..<count, near: position)
        }
        var positions: Positions?
        let branchHashes = branchHashes()
        for hash in hashes {
            for (branch, branchHash) in branchHashes.enumerated() {
                guard let row = level(of: Place(branch: branch, row: 0))?.row(withKeyHash: hash ^ branchHash)
                else { continue }
                let known = positions ?? Positions(self)
                positions = known
                let position = known[Place(branch: branch, row: row)]
                if let position, range?.contains(position) != false { return position }
            }
        }
        return nil
    }

    /// The hash of the keys that lead to each branch: 0 for the listing's own level, so that its rows' hashes are those
    /// of their keys.
    private func branchHashes() -> [UInt64] {
        var hashes: [UInt64] = [0]
        for branch in branches.dropFirst() {
            guard let above = branch.above, let level = level(of: above) else { continue }
            hashes.append(Self.hash(level.keyHash(above.row), below: hashes[above.branch]))
        }
        return hashes
    }

    private static func hash(_ key: UInt64, below branch: UInt64) -> UInt64 {
        var words = ByteBuffer(capacity: 16)
        words.append(littleEndian: branch)
        words.append(littleEndian: key)
        return ContentHash.short(of: words.span)
    }
}

extension Listing {
    /// The rows that lead from the listing's level to a row, outermost first, without the row itself.
    public func rows(above place: Place) -> [Item.Step] {
        var steps: [Item.Step] = []
        var next = above(place)
        while let place = next, let level = level(of: place) {
            steps.append(Item.Step(level: level, row: place.row))
            next = above(place)
        }
        return steps.reversed()
    }

    /// How many levels a row is below the listing's own.
    public func indent(of place: Place) -> Int {
        var indent = 0
        var next = above(place)
        while let place = next {
            indent += 1
            next = above(place)
        }
        return indent
    }

    /// Whether the rows below the row at a position follow it.
    public func isExpanded(at position: Int) -> Bool {
        position + 1 < count && above(place(at: position + 1)) == place(at: position)
    }

    /// Whether a row is the first, and whether it is the last, of its siblings in their order.
    public func isAtEnd(_ place: Place) -> (first: Bool, last: Bool) {
        if let order = order(of: place) { return (order.first == place.row, order.last == place.row) }
        return (place.row == 0, place.row + 1 == level(of: place)?.count)
    }

    /// All rows of a row's level, in their order.
    func siblings(of place: Place) -> Listing { order(of: place)?.listing ?? Listing(level(of: place)) }

    private func order(of place: Place) -> OutlineOrder? { branches.isEmpty ? nil : branches[place.branch].order }

    func above(_ place: Place) -> Place? { place.branch == 0 ? nil : branches[place.branch].above }
}

/// The position of each row in a listing: made once, in time linear in the rows, so that a look-up takes no search.
///
/// An unchanged level needs no table.
public struct Positions: Sendable {
    private let count: Int
    /// The position plus one by row, for one level after the other; 0 for a row that is not shown.
    private let table: [UInt32]?
    /// The index of each branch's first row in the table.
    private let starts: [Int]

    /// Notes the position of each row of a listing.
    public init(_ listing: Listing) {
        count = listing.count
        guard let level = listing.level, !listing.isLevel else {
            table = nil
            starts = []
            return
        }
        var starts = [0]
        var end = level.count
        for branch in listing.branches.dropFirst() {
            starts.append(end)
            end += branch.level.count
        }
        var table = [UInt32](repeating: 0, count: end)
        for position in 0..<count {
            let place = listing.place(at: position)
            table[starts[place.branch] + place.row] = UInt32(position + 1)
        }
        self.table = table
        self.starts = starts
    }

    /// The position of a row; nil if it is not shown.
    public subscript(place: Place) -> Int? {
        guard let table else { return place.row < count ? place.row : nil }
        let position = table[starts[place.branch] + place.row]
        return position == 0 ? nil : Int(position) - 1
    }
}

extension Listing {
    /// Whether the rows are those of the level, in its order.
    var isLevel: Bool {
        if case .level = rows { true } else { false }
    }
}

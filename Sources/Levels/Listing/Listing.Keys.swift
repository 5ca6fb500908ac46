internal import Bytes

/// Rows by hashes of their keys, which cursors carry.
extension Listing {
    /// The XXH3-64 hash of the key of a row; below the listing's level, of all keys from the level to the row.
    public func keyHash(at position: Int) -> UInt64 {
        let place = place(at: position)
        guard let level = level(of: place) else { return 0 }
        if place.branch == 0 { return level.keyHash(place.row) }
        var branchHash: UInt64 = 0
        for step in rows(above: place) { branchHash = Self.hash(step.level.keyHash(step.row), below: branchHash) }
        return level.keyHash(place.row) ^ branchHash
    }

    /// The position of the first shown row with one of these key hashes, in order of preference; nil if no row is
    /// found.
    ///
    /// Takes a look-up for each hash in each branch, and in an arranged listing also time linear in the rows.
    ///
    /// - Parameters:
    ///   - range: the allowed positions; nil for all.
    ///   - position: the former position of the first row; the search for hits of an `ItemSearch` begins near it.
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

    /// The hash of the keys that lead to each branch; 0 for the listing's own level, whose rows keep the hashes of
    /// their keys.
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
    /// The rows from the listing's level to a row, outermost first, without the row.
    public func rows(above place: Place) -> [Item.Step] {
        var steps: [Item.Step] = []
        var next = above(place)
        while let place = next, let level = level(of: place) {
            steps.append(Item.Step(level: level, row: place.row))
            next = above(place)
        }
        return steps.reversed()
    }

    /// The number of levels between a row's level and the listing's.
    public func indent(of place: Place) -> Int {
        var indent = 0
        var next = above(place)
        while let place = next {
            indent += 1
            next = above(place)
        }
        return indent
    }

    /// Whether a row is followed by the rows below it.
    public func isExpanded(at position: Int) -> Bool {
        position + 1 < count && above(place(at: position + 1)) == place(at: position)
    }

    /// Whether a row is the first, and whether it is the last, of its siblings in their order.
    public func isAtEnd(_ place: Place) -> (first: Bool, last: Bool) {
        if let order = order(of: place) { return (order.first == place.row, order.last == place.row) }
        return (place.row == 0, place.row + 1 == level(of: place)?.count)
    }

    func siblings(of place: Place) -> Listing { order(of: place)?.listing ?? Listing(level(of: place)) }

    private func order(of place: Place) -> OutlineOrder? { branches.isEmpty ? nil : branches[place.branch].order }

    func above(_ place: Place) -> Place? { place.branch == 0 ? nil : branches[place.branch].above }
}

/// The position of each row in a listing, computed once in linear time for look-ups without a search.
///
/// An unchanged level needs no table.
public struct Positions: Sendable {
    private let count: Int
    /// The position plus one of each row, level by level; 0 for rows that are not shown.
    private let table: [UInt32]?
    /// The index of each branch's first row in the table.
    private let starts: [Int]

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
    /// Whether the listing shows its level unchanged.
    var isLevel: Bool {
        if case .level = rows { true } else { false }
    }
}

internal import Bytes

/// Finds rows by the hashes of their keys. Cursors contain these hashes.
extension Listing {
    /// The XXH3-64 hash of a row's key. For a row below the listing's level, the hash of all keys from the level to the
    /// row.
    public func keyHash(at position: Int) -> UInt64 {
        let place = place(at: position)
        guard let level = level(of: place) else { return 0 }
        if place.branch == 0 { return level.keyHash(place.row) }
        var branchHash: UInt64 = 0
        for step in rows(above: place) { branchHash = Self.hash(step.level.keyHash(step.row), below: branchHash) }
        return level.keyHash(place.row) ^ branchHash
    }

    /// The position of a shown row with one of these key hashes; nil if no row is found. Earlier hashes are preferred.
    ///
    /// Takes a look-up for each hash in each branch, and in an arranged listing also time linear in the rows.
    ///
    /// - Parameters:
    ///   - range: the allowed positions; nil for all.
    ///   - position: the former position of the row with the first hash. For hits of an `ItemSearch`, the search begins
    ///     near this position.
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

    /// For each branch, the hash of the keys that lead to it. The listing's own level has 0, because its rows keep the
    /// hashes of their keys.
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

    /// The depth of a row's level below the listing's level; 0 for the listing's level itself.
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

    /// Whether a row is the first of its siblings, and whether it is the last, in the order of the siblings.
    public func isAtEnd(_ place: Place) -> (first: Bool, last: Bool) {
        if let order = order(of: place) { return (order.first == place.row, order.last == place.row) }
        return (place.row == 0, place.row + 1 == level(of: place)?.count)
    }

    func siblings(of place: Place) -> Listing { order(of: place)?.listing ?? Listing(level(of: place)) }

    private func order(of place: Place) -> OutlineOrder? { branches.isEmpty ? nil : branches[place.branch].order }

    func above(_ place: Place) -> Place? { place.branch == 0 ? nil : branches[place.branch].above }
}

/// The position of each row in a listing. The positions are computed once, in linear time, so that look-ups need no
/// search.
///
/// An unchanged level needs no table.
public struct Positions: Sendable {
    private let count: Int
    /// For each row, level by level, its position plus one; 0 for a row that is not shown. Nil for an unchanged level.
    private let table: [UInt32]?
    /// For each branch, the index of its first row in the table.
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

    /// The position of a row; nil if the row is not shown.
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

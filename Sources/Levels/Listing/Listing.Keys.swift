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
    /// - Parameters:
    ///   - range: the allowed positions; nil for all.
    ///   - position: the former position of the row with the first hash. For hits of an `ItemSearch`, the search begins
    ///     near this position.
    func position(ofFirst hashes: [UInt64], in range: Range<Int>? = nil, lastAt position: Int = 0) -> Int? {
        if case .items = rows {
            return self.position(ofFirst: hashes, in: range ?? 0..<count, near: position)
        }
        for hash in hashes {
            guard let row = level?.row(withKeyHash: hash), let position = self.position(ofRow: row) else { continue }
            if range?.contains(position) != false { return position }
        }
        return nil
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

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

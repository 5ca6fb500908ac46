/// Finds rows by the hash of their key: open addressing, at most twelve bytes a row; short levels are searched without
/// a table.
///
/// The hash is `ContentHash.short`, which cursors carry, so it is the same in every process. The slot depends on this
/// process's seed, so that a document cannot be written whose keys collide there. `SiblingKeys` limits how many keys
/// share one hash.
struct KeyIndex: Sendable {
    /// The number of a row plus one, or 0 for an empty slot; the length is a power of two, or 0.
    var slots: [UInt32]
    let rowCount: Int

    /// The maximum number of rows in a level without a table.
    static let searchedRows = 16

    /// An index of `rowCount` rows, still empty.
    init(rowCount: Int) {
        self.rowCount = rowCount
        guard rowCount > Self.searchedRows else {
            slots = []
            return
        }
        slots = Array(repeating: 0, count: Self.size(rowCount))
    }

    /// The number of slots of an index for this number of rows.
    static func size(_ rowCount: Int) -> Int {
        var size = 32
        while size < rowCount + rowCount / 2 { size *= 2 }
        return size
    }

    /// The approximate memory use, in bytes.
    var residentBytes: Int { slots.count * 4 }

    /// Inserts a row; returns an equal row instead if the index contains one.
    mutating func insert(_ row: Int, hash: UInt64, isEqual: (Int) -> Bool) -> Int? {
        let slot = slot(hash: hash, isEqual: isEqual)
        guard slots[slot] == 0 else { return Int(slots[slot]) - 1 }
        slots[slot] = UInt32(row + 1)
        return nil
    }

    /// One byte of a key's hash.
    static func fingerprint(_ hash: UInt64) -> UInt8 { UInt8(truncatingIfNeeded: hash >> 56) }

    /// The row that `isEqual` accepts, among those with the hash.
    ///
    /// - Parameter bytes: the bytes of the level. A short level has the fingerprints of its keys after the offsets of
    ///   its rows, so that a search reads only the right row.
    func row(hash: UInt64, in bytes: Span<UInt8>, isEqual: (Int) -> Bool) -> Int? {
        guard slots.isEmpty else { return find(hash: hash, isEqual: isEqual) }
        let fingerprint = Self.fingerprint(hash)
        let start = (rowCount + 1) * 4
        for row in 0..<rowCount where bytes[start + row] == fingerprint && isEqual(row) { return row }
        return nil
    }

    /// The same by the table, which must exist.
    func find(hash: UInt64, isEqual: (Int) -> Bool) -> Int? {
        let found = slots[slot(hash: hash, isEqual: isEqual)]
        return found == 0 ? nil : Int(found) - 1
    }

    /// The slot of the row that `isEqual` accepts, or the empty one where the search for it ends.
    @inline(__always)
    private func slot(hash: UInt64, isEqual: (Int) -> Bool) -> Int {
        let mask = slots.count - 1
        var slot = Int(truncatingIfNeeded: TableHash.of(hash)) & mask
        while slots[slot] != 0, !isEqual(Int(slots[slot]) - 1) { slot = (slot + 1) & mask }
        return slot
    }
}

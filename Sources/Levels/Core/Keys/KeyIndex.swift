/// Finds rows by the hashes of their keys.
///
/// The index is a table with open addressing, which takes six to twelve bytes per row when it is new. Short levels do
/// without a table.
///
/// The hash is `ContentHash.short`, as in cursors. The slot also depends on this process's seed, so that nobody can
/// craft a document whose keys collide in the table. `SiblingKeys` limits how many keys share one hash.
struct KeyIndex: Sendable {
    /// Each slot contains the number of a row plus one, or 0 if the slot is empty. The number of slots is a power of
    /// two; 0 for a short level.
    private var slots: [UInt32]
    let rowCount: Int

    /// The maximum number of rows in a level without a table.
    static let searchedRows = 16

    /// An empty index for `rowCount` rows.
    init(rowCount: Int) {
        self.rowCount = rowCount
        guard rowCount > Self.searchedRows else {
            slots = []
            return
        }
        slots = Array(repeating: 0, count: Self.size(rowCount))
    }

    static func size(_ rowCount: Int) -> Int {
        var size = 32
        while size < rowCount + rowCount / 2 { size *= 2 }
        return size
    }

    var residentBytes: Int { slots.count * 4 }

    /// Inserts a row and returns nil. If the index already contains an equal row, returns that row instead.
    mutating func insert(_ row: Int, hash: UInt64, isEqual: (Int) -> Bool) -> Int? {
        let slot = slot(hash: hash, isEqual: isEqual)
        guard slots[slot] == 0 else { return Int(slots[slot]) - 1 }
        slots[slot] = UInt32(row + 1)
        return nil
    }

    static func fingerprint(_ hash: UInt64) -> UInt8 { UInt8(truncatingIfNeeded: hash >> 56) }

    /// Returns the row with this hash that `isEqual` accepts, or nil.
    ///
    /// - Parameter bytes: the bytes of the level. In a short level, the fingerprints of the keys follow the offsets of
    ///   the rows, so that only rows with the same fingerprint are compared.
    func row(hash: UInt64, in bytes: Span<UInt8>, isEqual: (Int) -> Bool) -> Int? {
        guard slots.isEmpty else { return find(hash: hash, isEqual: isEqual) }
        let fingerprint = Self.fingerprint(hash)
        let start = (rowCount + 1) * 4
        for row in 0..<rowCount where bytes[start + row] == fingerprint && isEqual(row) { return row }
        return nil
    }

    /// Returns the row with this hash that `isEqual` accepts, or nil. The index must have a table.
    func find(hash: UInt64, isEqual: (Int) -> Bool) -> Int? {
        let found = slots[slot(hash: hash, isEqual: isEqual)]
        return found == 0 ? nil : Int(found) - 1
    }

    /// The slot of the row that `isEqual` accepts, or the empty slot at which the search ends.
    @inline(__always)
    private func slot(hash: UInt64, isEqual: (Int) -> Bool) -> Int {
        let mask = slots.count - 1
        var slot = Int(truncatingIfNeeded: TableHash.of(hash)) & mask
        while slots[slot] != 0, !isEqual(Int(slots[slot]) - 1) { slot = (slot + 1) & mask }
        return slot
    }
}

extension RandomAccessCollection {
    /// Returns the index of the first element that satisfies a condition, or else `endIndex`. All elements after that
    /// element must satisfy the condition, too.
    package func partitioningIndex(_ isInSecondPart: (Element) -> Bool) -> Index {
        var low = startIndex
        var rest = count
        while rest > 0 {
            let half = rest / 2
            let middle = index(low, offsetBy: half)
            if isInSecondPart(self[middle]) {
                rest = half
            } else {
                low = index(after: middle)
                rest -= half + 1
            }
        }
        return low
    }
}

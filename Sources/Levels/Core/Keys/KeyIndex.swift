/// Finds rows by key hash: open addressing, six to twelve bytes a row in a new table, and no table for short levels.
///
/// The hash is `ContentHash.short`, as in cursors; the slot also depends on this process's seed, so that no document
/// can be crafted whose keys collide there. `SiblingKeys` limits how many keys share one hash.
struct KeyIndex: Sendable {
    /// The number of a row plus one, or 0 for an empty slot; the length is a power of two, or 0.
    var slots: [UInt32]
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

    /// Inserts a row and returns nil, or returns the equal row that the index already contains.
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

    /// Returns the row that `isEqual` accepts, from an index with a table, or nil.
    func find(hash: UInt64, isEqual: (Int) -> Bool) -> Int? {
        let found = slots[slot(hash: hash, isEqual: isEqual)]
        return found == 0 ? nil : Int(found) - 1
    }

    /// The slot of the row that `isEqual` accepts, or the empty slot at which its search ends.
    @inline(__always)
    private func slot(hash: UInt64, isEqual: (Int) -> Bool) -> Int {
        let mask = slots.count - 1
        var slot = Int(truncatingIfNeeded: TableHash.of(hash)) & mask
        while slots[slot] != 0, !isEqual(Int(slots[slot]) - 1) { slot = (slot + 1) & mask }
        return slot
    }
}

extension KeyIndex {
    init(slots: [UInt32], rowCount: Int) {
        self.slots = slots
        self.rowCount = rowCount
    }

    /// Whether the table suits another number of rows, so that updating it is cheaper than filling a new one.
    func isSuited(to newCount: Int) -> Bool {
        guard !slots.isEmpty, newCount > Self.searchedRows else { return false }
        return (Self.size(newCount)...Self.size(newCount) * 4).contains(slots.count)
    }

    /// Removes a row, and moves back only the rows that it displaced.
    mutating func remove(_ row: Int, hashOf: (Int) -> UInt64) {
        let mask = slots.count - 1
        var hole = Int(truncatingIfNeeded: TableHash.of(hashOf(row))) & mask
        while slots[hole] != UInt32(row + 1) {
            if slots[hole] == 0 { return }
            hole = (hole + 1) & mask
        }
        var slot = hole
        while true {
            slot = (slot + 1) & mask
            guard slots[slot] != 0 else { break }
            let home = Int(truncatingIfNeeded: TableHash.of(hashOf(Int(slots[slot]) - 1))) & mask
            // A row's home is the slot of its hash, and the row may be in any slot from there on: it moves to the hole
            // unless the hole is before its home.
            guard (slot - home) & mask >= (slot - hole) & mask else { continue }
            slots[hole] = slots[slot]
            hole = slot
        }
        slots[hole] = 0
    }

    /// Renumbers all rows after a change.
    mutating func renumber(by shifts: [RowShift]) {
        guard shifts.contains(where: { $0.distance != 0 }) else { return }
        guard shifts.count <= 4 else { return renumber(each: { $0 + Self.distance(of: $0, shifts: shifts) }) }
        let steps = RowShift.steps(shifts)
        var table = slots.mutableSpan
        for slot in table.indices {
            let old = table[slot]
            var new = old
            // Without branches, because the numbers are in random order, so that branches would be mispredicted.
            for step in 0..<4 { new &+= old >= steps.first[step] ? steps.distance[step] : 0 }
            table[slot] = new
        }
    }

    private mutating func renumber(each newNumber: (Int) -> Int) {
        for slot in slots.indices where slots[slot] != 0 {
            slots[slot] = UInt32(newNumber(Int(slots[slot]) - 1) + 1)
        }
    }

    private static func distance(of row: Int, shifts: [RowShift]) -> Int {
        let next = shifts.partitioningIndex { $0.rows.lowerBound > row }
        return next > 0 ? shifts[next - 1].distance : 0
    }
}

/// The distance by which a run of rows moves.
struct RowShift {
    let rows: Range<Int>
    let distance: Int

    /// The change of distance at each of up to four runs, for rows counted from 1.
    static func steps(_ shifts: [RowShift]) -> (first: SIMD4<UInt32>, distance: SIMD4<UInt32>) {
        var first = SIMD4<UInt32>(repeating: .max)
        var distance = SIMD4<UInt32>()
        var last = 0
        for (number, shift) in shifts.enumerated() {
            first[number] = UInt32(shift.rows.lowerBound + 1)
            distance[number] = UInt32(truncatingIfNeeded: shift.distance - last)
            last = shift.distance
        }
        return (first, distance)
    }
}

extension RandomAccessCollection {
    /// Returns the index of the first element that satisfies a condition, which all later elements satisfy too, or else
    /// `endIndex`.
    func partitioningIndex(_ isInSecondPart: (Element) -> Bool) -> Index {
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

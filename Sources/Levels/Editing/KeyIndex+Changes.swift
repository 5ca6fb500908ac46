extension KeyIndex {
    init(slots: [UInt32], rowCount: Int) {
        self.slots = slots
        self.rowCount = rowCount
    }

    /// Whether the table also fits another number of rows, so that changing it is cheaper than filling a new one.
    func isSuited(to newCount: Int) -> Bool {
        guard !slots.isEmpty, newCount > Self.searchedRows else { return false }
        return (Self.size(newCount)...Self.size(newCount) * 4).contains(slots.count)
    }

    /// Removes a row, and moves back only the rows displaced by it.
    ///
    /// - Parameter hashOf: the hash of a row's key.
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
            // A row may be anywhere from its home slot on: it moves to the hole if the hole is not before its home.
            guard (slot - home) & mask >= (slot - hole) & mask else { continue }
            slots[hole] = slots[slot]
            hole = slot
        }
        slots[hole] = 0
    }

    /// Renumbers all rows after a change.
    mutating func renumber(by shifts: [RowShift]) {
        guard shifts.contains(where: { $0.distance != 0 }) else { return }
        guard shifts.count <= 4 else { return renumber(each: { $0 + Self.distance(of: $0, shifts) }) }
        let steps = RowShift.steps(shifts)
        var table = slots.mutableSpan
        for slot in table.indices {
            let old = table[slot]
            var new = old
            // Branch-free, because the numbers are in no order.
            for step in 0..<4 { new &+= old >= steps.first[step] ? steps.distance[step] : 0 }
            table[slot] = new
        }
    }

    private mutating func renumber(each newNumber: (Int) -> Int) {
        for slot in slots.indices where slots[slot] != 0 {
            slots[slot] = UInt32(newNumber(Int(slots[slot]) - 1) + 1)
        }
    }

    private static func distance(of row: Int, _ shifts: [RowShift]) -> Int {
        let next = shifts.partitioningIndex { $0.rows.lowerBound > row }
        return next > 0 ? shifts[next - 1].distance : 0
    }
}

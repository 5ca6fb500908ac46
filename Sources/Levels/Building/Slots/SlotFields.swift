/// The fields that fill the slots of one item: for each slot, the one with the strongest name so far.
struct SlotFields {
    /// For each slot, the number of the field in its item, from 1; 0 if the slot is empty, as number 0 always is.
    private var fields = InlineArray<24, UInt32>(repeating: 0)
    /// The slot that holds the level; 0 for none.
    private(set) var level: SlotNumber = 0

    static let capacity = 24
    /// The maximum number of slots in a table.
    static let most = capacity - 1

    /// The number of a slot's field, counted from the item's first field.
    @inline(__always)
    subscript(slot: SlotNumber) -> Int? {
        let field = fields[Int(slot)]
        return field == 0 ? nil : Int(field) - 1
    }

    @inline(__always)
    mutating func fill(_ slot: SlotNumber, with field: Int) { fields[Int(slot)] = UInt32(field + 1) }

    mutating func claimLevel(_ slot: SlotNumber) { level = slot }
}

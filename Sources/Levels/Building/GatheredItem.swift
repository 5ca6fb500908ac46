internal import PropertyLists

/// An open item: its fields are those of the builder from `base` on, and some of them fill slots.
struct GatheredItem {
    private(set) var place: PackedPosition
    private(set) var base: Frame.Base
    /// The fields that are structure.
    var slots = SlotFields()
    /// Whether some of them order the item's level.
    var arrangesLevel = false
    /// The item's level, if it was complete when its rows ended.
    var level: Level?
    /// The list that the level is made of when the item ends.
    var list: GatheredList?

    @inline(__always)
    init(at position: SourcePosition, base: Frame.Base) {
        place = PackedPosition(position)
        self.base = base
    }

    /// Begins another item in place of one that is closed, because copying one costs more than its fields.
    @inline(__always)
    mutating func begin(at position: SourcePosition, base: Frame.Base) {
        place = PackedPosition(position)
        self.base = base
        slots = SlotFields()
        arrangesLevel = false
        level = nil
        list = nil
    }

    /// The number of the field that fills a slot; nil if the slot is empty.
    @inline(__always)
    func field(_ slot: SlotNumber) -> Int? { slots[slot].map { base.field + $0 } }

    /// The number of the field that holds the level; nil if there is none.
    var levelField: Int? { field(slots.level) }
}

internal import PropertyLists

/// The open items from the root on; the innermost is changed in place, because a document has millions of them.
struct OpenItems {
    /// Items past `count` are closed; the next ones replace them.
    private var items: [GatheredItem] = []
    private(set) var count = 0

    var all: ArraySlice<GatheredItem> { items.prefix(count) }

    @inline(__always)
    var innermost: GatheredItem { items[count - 1] }

    @inline(__always)
    mutating func open(at position: SourcePosition, base: Frame.Base) {
        if count < items.count {
            items[count].begin(at: position, base: base)
        } else {
            items.append(GatheredItem(at: position, base: base))
        }
        count += 1
    }

    /// Closes the innermost item; its level must have been taken.
    @inline(__always)
    mutating func close() { count -= 1 }

    /// The number of the field that fills a slot of the innermost item.
    @inline(__always)
    func field(_ slot: SlotNumber) -> Int? { items[count - 1].field(slot) }

    /// Fills a slot of the innermost item with a field, by its number.
    @inline(__always)
    mutating func fill(_ slot: SlotNumber, with field: Int) {
        items[count - 1].slots.fill(slot, with: field - items[count - 1].base.field)
    }

    /// The slot that holds the innermost item's level; 0 for none.
    @inline(__always)
    var levelSlot: SlotNumber { items[count - 1].slots.level }

    /// Makes a slot the one that holds the innermost item's level.
    mutating func claimLevel(_ slot: SlotNumber) {
        items[count - 1].slots.claimLevel(slot)
        items[count - 1].level = nil
        items[count - 1].list = nil
    }

    /// Notes that the innermost item orders its level.
    mutating func noteOrder() { items[count - 1].arrangesLevel = true }

    /// Whether the innermost item orders its level.
    @inline(__always)
    var arrangesLevel: Bool { items[count - 1].arrangesLevel }

    mutating func hold(_ level: Level) { items[count - 1].level = level }

    mutating func hold(_ list: GatheredList) { items[count - 1].list = list }

    /// Takes the innermost item's level out of it.
    @inline(__always)
    mutating func takeLevel() -> Level? { items[count - 1].level.take() }

    /// Takes the list out of the innermost item if its level is made of one.
    @inline(__always)
    mutating func takeList() -> GatheredList? {
        guard items[count - 1].list != nil else { return nil }
        return items[count - 1].list.take()
    }
}

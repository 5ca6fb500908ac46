internal import Bytes
internal import PropertyLists

/// An open container of a document of items.
struct Frame {
    /// What the container is, and so how it is interpreted at its end.
    enum Kind: UInt8 {
        /// A dictionary that is an item.
        case item
        /// A dictionary that is a section.
        case section
        /// An array whose elements are items: those of a level, or those of one section.
        case rows, sectionRows
        /// A dictionary whose keys are all fields, and an array of them.
        case record, records
        /// An array whose elements are sections.
        case sectionList
        /// A dictionary of sections by name.
        case namedSections
        /// Containers within fields.
        case dictionary, array

        /// Whether its keys are those of an item or a section.
        var hasSlots: Bool { self == .item || self == .section }
        var holdsItems: Bool { self == .rows || self == .sectionRows }
    }

    private(set) var kind: Kind
    var elements: Expectation
    let position: SourcePosition
    var base: TreeAssembly.Base
    /// The list that this container is or is in, if the item's end makes the level of it.
    private(set) var list: GatheredList?

    @inline(__always)
    init(
        _ kind: Kind, of elements: Expectation, at position: SourcePosition, base: TreeAssembly.Base,
        list: GatheredList? = nil
    ) {
        self.kind = kind
        self.elements = elements
        self.position = position
        self.base = base
        self.list = list
    }

    /// Takes the rows of a level, of which none has been read, for sections.
    mutating func becomeSections() {
        let rule = ListRule.arraysOfRows
        kind = rule.kind
        elements = rule.elements
        list = GatheredList(rule)
    }
}

/// The open items from the root on; the innermost is changed in place, because a document has millions of them.
struct OpenItems {
    /// Items past `count` are closed; the next ones replace them.
    private var items: [GatheredItem] = []
    private(set) var count = 0

    var all: ArraySlice<GatheredItem> { items.prefix(count) }

    @inline(__always)
    var innermost: GatheredItem { items[count - 1] }

    @inline(__always)
    mutating func open(at position: SourcePosition, base: TreeAssembly.Base) {
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

    mutating func noteOrder() { items[count - 1].arrangesLevel = true }

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

/// An open item: its fields are those of the builder from `base` on, and some of them fill slots.
struct GatheredItem {
    private(set) var place: PackedPosition
    private(set) var base: TreeAssembly.Base
    /// The fields that are structure.
    var slots = SlotFields()
    /// Whether some of them order the item's level.
    var arrangesLevel = false
    /// The item's level, if it was complete when its rows ended.
    var level: Level?
    /// The list that the level is made of when the item ends.
    var list: GatheredList?

    @inline(__always)
    init(at position: SourcePosition, base: TreeAssembly.Base) {
        place = PackedPosition(position)
        self.base = base
    }

    /// Begins another item in place of one that is closed, because copying one costs more than its fields.
    @inline(__always)
    mutating func begin(at position: SourcePosition, base: TreeAssembly.Base) {
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

    var levelField: Int? { field(slots.level) }
}

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

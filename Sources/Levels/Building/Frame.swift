internal import Bytes
internal import PropertyLists

/// An open container.
struct Frame {
    /// The role of the container. The role determines the meaning of the values in the container, and how the container
    /// is interpreted when it ends.
    enum Kind: UInt8 {
        /// A dictionary that is an item.
        case item
        /// The root item of a document that is an array. The item has no dictionary.
        case document
        /// A dictionary that is a section.
        case section
        /// An array of items: the rows of a level, or of one section.
        case rows, sectionRows
        /// A record (a dictionary that has only fields), or an array of records.
        case record, records
        /// An array of sections.
        case sectionList
        /// A dictionary of sections by name.
        case namedSections
        /// Containers within fields.
        case dictionary, array

        var isItem: Bool { self == .item || self == .document }
        /// Whether the container has the structural keys of an item or a section.
        var hasSlots: Bool { self == .item || self == .section }
        var holdsItems: Bool { self == .rows || self == .sectionRows }

        /// The kinds of values in the container that are fields or parts of fields, before any key is read.
        @inline(__always)
        var fieldKinds: ValueKinds {
            switch self {
            case .item, .section, .record, .dictionary, .array: .all
            case .document, .rows, .sectionRows, .records, .sectionList, .namedSections: []
            }
        }
    }

    private(set) var kind: Kind
    let position: SourcePosition
    var base: TreeAssembly.Base
    /// The list whose level is made at the end of the item, if the container is that list or a part of it; otherwise
    /// nil.
    private(set) var list: GatheredList?

    @inline(__always)
    init(_ kind: Kind, at position: SourcePosition, base: TreeAssembly.Base, list: GatheredList? = nil) {
        self.kind = kind
        self.position = position
        self.base = base
        self.list = list
    }

    /// Turns a list of rows into a list of sections, before any row has been read.
    mutating func becomeSections() {
        kind = .sectionList
        list = GatheredList(.arraysOfRows)
    }
}

/// The open items, outermost first. The innermost item is changed in place, because documents have millions of items.
struct OpenItems {
    /// The items from index `count` on are closed, and are reused for the next items.
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

    /// Closes the innermost item, whose level must have been taken.
    @inline(__always)
    mutating func close() { count -= 1 }

    @inline(__always)
    func field(_ slot: SlotNumber) -> Int? { items[count - 1].field(slot) }

    @inline(__always)
    mutating func fill(_ slot: SlotNumber, with field: Int) { items[count - 1].fill(slot, with: field) }

    @inline(__always)
    var levelSlot: SlotNumber { items[count - 1].levelSlot }

    mutating func claimLevel(_ slot: SlotNumber) {
        items[count - 1].levelSlot = slot
        items[count - 1].level = nil
        items[count - 1].list = nil
    }

    mutating func hold(_ level: Level) { items[count - 1].level = level }

    mutating func hold(_ list: GatheredList) { items[count - 1].list = list }

    @inline(__always)
    mutating func takeLevel() -> Level? { items[count - 1].level.take() }

    /// Takes the list of which the innermost item's level will be made; nil if the item lacks a list.
    @inline(__always)
    mutating func takeList() -> GatheredList? {
        guard items[count - 1].list != nil else { return nil }
        return items[count - 1].list.take()
    }
}

/// An open item, as an entry of the builder.
///
/// The builder holds the fields of all open items. The fields of this item begin at `base`; some of them fill slots.
struct GatheredItem {
    private(set) var place: PackedPosition
    private(set) var base: TreeAssembly.Base
    /// For each slot, the number of the field with the slot's strongest name so far. The fields of the item count from
    /// 1; the number is 0 if the slot is empty.
    private var fields = InlineArray<24, UInt32>(repeating: 0)
    /// The slot whose field holds the level; `none` until that field is read.
    var levelSlot = SlotNumber.none
    /// The item's level, if the level was complete at the end of its rows.
    var level: Level?
    /// The list of which the level is made at the end of the item.
    var list: GatheredList?

    @inline(__always)
    init(at position: SourcePosition, base: TreeAssembly.Base) {
        place = PackedPosition(position)
        self.base = base
    }

    /// Reuses a closed item for the next item, because copying a new item costs more.
    @inline(__always)
    mutating func begin(at position: SourcePosition, base: TreeAssembly.Base) {
        place = PackedPosition(position)
        self.base = base
        fields = InlineArray(repeating: 0)
        levelSlot = .none
        level = nil
        list = nil
    }

    /// The number of the field in a slot; nil if the slot is empty.
    @inline(__always)
    func field(_ slot: SlotNumber) -> Int? {
        let field = fields[Int(slot.rawValue)]
        return field == 0 ? nil : base.field + Int(field) - 1
    }

    @inline(__always)
    mutating func fill(_ slot: SlotNumber, with field: Int) {
        fields[Int(slot.rawValue)] = UInt32(field - base.field + 1)
    }

    var levelField: Int? { field(levelSlot) }
}

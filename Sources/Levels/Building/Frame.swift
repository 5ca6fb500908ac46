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

    /// How much the builder had gathered when a container opened.
    struct Base {
        /// The number of the first field.
        let field: Int
        /// The number of the first row.
        let row: Int
        /// Where the bytes begin.
        var start: Int
    }

    private(set) var kind: Kind
    /// What its elements may be.
    var elements: Expectation
    let position: SourcePosition
    var base: Base
    /// The list that this container is or is in, if the item's end makes the level of it.
    private(set) var list: GatheredList?

    @inline(__always)
    init(_ kind: Kind, of elements: Expectation, at position: SourcePosition, base: Base, list: GatheredList? = nil) {
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

extension TreeAssembly {
    /// Where a container that opens now begins.
    var base: Frame.Base { Frame.Base(field: fields.count, row: rows.count, start: fields.bytes.count) }
}

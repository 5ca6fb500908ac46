internal import Bytes
public import PropertyLists

/// What opens: dictionaries and arrays, which are items, rows, sections or values.
extension TreeBuilder {
    public mutating func beginDictionary(at position: SourcePosition) throws(PropertyListError) {
        switch expected.dictionary {
        case .value: openValue(.dictionary, at: position)
        case .item: try openItem(at: position)
        case .section: openSection(at: position)
        case .record: try openRecord(at: position)
        case .list: try open(itemSlots.slot(expected.slot).dictionary, at: position)
        default: throw refusalOfDictionary
        }
    }

    public mutating func beginArray(at position: SourcePosition) throws(PropertyListError) {
        switch expected.array {
        case .value: openValue(.array, at: position)
        case .rows: openRows(at: position)
        case .sectionRows: openSectionRows(at: position)
        case .sectionsOfRows: becomeSections(at: position)
        case .list: try open(itemSlots.slot(expected.slot).array, at: position)
        case .document: try openDocument(at: position)
        default: throw refusalOfArray
        }
    }

    private mutating func openItem(at position: SourcePosition) throws(PropertyListError) {
        noteElement()
        try tree.countItem()
        guard items.count <= tree.limits.depth else { throw nestsTooDeep }
        let base = tree.base
        items.open(at: position, base: base)
        push(Frame(.item, of: .anything, at: position, base: base))
    }

    /// Notes an item among the elements; after one, the list cannot become sections.
    @inline(__always)
    mutating func noteElement() {
        guard expected.array == .sectionsOfRows else { return }
        expected.array = .refused
        frames[frames.count - 1].elements = expected
    }

    private mutating func openDocument(at position: SourcePosition) throws(PropertyListError) {
        try openItem(at: position)
        isArray = true
        openRows(at: position)
    }

    private mutating func openValue(_ kind: Frame.Kind, at position: SourcePosition) {
        let start = tree.fields.beginContainer(kind == .array ? .array : .dictionary)
        let base = Frame.Base(field: tree.fields.count, row: tree.rows.count, start: start)
        push(Frame(kind, of: .anything, at: position, base: base))
    }

    private mutating func openRows(at position: SourcePosition) {
        push(Frame(.rows, of: .items(array: .sectionsOfRows), at: position, base: tree.base))
    }

    private mutating func open(_ rule: ListRule?, at position: SourcePosition) throws(PropertyListError) {
        guard let rule else { throw wrongValue("a container") }
        // The place of a level is never shown; the mark is for other values of the same key.
        if itemSlots.rule(of: expected.slot).isHidden { tree.fields.bytes.truncate(to: tree.fields.bytes.count - 1) }
        push(Frame(rule.kind, of: rule.elements, at: position, base: tree.base, list: GatheredList(rule)))
    }

    // MARK: Sections

    /// The first element of the rows is an array, so they are sections.
    private mutating func becomeSections(at position: SourcePosition) {
        frames[frames.count - 1].becomeSections()
        resume()
        openSectionRows(at: position)
    }

    private mutating func openSection(at position: SourcePosition) {
        let list = frames.last?.list
        list?.openSection()
        push(Frame(.section, of: .anything, at: position, base: tree.base, list: list))
    }

    /// Begins the rows of one section.
    private mutating func openSectionRows(at position: SourcePosition) {
        // What the section's dictionary holds so far makes room for its rows.
        if kind == .section { takeSectionFields() }
        push(Frame(.sectionRows, of: .items(array: .refused), at: position, base: tree.base, list: frames.last?.list))
    }
}

internal import Bytes
public import PropertyLists

/// The events of a document: containers that open, keys, and scalars.
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
        push(Frame(kind: .item, of: .anything, at: position, base: base))
    }

    /// Notes that the list contains an item, so that a later array cannot turn the rows into sections.
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
        let start = tree.fields.bytes.beginContainer(kind == .array ? .array : .dictionary)
        let base = TreeAssembly.Base(field: tree.fields.count, row: tree.rows.count, start: start)
        push(Frame(kind: kind, of: .anything, at: position, base: base))
    }

    private mutating func openRows(at position: SourcePosition) {
        push(Frame(kind: .rows, of: .items(array: .sectionsOfRows), at: position, base: tree.base))
    }

    private mutating func open(_ rule: ListRule?, at position: SourcePosition) throws(PropertyListError) {
        guard let rule else { throw wrongValue("a container") }
        // Removes the mark `hidden`, which the key has appended. The place of a level needs no mark, because details
        // never show the place.
        if itemSlots.rule(of: expected.slot).isHidden { tree.fields.bytes.truncate(to: tree.fields.bytes.count - 1) }
        push(Frame(kind: rule.kind, of: rule.elements, at: position, base: tree.base, list: GatheredList(rule)))
    }

    // MARK: Sections

    /// Turns the open list of rows into sections, because its first element is an array.
    private mutating func becomeSections(at position: SourcePosition) {
        frames[frames.count - 1].becomeSections()
        resume()
        openSectionRows(at: position)
    }

    private mutating func openSection(at position: SourcePosition) {
        let list = frames.last?.list
        list?.openSection()
        push(Frame(kind: .section, of: .anything, at: position, base: tree.base, list: list))
    }

    private mutating func openSectionRows(at position: SourcePosition) {
        // Takes the section's earlier fields off the stack, to make room for the section's rows.
        if kind == .section { takeSectionFields() }
        push(
            Frame(
                kind: .sectionRows, of: .items(array: .refused), at: position, base: tree.base, list: frames.last?.list)
        )
    }
}

/// Keys, which determine the expected values and their meaning.
extension TreeBuilder {
    public mutating func key(_ name: Span<UInt8>, at position: SourcePosition) throws(PropertyListError) {
        tree.note(name)
        switch kind {
        case .item: try itemKey(name, at: position)
        case .section: try sectionKey(name, at: position)
        case .namedSections: frames[frames.count - 1].list?.name = String(utf8: name)
        default:
            let base = frames[frames.count - 1].base.field
            if let earlier = tree.fields.begin(name, meaning: .init(), base: base, at: position) {
                warnAboutRepeatedKey(name, at: position, after: earlier)
            }
        }
    }

    private mutating func itemKey(_ name: Span<UInt8>, at position: SourcePosition) throws(PropertyListError) {
        let meaning = itemSlots.meaning(of: name)
        let earlier = tree.fields.begin(
            name, meaning: meaning, base: frames[frames.count - 1].base.field, at: position)
        if let earlier { warnAboutRepeatedKey(name, at: position, after: earlier) }
        if meaning.slot != 0 {
            try fill(meaning, rule: itemSlots.rule(of: meaning.slot), isRepeated: earlier != nil)
        } else {
            expected = .anything
            if meaning.isNearMiss { warnAboutNearMiss(name, in: itemSlots, at: position) }
        }
    }

    private mutating func sectionKey(_ name: Span<UInt8>, at position: SourcePosition) throws(PropertyListError) {
        let meaning = sectionSlots.meaning(of: name)
        tree.fields.begin(name, meaning: meaning, at: position)
        expected = .anything
        if meaning.slot != 0 {
            let rule = sectionSlots.rule(of: meaning.slot)
            if rule.holdsLevel, frames.last?.list?.claimRows() == false { throw secondRows }
            expected = rule.value
        } else if meaning.isNearMiss {
            warnAboutNearMiss(name, in: sectionSlots, at: position)
        }
    }

    /// Puts the last field of the innermost item into a slot, and expects a value for this slot.
    private mutating func fill(
        _ meaning: KeyMeaning, rule: SlotTable.Rule, isRepeated: Bool
    ) throws(PropertyListError) {
        if rule.holdsLevel {
            guard items.levelSlot == 0 || isRepeated else { throw secondLevel }
            items.claimLevel(meaning.slot)
        }
        let isStrongest = items.field(meaning.slot).map { meaning.rank <= tree.fields.start($0).meaning.rank } ?? true
        if isStrongest { items.fill(meaning.slot, with: tree.fields.count - 1) }
        expected = rule.check.applies(to: meaning, isStrongest: isStrongest) ? rule.value : .anything
        if rule.isNoted { noteStructure(meaning, rule: rule) }
    }
}

extension TreeBuilder {
    /// Notes a structural field. The last field of the innermost item is hidden, belongs to a table, orders the item's
    /// level, names a document or a database, or is a `Type`.
    @inline(never)
    private mutating func noteStructure(_ meaning: KeyMeaning, rule: SlotTable.Rule) {
        isPlain = false
        if rule.isOfTable { hasTables = true }
        if rule.arrangesLevel { items.noteOrder() }
        if meaning.slot == sourceSlot { holdsSources = true }
        if meaning.slot == databaseSlot { holdsDatabases = true }
        guard rule.isHidden else { return }
        if rule.isForRoot, items.count > 1, !takesMountedPage {
            expected = .anything
        } else {
            tree.fields.bytes.append(PackedTag.hidden)
        }
    }
}

extension Slot.Check {
    @inline(__always)
    fileprivate func applies(to meaning: KeyMeaning, isStrongest: Bool) -> Bool {
        switch self {
        case .noName: false
        case .allNames: true
        case .strongestSoFar: isStrongest
        case .firstName: meaning.rank == 0
        }
    }
}

/// Texts, numbers, dates and data: fields, titles, keys, or items.
extension TreeBuilder {
    public mutating func string(_ text: Span<UInt8>) throws(PropertyListError) {
        // Without a position of its own, a text has the position of its container.
        try string(text, at: frames.last?.position ?? .byte(offset: 0))
    }

    public mutating func string(_ text: Span<UInt8>, at position: SourcePosition) throws(PropertyListError) {
        try check(.text)
        if expected.makesItems { return try addStringItem(text, at: position) }
        tree.note(text)
        tree.fields.bytes.append(PackedTag.string, content: text)
    }

    public mutating func scalar(_ value: PropertyListScalar) throws(PropertyListError) {
        try check(ScalarKind(value))
        tree.note(value)
        tree.fields.bytes.append(packed: value)
    }

    public mutating func data(_ bytes: Span<UInt8>) throws(PropertyListError) {
        try check(.data)
        tree.fields.bytes.append(PackedTag.data, content: bytes)
    }

    public static var omitsNullEntries: Bool { true }

    /// Leaves out a null element of a field's array.
    public mutating func null() throws(PropertyListError) {
        guard kind == .array, let array = frames.last else { throw refusal(of: "null") }
        warn("a null element of the array is left out", at: array.position)
    }

    @inline(__always)
    private mutating func check(_ kind: ScalarKind) throws(PropertyListError) {
        guard expected.allows(kind) else { throw refusal(of: kind) }
    }
}

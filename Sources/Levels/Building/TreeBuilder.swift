import Bytes
public import PropertyLists

/// Builds a tree from the events of a document in which items are dictionaries and strings (manual, Documents).
///
/// A value is either a field, which is packed as it arrives, or structure: an item, or a list that holds items. Each key
/// decides which values are fields (`StructuralKeys.swift`). At the end of an item, its fields and its level become a
/// row (`ItemRows.swift`, `ItemLevels.swift`).
///
/// A reader sends the events of a document to the builder, from the beginning to the end of the document. `finish` then
/// returns the tree; `Tree` has an example.
public struct TreeBuilder: PropertyListConsumer, ~Copyable {
    var tree: TreeAssembly
    /// The open containers, outermost first.
    var frames: [Frame] = []
    /// The items among `frames`.
    var items = OpenItems()
    /// The kinds of the next value that are fields or parts of fields. A value of another kind is structure, or is
    /// refused. Cached, because every value reads it.
    var fieldKinds: ValueKinds = []
    var itemSlots: SlotTable
    var sectionSlots: SlotTable
    let names: StructuralNames
    var strayRows: [StrayRows] = []
    var parts = PartMentions()
    /// The positions of the dictionaries in the root's `PreferenceSpecifiers`.
    var specifierPositions: [SourcePosition] = []
    /// The rows of a settings page that lead to other pages.
    var childPanes: [SettingsPage.ChildPane] = []

    /// The number of bytes of the root's own fields after which a document without rows so far is refused. Nil to read
    /// such a document to its end.
    public var mostBytesBeforeRows: Int?

    /// The warnings so far.
    public var warnings: DocumentWarnings { tree.warnings }

    /// - Parameters:
    ///   - names: the structural keys.
    ///   - isXML: whether the reader guarantees that XML can represent all text.
    ///   - pool: the levels of the previous tree.
    ///   - progress: the counter of items.
    public init(
        names: StructuralNames = .init(), limits: TreeLimits = .init(), isXML: Bool = false, pool: LevelPool? = nil,
        progress: ReadingProgress? = nil
    ) {
        self.init(names: names, slots: nil, limits: limits, isXML: isXML, pool: pool, progress: progress)
    }

    /// - Parameter slots: the structural keys of items; nil for the default ones.
    init(
        names: StructuralNames, slots: [Slot]?, limits: TreeLimits = .init(), isXML: Bool = false,
        pool: LevelPool? = nil, progress: ReadingProgress? = nil
    ) {
        self.names = names
        tree = TreeAssembly(limits: limits, isXML: isXML, pool: pool, progress: progress)
        (itemSlots, sectionSlots) = SlotTable.forItems(slots, names: names)
    }

    /// The finished tree: a level whose one row is the root item.
    ///
    /// - Throws: `PropertyListError` if the document contained no tree.
    public consuming func finish() throws(PropertyListError) -> Tree {
        guard let document = tree.document else {
            throw PropertyListError(reason: "the document is empty; it needs an array or a dictionary")
        }
        return Tree(
            document: document, warnings: tree.warnings, strayRows: strayRows, parts: parts.all, childPanes: childPanes)
    }

    // MARK: Open containers

    /// The role of the innermost open container; nil before the document.
    @inline(__always)
    var kind: Frame.Kind? { frames.last?.kind }

    mutating func push(_ frame: Frame) {
        fieldKinds = frame.kind.fieldKinds
        frames.append(frame)
    }

    mutating func pop() -> Frame {
        let frame = frames.removeLast()
        fieldKinds = frames.last?.kind.fieldKinds ?? []
        return frame
    }
}

/// Containers that begin.
extension TreeBuilder {
    public mutating func beginDictionary(at position: SourcePosition) throws(PropertyListError) {
        if fieldKinds.contains(.dictionary) { return try openValue(.dictionary, at: position) }
        switch kind {
        case nil, .rows, .sectionRows: try openItem(.item, at: position)
        case .records: try openRecord(at: position)
        case .sectionList where takesSectionDictionaries: openSection(at: position)
        case .item:
            guard let rule = itemSlots[openSlot].dictionary else { throw refusal(of: .dictionary) }
            openList(rule, at: position)
        default: throw refusal(of: .dictionary)
        }
    }

    public mutating func beginArray(at position: SourcePosition) throws(PropertyListError) {
        if fieldKinds.contains(.array) { return try openValue(.array, at: position) }
        switch kind {
        case nil:
            try openItem(.document, at: position)
            openList(.rows, at: position)
        case .rows where takesSections:
            // The first element is an array, so that the list is a list of sections.
            frames[frames.count - 1].becomeSections()
            openSectionRows(at: position)
        case .sectionList, .namedSections: openSectionRows(at: position)
        case .section where sectionSlots[openSlot].holdsLevel: openSectionRows(at: position)
        case .item:
            guard let rule = itemSlots[openSlot].array else { throw refusal(of: .array) }
            openList(rule, at: position)
        default: throw refusal(of: .array)
        }
    }

    /// Opens a dictionary or an array that is a field or a part of a field.
    private mutating func openValue(_ kind: Frame.Kind, at position: SourcePosition) throws(PropertyListError) {
        try checkBytesBeforeRows()
        let start = tree.fields.bytes.beginContainer(kind == .array ? .array : .dictionary)
        let base = TreeAssembly.Base(field: tree.fields.count, row: tree.rows.count, start: start)
        push(Frame(kind, at: position, base: base))
    }

    private mutating func openItem(_ kind: Frame.Kind, at position: SourcePosition) throws(PropertyListError) {
        try tree.countItem()
        guard items.count <= tree.limits.depth else { throw nestsTooDeep }
        let base = tree.base
        items.open(at: position, base: base)
        push(Frame(kind, at: position, base: base))
    }

    /// Opens a list that holds the innermost item's level.
    private mutating func openList(_ rule: ListRule, at position: SourcePosition) {
        // The place of a level needs no mark `hidden`, because details never show the place.
        if kind == .item, itemSlots[openSlot].isHidden { tree.fields.bytes.truncate(to: tree.fields.bytes.count - 1) }
        let list = rule.strategy == nil ? nil : GatheredList(rule)
        push(Frame(rule.kind, at: position, base: tree.base, list: list))
    }
}

/// Values that are not containers: fields, or items that are strings.
extension TreeBuilder {
    public mutating func string(_ text: Span<UInt8>) throws(PropertyListError) {
        // Without a position of its own, a text has the position of its container.
        try string(text, at: frames.last?.position ?? .byte(offset: 0))
    }

    public mutating func string(_ text: Span<UInt8>, at position: SourcePosition) throws(PropertyListError) {
        guard fieldKinds.contains(.text) else {
            guard takesItems else { throw refusal(of: .text) }
            return try addStringItem(text, at: position)
        }
        tree.note(text)
        tree.fields.bytes.append(PackedTag.string, content: text)
    }

    public mutating func scalar(_ value: PropertyListScalar) throws(PropertyListError) {
        guard fieldKinds.contains(.of(value)) else { throw refusal(of: .of(value)) }
        tree.note(value)
        tree.fields.bytes.append(packed: value)
    }

    public mutating func data(_ bytes: Span<UInt8>) throws(PropertyListError) {
        guard fieldKinds.contains(.data) else { throw refusal(of: .data) }
        tree.fields.bytes.append(PackedTag.data, content: bytes)
    }

    public static var omitsNullEntries: Bool { true }

    /// Leaves out a null element of a field's array.
    public mutating func null() throws(PropertyListError) {
        guard kind == .array, let array = frames.last else { throw refusal(of: .null) }
        warn("a null element of the array is left out", at: array.position)
    }
}

/// Containers that end.
extension TreeBuilder {
    public mutating func endDictionary() throws(PropertyListError) {
        try tree.checkComplete()
        switch kind {
        case .item: try closeItem()
        case .section: closeSection()
        case .record: closeRecord()
        case .namedSections: try closeList()
        default: try closeValue()
        }
    }

    public mutating func endArray() throws(PropertyListError) {
        try tree.checkComplete()
        switch kind {
        case .rows: try closeRows()
        case .sectionRows: closeSectionRows()
        case .sectionList, .records: try closeList()
        default: try closeValue()
        }
    }

    private mutating func closeValue() throws(PropertyListError) {
        let frame = pop()
        if frame.kind == .dictionary {
            _ = tree.fields.close(base: frame.base.field)
            if tree.fields.replaceWithUID(dictionaryAt: frame.base.start) { return }
            // The open frames are the root and one of its fields, such as the array of specifiers.
            if frames.count == 2, items.field(.preferenceSpecifiers) == tree.fields.count - 1 {
                specifierPositions.append(frame.position)
            }
        }
        try tree.fields.bytes.endContainer(at: frame.base.start)
        if frame.kind == .array, kind?.hasSlots == true {
            noteList(frame.base.start..<tree.fields.bytes.count, at: frame.position)
        }
    }
}

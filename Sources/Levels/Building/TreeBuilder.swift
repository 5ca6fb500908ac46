internal import Bytes
public import PropertyLists

/// Builds a tree from the events of a document in which items are dictionaries and strings (manual, Documents).
///
/// It builds no object graph. The events gather one item at a time: its fields are packed as they arrive, and the
/// fields that are structure are noted by their `Slot`. When the item ends, `TreeBuilder.Items.swift` interprets it.
public struct TreeBuilder: PropertyListConsumer, ~Copyable {
    var tree: TreeAssembly
    var frames: [Frame] = []
    /// The items among `frames`.
    var items = OpenItems()
    /// Whether the document is an array, so that the root is not written.
    var isArray = false
    /// The innermost frame's kind, and what may come next in it; separate, because every event reads them.
    private(set) var kind: Frame.Kind?
    var expected = Expectation.document
    var itemSlots: SlotTable
    var sectionSlots: SlotTable
    let titleSlot, keySlot, sourceSlot, recordsSlot, drillBySlot, typeSlot, specifiersSlot: SlotNumber
    let names: StructuralNames
    /// The names of titles as they are in a document.
    let titleNames: [[UInt8]]
    var strayRows: [StrayRows] = []
    /// Whether no item so far has a key that is noted, so that all are plain items; most documents have no others.
    var isPlain = true
    /// Whether any item so far has a `Source`, so that documents without one pay nothing for it.
    var holdsSources = false
    var parts: [PartMention] = []
    var knownParts: Set<PartReference> = []
    /// Whether any item so far has a key of a table, so that items are checked for them.
    var hasTables = false
    /// Where the elements of the root's fields are, since its `PreferenceSpecifiers` began.
    var specifierPositions: [SourcePosition] = []
    /// The rows of a settings page whose levels are other pages.
    var childPanes: [SettingsPage.ChildPane] = []
    /// What is known about the item that was refused for its missing title; nil if the reason is different.
    public internal(set) var untitledItem: UntitledItem?
    /// Whether the document was refused over a key that is a misspelt structural name, which the error says.
    public internal(set) var refusesMisspeltName = false

    /// The warnings so far.
    public var warnings: DocumentWarnings { tree.warnings }

    /// - Parameters:
    ///   - names: which keys are structure.
    ///   - isXML: whether the reader guarantees that XML can represent all text.
    ///   - pool: the levels of the tree that this one will replace.
    ///   - progress: where the items are counted.
    public init(
        names: StructuralNames = .init(), limits: TreeLimits = .init(), isXML: Bool = false, pool: LevelPool? = nil,
        progress: ReadingProgress? = nil
    ) {
        self.init(names: names, slots: nil, limits: limits, isXML: isXML, pool: pool, progress: progress)
    }

    /// - Parameter slots: the structural keys of items; nil for the usual ones.
    init(
        names: StructuralNames, slots: [Slot]?, limits: TreeLimits = .init(), isXML: Bool = false,
        pool: LevelPool? = nil, progress: ReadingProgress? = nil
    ) {
        self.names = names
        titleNames = names[.title].map { Array($0.utf8) }
        tree = TreeAssembly(limits: limits, isXML: isXML, pool: pool, progress: progress)
        (itemSlots, sectionSlots) = SlotTable.forItems(slots, names: names)
        titleSlot = itemSlots.number(of: .title)
        keySlot = itemSlots.number(of: .key)
        sourceSlot = itemSlots.number(of: .source)
        recordsSlot = itemSlots.number(of: .records)
        drillBySlot = itemSlots.number(of: .drillBy)
        typeSlot = itemSlots.number(of: .type)
        specifiersSlot = itemSlots.number(of: .preferenceSpecifiers)
    }

    /// The finished tree: a level whose one row is the root item.
    ///
    /// - Throws: `PropertyListError` if the document contained no tree.
    public consuming func finish() throws(PropertyListError) -> Tree {
        guard let document = tree.document else {
            throw PropertyListError("the document is empty; it needs an array or a dictionary")
        }
        return Tree(
            document: document, warnings: tree.warnings, strayRows: strayRows, parts: parts, childPanes: childPanes)
    }

    // MARK: Frames

    mutating func push(_ frame: Frame) {
        kind = frame.kind
        expected = frame.elements
        frames.append(frame)
    }

    mutating func pop() -> Frame {
        let frame = frames.removeLast()
        resume()
        return frame
    }

    /// Goes on with the innermost frame, which has changed.
    mutating func resume() {
        kind = frames.last?.kind
        expected = frames.last?.elements ?? .document
    }
}

/// The slots of an item that is gathered: what its structural keys say, as typed values.
extension TreeBuilder {
    func name(ofField field: Int) -> String {
        String(utf8: tree.fields.bytes.span.extracting(tree.fields.start(field).name))
    }

    /// Where the key of a slot is in the document; nil if the slot is empty.
    func position(of slot: Slot, in item: GatheredItem) -> SourcePosition? {
        item.field(itemSlots.number(of: slot)).flatMap { tree.fields.start($0).place.position }
    }

    /// The text of a slot, a number, date or Boolean as JSON writes it; nil if the slot is empty.
    func text(of slot: Slot, in item: GatheredItem) -> String? {
        item.field(itemSlots.number(of: slot)).flatMap {
            tree.fields.scalarText(at: tree.fields.start($0).name.upperBound)
        }
    }

    /// The texts of a slot that is an array; nil if the slot is empty.
    ///
    /// - Throws: `PropertyListError` if any element is not a scalar.
    func texts(of slot: Slot, in item: GatheredItem) throws(PropertyListError) -> [String]? {
        guard let field = item.field(itemSlots.number(of: slot)) else { return nil }
        var value = tree.fields.start(field).name.upperBound
        if tree.fields.bytes.span[value] == PackedTag.hidden.rawValue { value += 1 }
        return try PackedReader(tree.fields.bytes.span, at: value).elements?.map {
            (element) throws(PropertyListError) -> String in
            guard let text = tree.fields.scalarText(at: element.lowerBound) else {
                throw PropertyListError(
                    "'\(quoted: name(ofField: field))' must contain only text", path: currentPath())
            }
            return text
        }
    }
}

/// Parts: items whose level comes from another file.
extension TreeBuilder {
    /// The text of the innermost item's `Source`; nil without one, and if its value is not text.
    var source: String? {
        guard holdsSources, let field = items.field(sourceSlot) else { return nil }
        return tree.fields.textRange(tree.fields.start(field).name.upperBound).map {
            String(utf8: tree.fields.bytes.span.extracting($0))
        }
    }

    /// The row of the innermost item, which may have a `Source`: its level is that of another document, unless it has
    /// its own.
    @inline(never)
    mutating func rowWithSource() throws(PropertyListError) -> PendingRow {
        guard let source else { return try row() }
        let isPart = items.levelSlot == 0 && pageField == nil
        if isPart { note(.document(source), at: items.innermost.place) }
        var row = isNamed ? try row() : try rowTitledBySource()
        if isPart { row.marks.insert(.isPart) }
        return row
    }

    /// Whether the innermost item has a title or a key, or is the root, which needs none.
    private var isNamed: Bool {
        let content = items.innermost.base.start..<tree.fields.bytes.count
        return items.count == 1 || items.field(keySlot) != nil
            || items.field(titleSlot) != nil && titleValue(in: content) != nil
    }

    /// The row of an item that shows the path of its document, until that is mounted and has a title.
    private mutating func rowTitledBySource() throws(PropertyListError) -> PendingRow {
        let (base, place) = (items.innermost.base, items.innermost.place)
        let arrangesLevel = try checkOrder()
        _ = tree.fields.close(base: base.field)
        let content = base.start..<tree.fields.bytes.count
        let title = PackedDictionary(tree.fields.bytes.span, content).textRange(PartReference.sourceName)
        return PendingRow(
            fields: content, title: title ?? content.upperBound..<content.upperBound,
            marks: arrangesLevel ? .arrangesLevel : [], place: place)
    }

    /// Notes a reference to a part, if it is the first one to it.
    mutating func note(_ part: PartReference, at place: PackedPosition) {
        guard knownParts.insert(part).inserted else { return }
        parts.append(PartMention(reference: part, position: place.position, path: currentPath() ?? "/"))
    }
}

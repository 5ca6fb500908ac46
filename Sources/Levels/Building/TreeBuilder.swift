internal import Bytes
public import PropertyLists

/// Builds a tree from the events of a document in which items are dictionaries and strings (manual, Documents).
///
/// The builder packs the fields of an item as they arrive, without an object graph, and notes the structural fields by
/// their `Slot`. The builder interprets the item when the item ends (`TreeBuilder.Items.swift`).
///
/// A reader sends the events of a document to the builder, from the beginning to the end of the document. `finish` then
/// returns the tree; `Tree` has an example.
public struct TreeBuilder: PropertyListConsumer, ~Copyable {
    var tree: TreeAssembly
    var frames: [Frame] = []
    /// The items among `frames`.
    var items = OpenItems()
    /// Whether the document is an array, so that the root item lacks a dictionary.
    var isArray = false
    /// The innermost frame's kind and expectation, cached because every event reads them.
    private(set) var kind: Frame.Kind?
    package internal(set) var expected = Expectation.document
    var itemSlots: SlotTable
    var sectionSlots: SlotTable
    let titleSlot, keySlot, sourceSlot, databaseSlot, recordsSlot, drillBySlot, typeSlot, specifiersSlot: SlotNumber
    let names: StructuralNames
    let titleNames: [[UInt8]]
    var strayRows: [StrayRows] = []
    /// Whether no item so far has any of the noted keys (`SlotTable.Rule.isNoted`), as in most documents.
    var isPlain = true
    /// Whether any item so far has a `Source`.
    var holdsSources = false
    /// Whether any item so far has a `Database`.
    var holdsDatabases = false
    /// The position of the latest `Key` that is an array.
    var keyColumnsPosition: SourcePosition?
    var parts: [PartMention] = []
    var knownParts: Set<PartReference> = []
    /// Whether any item so far has a key of a table.
    var hasTables = false
    /// The positions of the dictionaries in the root's `PreferenceSpecifiers`.
    var specifierPositions: [SourcePosition] = []
    /// The rows of a settings page that lead to other pages.
    var childPanes: [SettingsPage.ChildPane] = []
    /// The item that was refused for its missing title; nil for other errors.
    public internal(set) var untitledItem: UntitledItem?
    /// Whether the error is about a misspelt structural name.
    public internal(set) var refusesMisspeltName = false

    /// Whether the refused item is the first element of an array that is the document.
    public internal(set) var refusesFirstElement = false

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
        titleNames = names[.title].map { Array($0.utf8) }
        tree = TreeAssembly(limits: limits, isXML: isXML, pool: pool, progress: progress)
        (itemSlots, sectionSlots) = SlotTable.forItems(slots, names: names)
        titleSlot = itemSlots.number(of: .title)
        keySlot = itemSlots.number(of: .key)
        sourceSlot = itemSlots.number(of: .source)
        databaseSlot = itemSlots.number(of: .database)
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
            throw PropertyListError(reason: "the document is empty; it needs an array or a dictionary")
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

    /// Continues with the innermost frame, which has changed.
    mutating func resume() {
        kind = frames.last?.kind
        expected = frames.last?.elements ?? .document
    }
}

/// The slots of an open item: the values of its structural keys.
extension TreeBuilder {
    func name(ofField field: Int) -> String {
        String(utf8: tree.fields.bytes.span.extracting(tree.fields.start(field).name))
    }

    /// The position of a slot's key in the document; nil if the slot is empty.
    func position(of slot: Slot, in item: GatheredItem) -> SourcePosition? {
        item.field(itemSlots.number(of: slot)).flatMap { tree.fields.start($0).place.position }
    }

    /// The text of a slot, or the JSON text of a number, date or Boolean; nil if the slot is empty.
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
        return try PackedReader(bytes: tree.fields.bytes.span, at: value).elements?.map {
            (element) throws(PropertyListError) -> String in
            guard let text = tree.fields.scalarText(at: element.lowerBound) else {
                throw PropertyListError(
                    reason: "'\(quoted: name(ofField: field))' must contain only text", path: currentPath())
            }
            return text
        }
    }
}

/// Parts: items whose level comes from another file.
extension TreeBuilder {
    /// The innermost item's `Source`; nil unless it is text.
    var source: String? {
        guard holdsSources, let field = items.field(sourceSlot) else { return nil }
        return tree.fields.textRange(tree.fields.start(field).name.upperBound).map {
            String(utf8: tree.fields.bytes.span.extracting($0))
        }
    }

    /// The innermost item's database; nil if the item has a level of its own, or lacks the address of a database.
    var database: PartReference? {
        guard holdsDatabases, items.levelSlot == 0, items.field(databaseSlot) != nil else {
            return nil
        }
        let content = items.innermost.base.start..<tree.fields.bytes.count
        return PackedDictionary(bytes: tree.fields.bytes.span, fields: content).database
    }

    /// The field with the innermost item's key; nil if the item lacks a key, or if the value of `Key` is the columns of
    /// a database.
    ///
    /// - Throws: `PropertyListError` if `Key` is an array and the item lacks a database.
    @inline(__always)
    func textKeyField() throws(PropertyListError) -> Int? {
        guard let field = items.field(keySlot),
            tree.fields.bytes.span[tree.fields.start(field).name.upperBound] == PackedTag.array.rawValue
        else { return items.field(keySlot) }
        guard database == nil else { return nil }
        throw PropertyListError(reason: "a Key must be text, not an array", at: keyColumnsPosition, path: currentPath())
    }

    /// Returns the row of the innermost item. If the item has a `Source` but no level of its own, the row is marked as
    /// a part, because its level is in another document.
    @inline(never)
    mutating func rowWithSource() throws(PropertyListError) -> PendingRow {
        guard let source else { return try row() }
        let isPart = items.levelSlot == 0 && pageField == nil
        if isPart { note(.document(source), at: items.innermost.place) }
        var row = isNamed ? try row() : try rowTitledBySource()
        if isPart { row.marks.insert(.isPart) }
        return row
    }

    /// Whether the innermost item has a title or a key; true for the root, which needs neither.
    private var isNamed: Bool {
        let content = items.innermost.base.start..<tree.fields.bytes.count
        return items.count == 1 || items.field(keySlot) != nil
            || items.field(titleSlot) != nil && titleValue(in: content) != nil
    }

    /// Returns the row of an untitled item with a `Source`. The row shows the path of the document until the title of
    /// the document is known.
    private mutating func rowTitledBySource() throws(PropertyListError) -> PendingRow {
        let (base, place) = (items.innermost.base, items.innermost.place)
        let arrangesLevel = try checkOrder()
        _ = tree.fields.close(base: base.field)
        let content = base.start..<tree.fields.bytes.count
        let title = PackedDictionary(bytes: tree.fields.bytes.span, fields: content).textRange(PartReference.sourceName)
        return PendingRow(
            fields: content, title: title ?? content.upperBound..<content.upperBound,
            marks: arrangesLevel ? .arrangesLevel : [], place: place)
    }

    /// Notes a reference to a part, unless it is already noted.
    mutating func note(_ part: PartReference, at place: PackedPosition) {
        guard knownParts.insert(part).inserted else { return }
        parts.append(PartMention(reference: part, position: place.position, path: currentPath() ?? "/"))
    }
}

internal import Bytes
internal import Heap
internal import PropertyLists

/// The working memory of any builder: the packed bytes, and the rows whose levels are incomplete.
///
/// A level is packed after its last row; its rows and their bytes are then removed from the stack.
struct TreeAssembly: ~Copyable {
    var fields = PackedFields()
    var rows = ValueStack<PendingRow>()
    /// The levels below `rows`; later rows are leaves.
    private var children: [Level?] = []
    private var assembler: LevelAssembler
    let limits: TreeLimits
    private let isXML: Bool
    /// Whether any text or date so far cannot be represented in XML.
    private var hasTextBeyondXML = false
    /// The number of items so far, not counting the root.
    private var items = -1
    /// If the number of items exceeds this mark, progress is reported, or the document is refused.
    private var nextItemMark: Int
    private let progress: ReadingProgress?
    private var reportedItems = 0
    var warnings = DocumentWarnings()
    /// The document's level, once it is complete.
    private(set) var document: Level?

    init(limits: TreeLimits, isXML: Bool, pool: LevelPool?, progress: ReadingProgress? = nil) {
        self.limits = limits
        self.progress = progress
        nextItemMark = min(ReadingProgress.itemStep, limits.items)
        self.isXML = isXML
        assembler = LevelAssembler(pool: pool)
    }

    /// The state when a container opened: the number of fields, the number of rows, and the offset of the next byte.
    struct Base {
        let field: Int
        let row: Int
        var start: Int
    }

    /// The base of a container that opens now.
    var base: Base { Base(field: fields.count, row: rows.count, start: fields.bytes.count) }

    // MARK: Items

    mutating func countItem() throws(PropertyListError) {
        items += 1
        guard items <= nextItemMark else { return try passItemMark() }
    }

    @inline(never)
    private mutating func passItemMark() throws(PropertyListError) {
        guard items <= limits.items else {
            throw PropertyListError(
                reason:
                    "the document holds more than \(Quantity(count: limits.items, noun: "item")); split it, or raise MaxItems"
            )
        }
        try checkMemory()
        progress?.add(items: items - reportedItems)
        reportedItems = items
        nextItemMark = min(items + ReadingProgress.itemStep, limits.items)
    }

    /// Checks that memory suffices for completing the open levels and reading the next items.
    private func checkMemory() throws(PropertyListError) {
        try checkComplete()
        let needed = 3 * fields.bytes.count + rows.count * Self.bytesOfOpenRow + Self.bytesOfNextItems
        guard MemoryBudget.hasRoom(for: needed) else {
            throw PropertyListError(shortage: MemoryBudget.shortage(of: needed))
        }
    }

    /// The memory for a row of an open level, including growth to twice the size.
    static let bytesOfOpenRow = 2 * MemoryLayout<PendingRow>.stride
    private static let bytesOfNextItems = 4 << 20

    /// Throws if packed bytes are incomplete for lack of memory, so that incomplete bytes are never read.
    @inline(__always)
    func checkComplete() throws(PropertyListError) {
        guard !fields.bytes.isIncomplete, !rows.isIncomplete else { throw .outOfMemory }
    }

    /// Counts further items, which were made from rows that are already counted.
    mutating func count(made: Int) throws(PropertyListError) {
        items += made - 1
        try countItem()
    }

    /// Removes the last row and the bytes from `start` on, because they are not an item.
    mutating func dropLastItem(from start: Int) {
        rows.truncate(to: rows.count - 1)
        children.removeSubrange(min(rows.count, children.count)...)
        fields.bytes.truncate(to: start)
        items -= 1
    }

    @inline(__always)
    mutating func add(_ row: PendingRow, level: Level?) {
        if let level {
            fillChildren()
            children.append(level)
        }
        rows.append(row)
    }

    /// The level below a row; nil for a leaf.
    func child(_ row: Int) -> Level? { row < children.count ? children[row] : nil }

    private mutating func fillChildren() {
        while children.count < rows.count { children.append(nil) }
    }

    /// Puts a later row in the place of a row.
    mutating func replaceRow(_ row: Int, by later: Int) {
        rows[row] = rows[later]
        if row < children.count { children[row] = child(later) }
    }

    /// Keeps only some of the rows from number `base` on, in ascending order.
    mutating func keepRows(_ kept: [Int], from base: Int) {
        for (number, row) in kept.enumerated() { replaceRow(base + number, by: row) }
        rows.truncate(to: base + kept.count)
        children.removeSubrange(min(rows.count, children.count)...)
    }

    // MARK: Levels

    /// Makes the level of the rows from number `base` on. Removes these rows, and the bytes from `start` on.
    mutating func level(
        from base: Int, start: Int, form: LevelForm, at position: SourcePosition?
    ) throws(PropertyListError) -> Level {
        let parts = LevelAssembler.Parts(
            children: takeChildren(from: base), form: form, mayHoldTextBeyondXML: hasTextBeyondXML, position: position)
        return try assembler.assemble(&rows, from: base, in: &fields.bytes, from: start, parts: parts)
    }

    mutating func level(of aside: SetAsideRows) throws(PropertyListError) -> Level {
        let parts = LevelAssembler.Parts(
            children: aside.children.contains { $0 != nil } ? aside.children : [], sections: aside.sections,
            form: aside.form, mayHoldTextBeyondXML: hasTextBeyondXML, position: aside.position)
        return try assembler.assemble(aside.rows.span, from: aside.bytes.span, parts: parts)
    }

    /// Makes a level of some of the rows that were set aside, or of rows derived from them.
    mutating func level(
        of rows: Span<PendingRow>, in bytes: Span<UInt8>, children: [Level?], form: LevelForm,
        at position: SourcePosition
    ) throws(PropertyListError) -> Level {
        let parts = LevelAssembler.Parts(
            children: children, form: form, mayHoldTextBeyondXML: hasTextBeyondXML, position: position)
        return try assembler.assemble(rows, from: bytes, parts: parts)
    }

    mutating func complete(_ form: LevelForm) throws(PropertyListError) {
        try checkComplete()
        document = try level(from: 0, start: fields.bytes.count, form: form, at: nil)
    }

    /// The title that the largest number of rows in the last level share; nil if all titles differ.
    var repeatedTitle: RepeatedTitle? { assembler.repeatedTitle }

    /// Takes the children of the rows from number `base` on; empty if all these rows are leaves.
    mutating func takeChildren(from base: Int) -> [Level?] {
        guard children.count > base else { return [] }
        fillChildren()
        defer { children.removeSubrange(base...) }
        return children[base...].contains { $0 != nil } ? Array(children[base...]) : []
    }

    // MARK: Texts

    /// Notes a text that XML cannot represent. Later requests for XML depend on this note.
    @inline(__always)
    mutating func note(_ text: Span<UInt8>) {
        if !isXML, !hasTextBeyondXML, XMLText.holdsMoreThanXML(text) { hasTextBeyondXML = true }
    }

    /// Notes dates with a fraction of a second, which XML cannot represent.
    @inline(__always)
    mutating func note(_ value: PropertyListScalar) {
        if case .date(let seconds) = value, seconds != seconds.rounded() { hasTextBeyondXML = true }
    }
}

/// The limits on the size of a tree.
public struct TreeLimits: Sendable, Equatable {
    /// The maximum number of levels below the root.
    public var depth: Int
    /// The maximum number of items.
    public var items: Int

    /// - Parameters:
    ///   - depth: the maximum number of levels below the root.
    ///   - items: the maximum number of items.
    public init(depth: Int = 512, items: Int = 20_000_000) {
        self.depth = depth
        self.items = items
    }

    /// Refuses a document that is too deep or too large.
    package func check(_ document: Level) throws(TreeError) {
        guard Int(document.height) - 1 <= depth else { throw .tooDeep(limit: depth) }
        guard document.fullItemCount - 1 <= items else { throw .tooManyItems(limit: items) }
    }
}

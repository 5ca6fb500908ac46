internal import Bytes
internal import Heap
internal import PropertyLists

/// What the builders of all shapes gather into: packed bytes, and the rows among them whose levels are not complete.
///
/// A level is packed when its last row is known; its rows and their bytes are then taken off the stack.
struct TreeAssembly: ~Copyable {
    var fields = PackedFields()
    var rows: [PendingRow] = []
    /// The level below each of `rows`.
    var children: [Level?] = []
    private var assembler: LevelAssembler
    let limits: TreeLimits
    /// Whether the texts come from XML, so that XML can represent all of them.
    private let isXML: Bool
    /// Whether any text or date so far is one that XML cannot represent.
    private var hasTextBeyondXML = false
    /// The number of items so far, not counting the root.
    private var items = -1
    /// The number of items at which there is something to do: to count them for others, or to refuse the document.
    private var nextItemMark: Int
    private let progress: ReadingProgress?
    /// How many items `progress` knows of.
    private var reportedItems = 0
    var warnings = DocumentWarnings()
    /// The level whose one row is the root, once that is complete.
    private(set) var document: Level?

    init(limits: TreeLimits, isXML: Bool, pool: LevelPool?, progress: ReadingProgress? = nil) {
        self.limits = limits
        self.progress = progress
        nextItemMark = min(ReadingProgress.itemStep, limits.items)
        self.isXML = isXML
        assembler = LevelAssembler(pool: pool)
    }

    /// How much the builder had gathered when a container opened.
    struct Base {
        let field: Int
        let row: Int
        var start: Int
    }

    /// Where a container that opens now begins.
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
                "the document holds more than \(Quantity(limits.items, "item")); split it, or raise MaxItems")
        }
        try checkMemory()
        progress?.add(items: items - reportedItems)
        reportedItems = items
        nextItemMark = min(items + ReadingProgress.itemStep, limits.items)
    }

    /// Checks that the open levels can be completed, whatever of them has to grow for that, and the next items be read.
    private func checkMemory() throws(PropertyListError) {
        try checkComplete()
        let needed = 3 * fields.bytes.count + rows.count * Self.bytesOfOpenRow + Self.bytesOfNextItems
        guard MemoryBudget.hasRoom(for: needed) else {
            throw PropertyListError(shortage: MemoryBudget.shortage(of: needed))
        }
    }

    /// What a row takes while its level is open, in all that grows to twice its size.
    static let bytesOfOpenRow = 4 * MemoryLayout<PendingRow>.stride
    private static let bytesOfNextItems = 4 << 20

    /// Throws if there was no memory for a part of what was packed, so that it must not be looked at.
    @inline(__always)
    func checkComplete() throws(PropertyListError) {
        guard !fields.bytes.isIncomplete else { throw .outOfMemory }
    }

    /// Counts items that are made from the rows so far.
    mutating func count(made: Int) throws(PropertyListError) {
        items += made - 1
        try countItem()
    }

    /// Takes back the last row and what is packed from `start` on; it was no item after all.
    mutating func dropLastItem(from start: Int) {
        rows.removeLast()
        children.removeLast()
        fields.bytes.truncate(to: start)
        items -= 1
    }

    @inline(__always)
    mutating func add(_ row: PendingRow, level: Level?) {
        rows.append(row)
        children.append(level)
    }

    // MARK: Levels

    /// Makes the level of the rows from number `base` on, and takes them and what is packed from `start` on away.
    mutating func level(
        from base: Int, start: Int, form: LevelForm, at position: SourcePosition?
    ) throws(PropertyListError) -> Level {
        let parts = LevelAssembler.Parts(
            children: takeChildren(from: base), form: form, mayHoldTextBeyondXML: hasTextBeyondXML, position: position)
        let level = try assembler.assemble(rows, from: base, in: fields.bytes, parts: parts)
        rows.removeSubrange(base...)
        fields.bytes.truncate(to: start)
        return level
    }

    /// Makes the level of rows that were set aside.
    mutating func level(of aside: SetAsideRows) throws(PropertyListError) -> Level {
        let parts = LevelAssembler.Parts(
            children: aside.children.contains { $0 != nil } ? aside.children : [], sections: aside.sections,
            form: aside.form, mayHoldTextBeyondXML: hasTextBeyondXML, position: aside.position)
        return try assembler.assemble(aside.rows.span, from: aside.bytes.span, parts: parts)
    }

    /// Makes a level of some of the rows that were set aside, or of rows made from them.
    mutating func level(
        of rows: Span<PendingRow>, in bytes: Span<UInt8>, children: [Level?], form: LevelForm,
        at position: SourcePosition
    ) throws(PropertyListError) -> Level {
        let parts = LevelAssembler.Parts(
            children: children, form: form, mayHoldTextBeyondXML: hasTextBeyondXML, position: position)
        return try assembler.assemble(rows, from: bytes, parts: parts)
    }

    /// Makes the document's level of the only row.
    mutating func complete(_ form: LevelForm) throws(PropertyListError) {
        document = try level(from: 0, start: fields.bytes.count, form: form, at: nil)
    }

    /// The title that most rows of the level made last share, if any do.
    var repeatedTitle: RepeatedTitle? { assembler.repeatedTitle }

    /// The children of the rows from a number on; nothing if all are leaves.
    private mutating func takeChildren(from base: Int) -> [Level?] {
        defer { children.removeSubrange(base...) }
        return children[base...].contains { $0 != nil } ? Array(children[base...]) : []
    }

    // MARK: Texts

    /// Notes text that XML cannot represent, so that it is known before XML is requested.
    @inline(__always)
    mutating func note(_ text: Span<UInt8>) {
        if !isXML, !hasTextBeyondXML, XMLText.holdsMoreThanXML(text) { hasTextBeyondXML = true }
    }

    /// The same for a date with a fraction of a second.
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
}

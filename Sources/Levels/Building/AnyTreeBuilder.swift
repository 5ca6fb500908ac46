import Bytes
public import PropertyLists

/// Builds a tree from any property list: every entry of a dictionary and every element of an array is an item.
///
/// An item's title is its key, or its index from 0; a scalar or empty container is a leaf with the one field `Value`.
public struct AnyTreeBuilder: PropertyListConsumer, ~Copyable {
    private var frames: [Frame] = []
    private var fields = PackedFields()
    private var rows: [PendingRow] = []
    private var children: [Level?] = []
    private var assembler: LevelAssembler
    private let limits: TreeLimits
    private let isXML: Bool
    private var hasTextBeyondXML = false
    /// The number of items so far, not counting the root.
    private var items = -1
    public private(set) var warnings = DocumentWarnings()
    private var document: Level?

    private struct Frame {
        let isDictionary: Bool
        let position: SourcePosition
        let start: Int
        let rowBase: Int
        /// Where the title of the container's own row lies.
        let title: Range<Int>
        /// The key of the entry to come.
        var key: Range<Int>?
        var place = PackedPosition.none
        var elements = 0
    }

    /// - Parameters:
    ///   - isXML: whether the reader guarantees that XML can represent all text.
    ///   - pool: the levels of the tree that this one will replace.
    public init(limits: TreeLimits = .init(), isXML: Bool = false, pool: LevelPool? = nil) {
        self.limits = limits
        self.isXML = isXML
        assembler = LevelAssembler(pool: pool)
    }

    /// The finished tree: a level whose one row is the root item.
    ///
    /// - Throws: `PropertyListError` if the document was empty.
    public consuming func finish() throws(PropertyListError) -> Tree {
        guard let document else { throw PropertyListError("the document is empty; it needs one value") }
        return Tree(document: document, warnings: warnings)
    }

    // MARK: Titles

    /// Puts the next row's title on the stack of bytes.
    private mutating func openRow() throws(PropertyListError) -> Range<Int> {
        items += 1
        guard items <= limits.items else {
            throw PropertyListError(
                "the document holds more than \(Quantity(limits.items, "item")); split it, or raise MaxItems")
        }
        guard frames.count <= limits.depth else {
            throw PropertyListError("the document nests deeper than \(limits.depth) levels; flatten it")
        }
        guard let frame = frames.last else { return fields.loose("Root") }
        if let key = frame.key { return key }
        frames[frames.count - 1].elements += 1
        return fields.loose("\(frame.elements)")
    }

    public mutating func key(_ name: Span<UInt8>, at position: SourcePosition) throws(PropertyListError) {
        note(name)
        let start = fields.bytes.count
        fields.bytes.append(name)
        frames[frames.count - 1].key = start..<fields.bytes.count
        frames[frames.count - 1].place = PackedPosition(position)
    }

    // MARK: Containers

    public mutating func beginDictionary(at position: SourcePosition) throws(PropertyListError) {
        try open(true, at: position)
    }

    public mutating func beginArray(at position: SourcePosition) throws(PropertyListError) {
        try open(false, at: position)
    }

    private mutating func open(_ isDictionary: Bool, at position: SourcePosition) throws(PropertyListError) {
        let title = try openRow()
        frames.append(
            Frame(
                isDictionary: isDictionary, position: position, start: fields.bytes.count, rowBase: rows.count,
                title: title))
    }

    public mutating func endDictionary() throws(PropertyListError) { try close() }

    public mutating func endArray() throws(PropertyListError) { try close() }

    private mutating func close() throws(PropertyListError) {
        let frame = frames[frames.count - 1]
        if frame.isDictionary { dropRepeatedKeys(from: frame.rowBase) }
        frames.removeLast()
        if let uid = takeUID(of: frame) { return try add(titled: frame.title) { $0.uid(uid) } }
        guard rows.count > frame.rowBase else {
            return try add(titled: frame.title) {
                $0.bytes.append(frame.isDictionary ? PackedTag.dictionary : .array)
                $0.bytes.append(halfWord: 0)
            }
        }
        let parts = LevelAssembler.Parts(
            children: takeChildren(from: frame.rowBase), form: frame.isDictionary ? .entries : .elements,
            mayHoldTextBeyondXML: hasTextBeyondXML)
        let level = try assembler.assemble(rows, from: frame.rowBase, in: fields.bytes, parts: parts)
        rows.removeSubrange(frame.rowBase...)
        fields.bytes.truncate(to: frame.start)
        try add(PendingRow(fields: frame.start..<frame.start, title: frame.title), level: level)
    }

    /// Of entries with one key, the last counts, in the place of the first, as in every reader of dictionaries.
    private mutating func dropRepeatedKeys(from base: Int) {
        var first: [UInt64: Int] = [:]
        var dropped: [Int] = []
        var earliest = PackedPosition.none
        for row in base..<rows.count {
            let hash = TableHash.of(fields.bytes.span.extracting(rows[row].title))
            guard let earlier = first[hash] else {
                first[hash] = row
                continue
            }
            if dropped.isEmpty { earliest = rows[earlier].place }
            rows[earlier] = rows[row]
            children[earlier] = children[row]
            dropped.append(row)
        }
        guard let example = dropped.first else { return }
        let name = QuotedText(utf8: fields.bytes.span.extracting(rows[example].title))
        if let position = rows[example].place.position {
            let message = RepeatedKey.message(name, first: earliest.position, second: position)
            warnings.add(DocumentWarning(position: position, path: currentPath() ?? "/", message: message))
        }
        let gone = Set(dropped)
        let kept = (base..<rows.count).filter { !gone.contains($0) }
        rows.replaceSubrange(base..., with: kept.map { rows[$0] })
        children.replaceSubrange(base..., with: kept.map { children[$0] })
    }

    private mutating func takeChildren(from base: Int) -> [Level?] {
        defer { children.removeSubrange(base...) }
        return children[base...].contains { $0 != nil } ? Array(children[base...]) : []
    }

    private mutating func add(_ row: PendingRow, level: Level?) throws(PropertyListError) {
        var row = row
        row.place = frames.last?.place ?? .none
        rows.append(row)
        children.append(level)
        guard frames.isEmpty else { return }
        let parts = LevelAssembler.Parts(
            children: takeChildren(from: 0), form: .elements, mayHoldTextBeyondXML: hasTextBeyondXML)
        document = try assembler.assemble(rows, from: 0, in: fields.bytes, parts: parts)
    }

    // MARK: Scalars

    /// Adds a leaf whose one field is `Value`.
    private mutating func add(
        titled title: Range<Int>, _ write: (inout PackedFields) -> Void
    ) throws(PropertyListError) {
        let start = fields.bytes.count
        fields.bytes.append(run: "Value".utf8Span.span)
        write(&fields)
        try add(PendingRow(fields: start..<fields.bytes.count, title: title), level: nil)
    }

    public mutating func string(_ text: Span<UInt8>) throws(PropertyListError) {
        note(text)
        let title = try openRow()
        let start = fields.bytes.count
        fields.bytes.append(run: "Value".utf8Span.span)
        fields.string(text)
        try add(PendingRow(fields: start..<fields.bytes.count, title: title), level: nil)
    }

    public mutating func data(_ bytes: Span<UInt8>) throws(PropertyListError) {
        let title = try openRow()
        let start = fields.bytes.count
        fields.bytes.append(run: "Value".utf8Span.span)
        fields.data(bytes)
        try add(PendingRow(fields: start..<fields.bytes.count, title: title), level: nil)
    }

    public mutating func integer(_ value: PropertyListInteger) throws(PropertyListError) {
        try add(titled: openRow()) { $0.bytes.append(packed: value) }
    }

    public mutating func real(_ value: Double) throws(PropertyListError) {
        try add(titled: openRow()) { $0.bytes.append(PackedTag.real, value) }
    }

    public mutating func boolean(_ value: Bool) throws(PropertyListError) {
        try add(titled: openRow()) { $0.bytes.append(value ? PackedTag.yes : .no) }
    }

    public mutating func date(_ seconds: Double) throws(PropertyListError) {
        if seconds != seconds.rounded() { hasTextBeyondXML = true }
        try add(titled: openRow()) { $0.bytes.append(PackedTag.date, seconds) }
    }

    public mutating func uid(_ value: UInt64) throws(PropertyListError) {
        try add(titled: openRow()) { $0.uid(value) }
    }

    /// Removes the only entry of a dictionary from the rows if it is a UID as non-binary formats write it.
    private mutating func takeUID(of frame: Frame) -> UInt64? {
        guard frame.isDictionary, rows.count == frame.rowBase + 1, let row = rows.last, let level = children.last,
            level == nil,
            fields.bytes.span.extracting(row.title).isEqual(to: "CF$UID".utf8Span.span)
        else { return nil }
        var reader = PackedReader(fields.bytes.span, at: row.fields.lowerBound)
        _ = reader.run()
        guard reader.byte() == PackedTag.positive.rawValue else { return nil }
        let value = reader.number()
        rows.removeLast()
        children.removeLast()
        fields.bytes.truncate(to: frame.start)
        items -= 1
        return value
    }

    private mutating func note(_ text: Span<UInt8>) {
        if !isXML, !hasTextBeyondXML, XMLText.holdsMoreThanXML(text) { hasTextBeyondXML = true }
    }

    /// The titles from the root to the innermost open container.
    public func currentPath() -> String? {
        guard !frames.isEmpty else { return nil }
        return TitlePath.text(frames.dropFirst().map { String(utf8: fields.bytes.span.extracting($0.title)) })
    }
}

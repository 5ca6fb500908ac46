import Bytes
public import PropertyLists

/// Builds a tree from any property list: every entry of a dictionary and every element of an array is an item.
///
/// The title of an item is the key of its dictionary entry, or the index of its array element, from 0. A scalar or an
/// empty container is a leaf, whose only field is `Value`.
public struct AnyTreeBuilder: PropertyListConsumer, ~Copyable {
    var tree: TreeAssembly
    var containers: [Container] = []

    struct Container {
        let isDictionary: Bool
        let position: SourcePosition
        let start: Int
        let rowBase: Int
        /// The range of the title of the container's own row.
        let title: Range<Int>
        var key: Range<Int>?
        var place = PackedPosition.none
        var elements = 0
    }

    /// The warnings so far.
    public var warnings: DocumentWarnings { tree.warnings }

    /// - Parameters:
    ///   - isXML: whether the reader guarantees that XML can represent all text.
    ///   - pool: the levels of the tree that the new tree will replace.
    ///   - progress: the counter of items.
    public init(
        limits: TreeLimits = .init(), isXML: Bool = false, pool: LevelPool? = nil, progress: ReadingProgress? = nil
    ) {
        tree = TreeAssembly(limits: limits, isXML: isXML, pool: pool, progress: progress)
    }

    /// The finished tree: a level whose one row is the root item.
    ///
    /// - Throws: `PropertyListError` if the document was empty.
    public consuming func finish() throws(PropertyListError) -> Tree {
        guard let document = tree.document else {
            throw PropertyListError(reason: "the document is empty; it needs one value")
        }
        return Tree(document: document, warnings: tree.warnings)
    }

    /// The titles from the root to the innermost open container; nil if no container is open.
    public func currentPath() -> String? {
        guard !containers.isEmpty else { return nil }
        return TitlePath.text(containers.dropFirst().map { String(utf8: tree.fields.bytes.span.extracting($0.title)) })
    }

    // MARK: Items

    /// Counts the next item; returns the range of its title on the stack of bytes.
    mutating func openItem() throws(PropertyListError) -> Range<Int> {
        try tree.countItem()
        guard containers.count <= tree.limits.depth else {
            throw PropertyListError(reason: "the document nests deeper than \(tree.limits.depth) levels; flatten it")
        }
        guard let container = containers.last else { return tree.fields.loose("Root") }
        if let key = container.key { return key }
        containers[containers.count - 1].elements += 1
        return tree.fields.loose("\(container.elements)")
    }

    mutating func add(_ row: PendingRow, level: Level?) throws(PropertyListError) {
        var row = row
        row.place = containers.last?.place ?? .none
        tree.add(row, level: level)
        if containers.isEmpty { try tree.complete(.elements) }
    }

    /// Begins a leaf, whose only field is `Value`; returns the start of the field.
    mutating func openLeaf() -> Int {
        let start = tree.fields.bytes.count
        tree.fields.bytes.append(run: "Value".utf8Span.span)
        return start
    }

    mutating func closeLeaf(from start: Int, title: Range<Int>) throws(PropertyListError) {
        try add(PendingRow(fields: start..<tree.fields.bytes.count, title: title), level: nil)
    }
}

/// Dictionaries, arrays and the keys of dictionary entries. Each container is an item, which is interpreted when the
/// container ends.
extension AnyTreeBuilder {
    public mutating func key(_ name: Span<UInt8>, at position: SourcePosition) throws(PropertyListError) {
        tree.note(name)
        let start = tree.fields.bytes.count
        tree.fields.bytes.append(name)
        containers[containers.count - 1].key = start..<tree.fields.bytes.count
        containers[containers.count - 1].place = PackedPosition(position)
    }

    public mutating func beginDictionary(at position: SourcePosition) throws(PropertyListError) {
        try open(isDictionary: true, at: position)
    }

    public mutating func beginArray(at position: SourcePosition) throws(PropertyListError) {
        try open(isDictionary: false, at: position)
    }

    public mutating func endDictionary() throws(PropertyListError) { try close() }

    public mutating func endArray() throws(PropertyListError) { try close() }

    private mutating func open(isDictionary: Bool, at position: SourcePosition) throws(PropertyListError) {
        let title = try openItem()
        containers.append(
            Container(
                isDictionary: isDictionary, position: position, start: tree.fields.bytes.count,
                rowBase: tree.rows.count, title: title))
    }

    private mutating func close() throws(PropertyListError) {
        try tree.checkComplete()
        let container = containers[containers.count - 1]
        if container.isDictionary { dropRepeatedKeys(from: container.rowBase) }
        containers.removeLast()
        if let uid = takeUID(of: container) {
            let start = openLeaf()
            tree.fields.bytes.append(packed: .uid(uid))
            return try closeLeaf(from: start, title: container.title)
        }
        if tree.rows.count == container.rowBase { return try addEmpty(container) }
        let level = try tree.level(
            from: container.rowBase, start: container.start, form: container.isDictionary ? .entries : .elements,
            at: nil)
        try add(PendingRow(fields: container.start..<container.start, title: container.title), level: level)
    }

    private mutating func addEmpty(_ container: Container) throws(PropertyListError) {
        let start = openLeaf()
        tree.fields.bytes.append(container.isDictionary ? PackedTag.dictionary : .array)
        tree.fields.bytes.append(halfWord: 0)
        try closeLeaf(from: start, title: container.title)
    }

    /// Removes repeated keys, as every reader of dictionaries does. Of the entries with the same key, the last one
    /// remains, at the place of the first one.
    private mutating func dropRepeatedKeys(from base: Int) {
        var first: [UInt64: Int] = [:]
        var dropped: [Int] = []
        var earliest = PackedPosition.none
        for row in base..<tree.rows.count {
            let hash = TableHash.of(tree.fields.bytes.span.extracting(tree.rows[row].title))
            guard let earlier = first[hash] else {
                first[hash] = row
                continue
            }
            if dropped.isEmpty { earliest = tree.rows[earlier].place }
            tree.replaceRow(earlier, by: row)
            dropped.append(row)
        }
        guard let example = dropped.first else { return }
        warnAboutRepeatedKey(of: tree.rows[example], after: earliest)
        let gone = Set(dropped)
        tree.keepRows((base..<tree.rows.count).filter { !gone.contains($0) }, from: base)
    }

    private mutating func warnAboutRepeatedKey(of row: PendingRow, after earliest: PackedPosition) {
        guard let position = row.place.position else { return }
        let name = QuotedText(utf8: tree.fields.bytes.span.extracting(row.title))
        let message = RepeatedKey.message(name, first: earliest.position, second: position)
        tree.warnings.add(DocumentWarning(position: position, path: currentPath() ?? "/", message: message))
    }

    /// Removes the entry `CF$UID` of a dictionary without other entries, and returns its integer; otherwise returns
    /// nil.
    ///
    /// Formats other than the binary one write UIDs in this form.
    private mutating func takeUID(of container: Container) -> UInt64? {
        guard container.isDictionary, tree.rows.count == container.rowBase + 1, tree.child(container.rowBase) == nil
        else { return nil }
        let row = tree.rows[container.rowBase]
        guard tree.fields.bytes.span.extracting(row.title).isEqual(to: "CF$UID".utf8Span.span) else { return nil }
        var reader = PackedReader(bytes: tree.fields.bytes.span, at: row.fields.lowerBound)
        _ = reader.run()
        guard reader.byte() == PackedTag.positive.rawValue else { return nil }
        let value = reader.number()
        tree.dropLastItem(from: container.start)
        return value
    }
}

/// Texts, numbers, dates and data, which are leaves.
extension AnyTreeBuilder {
    public mutating func string(_ text: Span<UInt8>) throws(PropertyListError) {
        tree.note(text)
        let title = try openItem()
        let start = openLeaf()
        tree.fields.bytes.append(PackedTag.string, content: text)
        try closeLeaf(from: start, title: title)
    }

    public mutating func data(_ bytes: Span<UInt8>) throws(PropertyListError) {
        let title = try openItem()
        let start = openLeaf()
        tree.fields.bytes.append(PackedTag.data, content: bytes)
        try closeLeaf(from: start, title: title)
    }

    public static var omitsNullEntries: Bool { true }

    /// Leaves out a null element; later elements keep their indices.
    public mutating func null() throws(PropertyListError) {
        guard let array = containers.last else {
            throw PropertyListError(reason: "the document is null; it needs an array or a dictionary")
        }
        let number = array.elements
        containers[containers.count - 1].elements += 1
        tree.warnings.add(
            DocumentWarning(
                position: array.position, path: currentPath() ?? "/",
                message: "the element with index \(number) is null and left out"))
    }

    public mutating func scalar(_ value: PropertyListScalar) throws(PropertyListError) {
        tree.note(value)
        let title = try openItem()
        let start = openLeaf()
        tree.fields.bytes.append(packed: value)
        try closeLeaf(from: start, title: title)
    }
}

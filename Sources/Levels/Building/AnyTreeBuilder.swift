import Bytes
public import PropertyLists

/// Builds a tree from any property list: every entry of a dictionary and every element of an array is an item.
///
/// An item's title is its key, or its index from 0; a scalar or empty container is a leaf with the one field `Value`.
public struct AnyTreeBuilder: PropertyListConsumer, ~Copyable {
    var tree: TreeAssembly
    var containers: [Container] = []

    /// An open container, which is an item.
    struct Container {
        let isDictionary: Bool
        let start: Int
        let rowBase: Int
        /// The range of the title of the container's own row.
        let title: Range<Int>
        /// The key of the entry to come.
        var key: Range<Int>?
        var place = PackedPosition.none
        var elements = 0
    }

    /// The warnings so far.
    public var warnings: DocumentWarnings { tree.warnings }

    /// - Parameters:
    ///   - isXML: whether the reader guarantees that XML can represent all text.
    ///   - pool: the levels of the tree that this one will replace.
    ///   - progress: where the items are counted.
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
            throw PropertyListError("the document is empty; it needs one value")
        }
        return Tree(document: document, warnings: tree.warnings)
    }

    /// The titles from the root to the innermost open container.
    public func currentPath() -> String? {
        guard !containers.isEmpty else { return nil }
        return TitlePath.text(containers.dropFirst().map { String(utf8: tree.fields.bytes.span.extracting($0.title)) })
    }

    // MARK: Items

    /// Puts the next item's title on the stack of bytes.
    mutating func openItem() throws(PropertyListError) -> Range<Int> {
        try tree.countItem()
        guard containers.count <= tree.limits.depth else {
            throw PropertyListError("the document nests deeper than \(tree.limits.depth) levels; flatten it")
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

    /// Begins a leaf whose one field is `Value`; its value follows. Returns where the field begins.
    mutating func openLeaf() -> Int {
        let start = tree.fields.bytes.count
        tree.fields.bytes.append(run: "Value".utf8Span.span)
        return start
    }

    mutating func closeLeaf(from start: Int, title: Range<Int>) throws(PropertyListError) {
        try add(PendingRow(fields: start..<tree.fields.bytes.count, title: title), level: nil)
    }
}

public import PropertyLists

/// Builds a tree from the events of a document in which items are dictionaries and strings (manual, Documents).
///
/// It builds no object graph: fields are packed on one stack of bytes, and each level is packed when its array ends.
public struct TreeBuilder: PropertyListConsumer, ~Copyable {
    var frames: [Frame] = []
    /// The innermost frame's kind, and the meaning of the preceding key; separate, because every event reads them.
    var kind: Frame.Kind?
    var role: StructuralNames.Role?
    var fields = PackedFields()
    var rows: [PendingRow] = []
    /// The level below each of `rows`.
    var children: [Level?] = []
    var assembler: LevelAssembler
    var roles: RoleTable
    var sectionRoles: RoleTable
    let names: StructuralNames
    /// The names of titles as they are in a document.
    let titleNames: [[UInt8]]
    let limits: TreeLimits
    /// Whether the texts come from XML, so that XML can represent all of them.
    let isXML: Bool
    /// Whether any text or date so far is one that XML cannot represent.
    var hasTextBeyondXML = false
    var depth = -1
    /// The number of items so far, not counting the root.
    var items = -1
    public internal(set) var warnings = DocumentWarnings()
    var strayRows: [StrayRows] = []
    /// What is known about the item that was refused for its missing title; nil if the reason is different.
    public internal(set) var untitledItem: UntitledItem?
    /// Whether the document was refused over a key that is a misspelt structural name, which the error says.
    public internal(set) var refusesMisspeltName = false
    var document: Level?

    /// - Parameters:
    ///   - names: which keys are structure.
    ///   - isXML: whether the reader guarantees that XML can represent all text.
    ///   - pool: the levels of the tree that this one will replace.
    public init(
        names: StructuralNames = .init(), limits: TreeLimits = .init(), isXML: Bool = false, pool: LevelPool? = nil
    ) {
        self.names = names
        self.limits = limits
        self.isXML = isXML
        titleNames = names[.title].map { Array($0.utf8) }
        roles = RoleTable(names)
        sectionRoles = RoleTable(names, of: [.title, .children], others: ["Index", "Footer"])
        assembler = LevelAssembler(pool: pool)
    }

    /// The finished tree: a level whose one row is the root item.
    ///
    /// - Throws: `PropertyListError` if the document contained no tree.
    public consuming func finish() throws(PropertyListError) -> Tree {
        guard let document else { throw PropertyListError("the document is empty; it needs an array or a dictionary") }
        return Tree(document: document, warnings: warnings, strayRows: strayRows)
    }

    mutating func push(_ frame: Frame) {
        frames.append(frame)
        kind = frame.kind
        role = nil
    }

    mutating func pop() -> Frame {
        let frame = frames.removeLast()
        kind = frames.last?.kind
        role = nil
        return frame
    }
}

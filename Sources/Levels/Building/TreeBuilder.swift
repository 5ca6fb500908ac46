public import PropertyLists

/// Builds a tree of the events of a document in which items are dictionaries and strings (manual, Documents).
///
/// No object graph in between: fields go packed on one stack of bytes, and each level is packed when its array ends.
public struct TreeBuilder: PropertyListConsumer, ~Copyable {
    var frames: [Frame] = []
    /// The innermost frame's kind, and what the key before the next value means: apart, since every event asks.
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
    /// Whether the texts come from XML, and so can all stand in XML.
    let isXML: Bool
    /// Whether any text or date so far is one that XML cannot carry.
    var hasTextBeyondXML = false
    var depth = -1
    /// How many items there are so far, the root not counted.
    var items = -1
    public internal(set) var warnings = DocumentWarnings()
    var strayRows: [StrayRows] = []
    /// What is known of the item that was refused for its missing title; nil where the reason is another.
    public internal(set) var untitledItem: UntitledItem?
    /// Whether the document was refused over a key that is a misspelt structural name, which the error says.
    public internal(set) var refusesMisspeltName = false
    var document: Level?

    /// - Parameters:
    ///   - names: which keys are structure.
    ///   - isXML: whether the reader guarantees that all text can stand in XML.
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
    /// - Throws: `PropertyListError` when the document held no tree.
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

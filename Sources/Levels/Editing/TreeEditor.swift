/// Makes new trees from old trees. Copies the levels from the root to a change, and shares all other levels.
///
/// The result equals the tree that a builder makes of the edited document, including all hashes and the keys of
/// siblings. The editor does no I/O, and an error leaves no partial tree.
///
/// To edit a document as clients do, with paths and refusals, use `EditSession`, which uses an editor.
public struct TreeEditor: Sendable {
    /// The structural keys of the document.
    public let names: StructuralNames
    /// The limits of a tree.
    public let limits: TreeLimits

    public init(names: StructuralNames = .init(), limits: TreeLimits = .init()) {
        self.names = names
        self.limits = limits
    }

    /// Returns the document with changed rows below an item.
    ///
    /// A leaf becomes a branch; a branch that loses its last row keeps an empty level.
    ///
    /// - Parameter item: the item above the rows; nil to change the document's only row, which is the root's.
    /// - Throws: `TreeError` if two rows have the same `Key`, or the tree exceeds the limits.
    func document(arranging rows: RowArrangement, below item: Item?) throws(TreeError) -> Level {
        var arranged = try ArrangedLevel(arrangement: rows, names: names, owner: item?.own)
        let level = try arranged.level()
        if let item { return try document(replacingLevelBelow: item, with: level) }
        return level.hash == rows.level.hash ? rows.level : try document([], over: level)
    }

    /// Returns the document with another level below an item.
    ///
    /// - Throws: `TreeError` if the tree exceeds the limits.
    func document(replacingLevelBelow item: Item, with level: Level) throws(TreeError) -> Level {
        if level.hash == item.level?.hash { return item.steps[0].level }
        let own = item.own
        if own.below?.form == level.form { return try document(item.steps[...], over: level) }
        var rows = RowArrangement(of: own.level)
        try rows.replaceLevel(below: own.row, with: level)
        return try document(arranging: rows, below: item.depth == 0 ? nil : Item(item.steps.dropLast()))
    }

    /// Copies the levels up to the root.
    private func document(_ steps: ArraySlice<Item.Step>, over level: Level) throws(TreeError) -> Level {
        guard steps.count - 1 + Int(level.height) <= limits.depth else { throw .tooDeep(limit: limits.depth) }
        var below = level
        for step in steps.reversed() { below = step.level.replacingChild(of: step.row, with: below) }
        guard below.fullItemCount - 1 <= limits.items else { throw .tooManyItems(limit: limits.items) }
        return below
    }
}

/// Makes new trees from old ones: the levels from the root to a change are copied, and all others are shared.
///
/// A tree is its document: the level whose one row is the root item. The result equals what a builder makes from the
/// edited document, hash for hash, including the keys of siblings. The editor does no I/O, and an error leaves no
/// partial tree.
public struct TreeEditor: Sendable {
    let names: StructuralNames
    /// How deep and how large a tree may become.
    public let limits: TreeLimits

    /// - Parameters:
    ///   - names: which dictionary keys are structure in the document.
    ///   - limits: how deep and how large a tree may become.
    public init(names: StructuralNames = .init(), limits: TreeLimits = .init()) {
        self.names = names
        self.limits = limits
    }

    /// Returns the rows below an item, to be changed; none below a leaf.
    ///
    /// - Throws: `TreeError.anyShape`, `TreeError.records`.
    public func rows(below item: Item) throws(TreeError) -> RowArrangement {
        try refuseAnyShape(item)
        try refuseTable(of: item)
        return RowArrangement(of: item.level ?? .empty)
    }

    /// Returns the item and its siblings, to be changed.
    private func rows(around item: Item) throws(TreeError) -> RowArrangement {
        try refuseAnyShape(item)
        guard !item.own.level.form.isDrilled else { throw .records }
        return RowArrangement(of: item.own.level)
    }

    /// Refuses an item whose level is made from `Records`, in the document or in a file.
    private func refuseTable(of item: Item) throws(TreeError) {
        guard item.level?.form.isDrilled != true, item.own.level.part(item.own.row)?.isTable != true else {
            throw .records
        }
    }

    private func refuseAnyShape(_ item: Item) throws(TreeError) {
        guard item.own.level.form != .elements, item.own.level.form != .entries else { throw .anyShape }
    }

    /// Returns the document with the changed rows below an item.
    ///
    /// A leaf becomes a branch; a branch that loses its last row keeps an empty level.
    ///
    /// - Parameter rows: the result of `rows(below:)`, changed.
    /// - Throws: `TreeError` if two rows have the same `Key`, or the tree becomes too deep or too large.
    public func document(arranging rows: RowArrangement, below item: Item) throws(TreeError) -> Level {
        var change = try LevelChange(rows, names: names, owner: item.own)
        return try document(replacingLevelBelow: item, with: change.level())
    }

    /// Returns the document with another level below an item.
    ///
    /// - Throws: `TreeError` if the tree becomes too deep or too large.
    public func document(replacingLevelBelow item: Item, with level: Level) throws(TreeError) -> Level {
        try refuseAnyShape(item)
        try refuseTable(of: item)
        if level.hash == item.level?.hash { return item.steps[0].level }
        let own = item.own
        if own.level.hasChild(of: own.row, like: level) { return try document(item.steps[...], over: level) }
        var rows = try self.rows(around: item)
        try rows.replaceLevel(below: own.row, with: level)
        return try document(arranging: rows, around: item)
    }

    /// Returns the document with an item and its siblings changed.
    private func document(arranging rows: RowArrangement, around item: Item) throws(TreeError) -> Level {
        let above = item.steps.dropLast()
        var change = try LevelChange(rows, names: names, owner: above.last)
        let level = try change.level()
        if level.hash == item.own.level.hash { return item.steps[0].level }
        return try document(above, over: level)
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

/// Single steps.
extension TreeEditor {
    /// Returns the document with rows of other levels, and everything below them, inserted below an item.
    public func document(
        inserting rows: [Item.Step], at place: RowPlace, below item: Item
    ) throws(TreeError) -> Level {
        var arrangement = try self.rows(below: item)
        try arrangement.insert(rows, at: place)
        return try document(arranging: arrangement, below: item)
    }

    /// Returns the document with a row of another level instead of an item.
    ///
    /// - Parameter keepsLevel: whether the level below stays; see `RowArrangement.replace`.
    public func document(
        replacing item: Item, with source: Item.Step, keepsLevel: Bool = false
    ) throws(TreeError) -> Level {
        var rows = try self.rows(around: item)
        // The level follows from the fields, which may name other columns now.
        if keepsLevel { try refuseTable(of: item) }
        try rows.replace(item.own.row, with: source, keepsLevel: keepsLevel)
        return try document(arranging: rows, around: item)
    }

    /// Returns the document without an item and everything below it.
    ///
    /// - Throws: `TreeError.root`.
    public func document(removing item: Item) throws(TreeError) -> Level {
        guard item.depth > 0 else { throw .root }
        var rows = try self.rows(around: item)
        try rows.remove(item.own.row)
        return try document(arranging: rows, around: item)
    }

    /// Returns the document with an item, and everything below it, moved below another item or within its level.
    ///
    /// - Parameter place: counted without the item.
    /// - Throws: `TreeError.root`, `TreeError.intoItself`, and what an insertion throws.
    public func document(
        moving item: Item, to place: RowPlace, below target: Item
    ) throws(TreeError) -> Level {
        guard item.depth > 0 else { throw .root }
        guard !item.isOnWay(to: target) else { throw .intoItself }
        // Not by the level's identity, because a level may be in several places.
        if target.steps.count == item.depth, target.isOnWay(to: item) {
            var rows = try self.rows(around: item)
            try rows.move(item.own.row, to: place)
            return try document(arranging: rows, around: item)
        }
        let rest = try document(removing: item)
        return try document(inserting: [item.own], at: place, below: target.found(in: rest, without: item))
    }
}

extension Item {
    /// Whether another item is this one, or is somewhere below it.
    fileprivate func isOnWay(to other: Item) -> Bool {
        steps.count <= other.steps.count && zip(steps, other.steps).allSatisfy { $0.row == $1.row }
    }

    /// The item in a document from which another item was removed.
    fileprivate func found(in document: Level, without other: Item) -> Item {
        let last = other.steps.count - 1
        let isBeside = steps.count > last && zip(steps[..<last], other.steps).allSatisfy { $0.row == $1.row }
        var level: Level? = document
        var found: [Step] = []
        for (number, step) in steps.enumerated() {
            guard let current = level else { break }
            let row = isBeside && number == last && step.row > other.own.row ? step.row - 1 : step.row
            found.append(Step(level: current, row: row))
            level = current.child(row)
        }
        return Item(found)
    }
}

internal import Bytes

/// An item of a draft that is new, changed or moved, or whose level has changed.
package struct ItemDraft: Sendable {
    /// The row with the item's own fields, in any level.
    package private(set) var step: Item.Step
    /// The row with the fields that describe the level below, unless `step` has them.
    private(set) var structure: Item.Step?
    /// The level below, as it was last packed.
    var below: Level?
    /// The draft of the level below; nil if its rows have not changed.
    package var draft: LevelDraft?
    /// The path of the item in the old document, which consists of row numbers from the root's level; nil for an item
    /// that the old document lacks.
    package let origin: [Int]?
    /// The row of the old level whose place the item has; nil for an item that has come or moved.
    var place: Int?
    /// Whether the item has the place of an old row, and the same natural key.
    var keepsKey: Bool
    /// Whether the own fields may have changed.
    private(set) var isRewritten: Bool
    /// The number by which a batch finds the item again.
    var mark = 0

    /// Creates a new item, with everything below its row.
    init(new step: Item.Step) {
        self.step = step
        below = step.below
        (origin, place, keepsKey, isRewritten) = (nil, nil, false, true)
    }

    /// Creates the item of an old row.
    init(old step: Item.Step, origin: [Int]?) {
        self.step = step
        below = step.below
        (self.origin, place, keepsKey, isRewritten) = (origin, step.row, true, false)
    }

    /// Creates an item that another program has changed.
    ///
    /// - Parameters:
    ///   - below: the level below; nil for the level that the row already has.
    ///   - place: the row of the same item in the old level; nil if the item was not in this level.
    package init(followed step: Item.Step, below: Level?, place: Int?) {
        self.step = step
        self.below = below ?? step.below
        (origin, self.place, keepsKey, isRewritten) = (nil, place, false, true)
    }

    /// The changes of an item, as a writer of its document sees them.
    package enum Change {
        /// The item and everything below it are new.
        case new
        /// The item may have moved, but neither the item nor anything below it has changed.
        case same
        case changed
    }

    package var change: Change {
        if origin != nil { return isRewritten || draft != nil ? .changed : .same }
        return draft?.holdsOrigins == true ? .changed : .new
    }

    /// The level below with its edits; nil for a leaf.
    func level(_ names: StructuralNames) -> LevelDraft? {
        draft ?? below.map { LevelDraft(of: $0, below: step, origin: origin, names: names) }
    }

    /// Changes the level below in place. A leaf becomes a branch.
    mutating func withLevel<Result>(
        _ names: StructuralNames, _ change: (inout LevelDraft) throws(TreeError) -> Result
    ) throws(TreeError) -> Result {
        // While `draft` is nil, the level has only one owner, and is changed in place.
        var level = draft.take() ?? LevelDraft(of: below ?? .empty, below: step, origin: origin, names: names)
        defer { draft = level }
        return try change(&level)
    }

    mutating func replace(with step: Item.Step, keepsLevel: Bool) {
        if keepsLevel {
            structure = structure ?? self.step
            below = below ?? step.below
        } else {
            (structure, below, draft) = (nil, step.below, nil)
        }
        (self.step, isRewritten) = (step, true)
    }

    /// Whether the item's own row is packed as a row of the item's old level.
    func isPacked(as place: Int, of old: Level) -> Bool {
        step.level === old && step.row == place && structure == nil && below?.form == old.child(place)?.form
    }

    // MARK: The own row

    private var row: Row { step.level.row(step.row) }

    var hasExplicitKey: Bool { row.hasExplicitKey }

    var isPart: Bool { row.isPart }

    var naturalKey: [UInt8] { step.level.naturalKey(of: step.row) }
}

extension LevelDraft {
    /// Whether an item in or below the level comes from the old document.
    fileprivate var holdsOrigins: Bool {
        origin != nil
            || runs(in: 0..<rowCount).contains { run in
                if case .item(let item) = run { item.origin != nil || item.draft?.holdsOrigins == true } else { false }
            }
    }
}

extension RowGatherer {
    /// Appends the own row of an item, with a place for the level below the item.
    mutating func gather(_ item: ItemDraft) -> PendingRow {
        let (level, number) = (item.step.level, item.step.row)
        if let below = item.below {
            guard item.structure != nil || below.form != item.step.below?.form else {
                return gather(level, number: number)
            }
            return gather(level, number: number, over: below, structure: item.structure)
        }
        let structure = item.structure.map { self.structure(of: $0) } ?? ByteBuffer()
        guard structure.count > 0 else { return gather(level, number: number) }
        return gather(level, number: number, adding: structure.span, keepsStructure: false)
    }
}

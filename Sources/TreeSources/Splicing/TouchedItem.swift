internal import Levels
internal import PropertyLists

/// An item of the older document that matters for an edit, with its place in the text.
final class TouchedItem {
    /// The touched items among the rows of the item, by row.
    private(set) var below: [Int: TouchedItem] = [:]
    /// The rows whose places in the text are needed.
    private(set) var wanted: Set<Int> = []
    /// The changes of the item's rows, by old section; nil if the rows are unchanged or are written as new text.
    private(set) var plans: [RowPlan]?
    /// The touched or wanted rows in ascending order; set when the search begins.
    private var sought: [Int] = []
    /// The item in the tree; nil until the search for its text begins.
    var step: Item.Step?
    /// The item's place in the text.
    var range = 0..<0
    /// The item's dictionary; nil for an item that is not a dictionary.
    var dictionary: TextDictionary?
    /// The arrays of the item's rows, by section.
    var arrays: [Int: TextList] = [:]
    /// The dictionaries of sections without rows.
    var sections: [Int: TextDictionary] = [:]

    /// Records the items of the older document that the edits of an item need.
    ///
    /// - Parameters:
    ///   - old: the level whose only row is the root of the older document.
    ///   - new: the item after the edits.
    func touch(_ draft: ItemDraft, old: Level, new: Item.Step) throws(PropertyListError) {
        guard draft.change != .new else { return }
        if let origin = draft.origin {
            try want(origin, old: old)
            if draft.change == .same { return }
            let (item, step) = try self.item(at: origin, old: old)
            item.plans = draft.draft.flatMap { RowPlan.all($0, old: step, new: new) }
            for plan in item.plans ?? [] { item.wanted.formUnion(plan.wanted) }
        }
        guard let level = draft.draft, let below = new.below else { return }
        guard level.rowCount == below.rowCount else { throw .contradictoryEdit }
        var row = 0
        for run in level.runs(in: 0..<level.rowCount) {
            switch run {
            case .old(let rows): row += rows.count
            case .item(let item):
                try touch(item, old: old, new: Item.Step(level: below, row: row))
                row += 1
            }
        }
    }

    /// Records that the place of an item is needed.
    private func want(_ path: [Int], old: Level) throws(PropertyListError) {
        guard let row = path.last else { return }
        _ = try item(at: path, old: old)
        try item(at: Array(path.dropLast()), old: old).0.wanted.insert(row)
    }

    /// The item at a path below this item, which must be the root.
    private func item(at path: [Int], old: Level) throws(PropertyListError) -> (TouchedItem, Item.Step) {
        var (item, step) = (self, Item.Step(level: old, row: 0))
        for row in path {
            guard let level = step.below, row >= 0, row < level.rowCount else { throw .contradictoryEdit }
            step = Item.Step(level: level, row: row)
            item = item.row(row)
        }
        return (item, step)
    }

    private func row(_ row: Int) -> TouchedItem {
        if let item = below[row] { return item }
        let item = TouchedItem()
        below[row] = item
        return item
    }

    // MARK: Finding

    /// Begins to find the item in the text. Earlier results are forgotten, because the last of several entries with the
    /// same key counts.
    func begin(_ step: Item.Step) {
        self.step = step
        sought = wanted.union(below.keys).sorted()
        range = 0..<0
        dictionary = nil
        forgetRows()
    }

    func forgetRows() {
        arrays = [:]
        sections = [:]
    }

    /// Whether any row of a section is needed.
    func needs(_ section: Int, rows: Range<Int>) -> Bool {
        if let plans, plans.indices.contains(section), plans[section].isRearranged { return true }
        return !needed(rows).isEmpty
    }

    /// The needed rows of a range, in ascending order.
    func needed(_ rows: Range<Int>) -> ArraySlice<Int> {
        sought[sought.partitioningIndex { $0 >= rows.lowerBound }..<sought.partitioningIndex { $0 >= rows.upperBound }]
    }

    /// The touched item at a path below this item.
    func item(at path: ArraySlice<Int>) throws(PropertyListError) -> TouchedItem {
        var item = self
        for row in path {
            guard let next = item.below[row] else { throw .contradictoryEdit }
            item = next
        }
        return item
    }

    /// The place of a wanted row.
    func slot(_ row: Int) throws(PropertyListError) -> TextSlot {
        for array in arrays.values { if let slot = array.slots[row] { return slot } }
        throw .notWhatWasRead
    }
}

extension Item.Step {
    /// The arrays of the item's rows in the document, including empty arrays.
    var writtenSections: [WrittenSection] {
        if let level = below { return level.writtenSections }
        return writtenForm == .rows ? [WrittenSection(noRowsNamed: [])] : []
    }

    /// The form of the item's rows in the document; nil for an item without a place for rows.
    var writtenForm: LevelForm? {
        if let place { return place.form }
        return writtenKind == .array ? below?.form ?? .rows : nil
    }
}

extension PropertyListError {
    /// The error for a draft that does not fit the trees.
    static var contradictoryEdit: PropertyListError {
        PropertyListError(reason: "the edited tree does not match the recorded origins of its items")
    }
}

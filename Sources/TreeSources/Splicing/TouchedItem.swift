internal import Levels
internal import PropertyLists

/// An item of the older document that matters for an edit, with its place in the text.
final class TouchedItem {
    /// Those of its rows that matter themselves, by their numbers.
    private(set) var below: [Int: TouchedItem] = [:]
    /// The rows whose places in the text are needed.
    private(set) var wanted: Set<Int> = []
    /// How its rows change, by old section; nil if they do not, or are written anew.
    private(set) var plans: [RowPlan]?
    /// The rows that matter or whose places are needed, in ascending order, once they are looked for.
    private var sought: [Int] = []
    /// The item in the tree, once it was found in the text.
    var step: Item.Step?
    /// Its place in the text.
    var range = 0..<0
    /// Its dictionary; nil if it is not one.
    var dictionary: TextDictionary?
    /// The arrays of its rows, by section.
    var arrays: [Int: TextList] = [:]
    /// The dictionaries of sections that have no rows.
    var sections: [Int: TextDictionary] = [:]

    /// Notes what an edit needs to know of the older document.
    ///
    /// - Parameters:
    ///   - provenance: that of `new`.
    ///   - old: the older document.
    func touch(by provenance: Provenance, old: Level, new: Item.Step) throws(PropertyListError) {
        switch provenance {
        case .new: break
        case .same(let path): try want(path, old)
        case .changed(let origin, let rows):
            var plans: [RowPlan]?
            if let origin {
                try want(origin, old)
                let (item, step) = try self.item(at: origin, old)
                if let rows { plans = RowPlan.all(rows, origin: origin, old: step, new: new) }
                item.plans = plans
                for plan in plans ?? [] { item.wanted.formUnion(plan.wanted) }
            }
            guard let rows, let level = new.below else { return }
            var row = 0
            for run in rows {
                if case .row(let provenance) = run {
                    guard row < level.writtenRowCount else { throw .contradictoryEdit }
                    try touch(by: provenance, old: old, new: Item.Step(level: level, row: row))
                }
                row += run.count
            }
        }
    }

    /// Notes that the place of an item is needed.
    private func want(_ path: [Int], _ old: Level) throws(PropertyListError) {
        guard let row = path.last else { return }
        _ = try item(at: path, old)
        try item(at: Array(path.dropLast()), old).0.wanted.insert(row)
    }

    /// The item at a path from this one, the root, on.
    private func item(at path: [Int], _ old: Level) throws(PropertyListError) -> (TouchedItem, Item.Step) {
        var (item, step) = (self, Item.Step(level: old, row: 0))
        for row in path {
            guard let level = step.below, row >= 0, row < level.writtenRowCount else { throw .contradictoryEdit }
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

    /// Begins to find it in the text; of several with one key, the last one is found.
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

    /// Whether anything about a section is needed.
    func needs(_ section: Int, _ rows: Range<Int>) -> Bool {
        if let plans, plans.indices.contains(section), plans[section].isRearranged { return true }
        return !needed(rows).isEmpty
    }

    /// Those of some rows that are needed, in ascending order.
    func needed(_ rows: Range<Int>) -> ArraySlice<Int> {
        sought[sought.firstIndex(from: rows.lowerBound)..<sought.firstIndex(from: rows.upperBound)]
    }

    /// The item at a path from this one on, which was touched.
    func item(at path: ArraySlice<Int>) throws(PropertyListError) -> TouchedItem {
        var item = self
        for row in path {
            guard let next = item.below[row] else { throw .contradictoryEdit }
            item = next
        }
        return item
    }

    /// The place of a row that was looked for.
    func slot(_ row: Int) throws(PropertyListError) -> TextSlot {
        for array in arrays.values { if let slot = array.slots[row] { return slot } }
        throw .notWhatWasRead
    }
}

extension [Int] {
    /// The index of the first number that is not below a bound; the numbers ascend.
    func firstIndex(from bound: Int) -> Int {
        var (low, high) = (0, count)
        while low < high {
            let middle = (low + high) / 2
            if self[middle] < bound { low = middle + 1 } else { high = middle }
        }
        return low
    }
}

extension Item.Step {
    /// The arrays of its rows in the document, empty ones too.
    var writtenSections: [WrittenSection] {
        if let level = below { return level.writtenSections }
        return writtenForm == .rows ? [WrittenSection(noRowsNamed: [])] : []
    }

    /// The form of its rows in the document.
    var writtenForm: LevelForm? {
        if let place { return place.form }
        return writtenKind == .array ? below?.form ?? .rows : nil
    }
}

extension PropertyListError {
    /// The error for edits whose provenance does not fit the trees.
    static var contradictoryEdit: PropertyListError {
        PropertyListError("the edited tree and the notes on where its items come from contradict each other")
    }
}

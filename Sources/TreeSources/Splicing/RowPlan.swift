internal import Levels
internal import PropertyLists

/// The changes of the rows in one array of a document.
struct RowPlan {
    /// A new row, or a row with changes inside it.
    struct Change {
        /// The number of the row in the new level.
        let row: Int
        let item: ItemDraft
    }

    /// The section in the older level.
    let section: Int
    private(set) var steps: [ListStep<Change>] = []
    /// The first older row that no step so far keeps or drops.
    private var next: Int

    /// Whether rows come or go. Otherwise, rows at most change in place.
    var isRearranged: Bool { steps.contains(where: \.rearranges) }

    /// Whether anything changes in the array.
    var isChanged: Bool {
        steps.contains { step in if case .keep(_, changing: nil) = step { false } else { true } }
    }

    /// The changes of all arrays with an item's rows; nil if the old and the new item do not have the same arrays.
    static func all(_ level: LevelDraft, old: Item.Step, new: Item.Step) -> [RowPlan]? {
        let (olds, news) = (old.writtenSections, new.writtenSections)
        guard old.writtenForm == new.writtenForm, old.place?.name == new.place?.name, olds.count == news.count else {
            return nil
        }
        var plans: [RowPlan] = []
        let isNamed = old.writtenForm == .namedSections
        let names = isNamed ? Dictionary(news.map { ($0.name, $0) }, uniquingKeysWith: { $1 }) : [:]
        for (number, section) in olds.enumerated() {
            guard let other = isNamed ? names[section.name] : news[number] else { return nil }
            plans.append(RowPlan(level, section: number, old: section.rows, new: other.rows))
        }
        return plans
    }

    private init(_ level: LevelDraft, section: Int, old: Range<Int>, new: Range<Int>) {
        self.section = section
        next = old.lowerBound
        let runs = level.runs(in: new)
        // For each run, the first old row after it that has not moved.
        var bounds = [Int](repeating: old.upperBound, count: runs.count)
        for index in runs.indices.dropLast().reversed() {
            bounds[index] = bounds[index + 1]
            if case .old(let rows) = runs[index + 1] { bounds[index] = rows.lowerBound }
        }
        var row = new.lowerBound
        for (run, bound) in zip(runs, bounds) {
            switch run {
            case .old(let rows):
                drop(upTo: rows.lowerBound)
                next = rows.upperBound
                steps.append(.keep(rows, changing: nil))
                row += rows.count
            case .item(let item):
                add(Change(row: row, item: item), in: level, before: bound)
                row += 1
            }
        }
        drop(upTo: old.upperBound)
    }

    private mutating func add(_ change: Change, in level: LevelDraft, before bound: Int) {
        guard let path = change.item.origin, let row = path.last, level.origin?[...] == path.dropLast(),
            (next..<max(next, bound)).contains(row)
        else { return steps.append(.insert(change)) }
        drop(upTo: row)
        next = row + 1
        steps.append(.keep(row..<row + 1, changing: change.item.change == .same ? nil : change))
    }

    private mutating func drop(upTo row: Int) {
        for row in next..<max(next, row) { steps.append(.drop(row)) }
        next = max(next, row)
    }

    /// The older rows whose places in the text are needed. These are rows that go, and neighbours of rows that come or
    /// go.
    var wanted: Set<Int> {
        guard isRearranged else { return [] }
        var wanted: Set<Int> = []
        for step in steps {
            switch step {
            case .keep(let rows, _):
                let ends = [rows.lowerBound, rows.lowerBound + 1, rows.upperBound - 2, rows.upperBound - 1]
                wanted.formUnion(ends.filter(rows.contains))
            case .drop(let row): wanted.insert(row)
            case .insert: break
            }
        }
        return wanted
    }
}

/// The rows of items.
extension Splicer {
    /// Copies or writes an item's rows, as the edit of their place requires.
    func splice(
        _ edit: PlaceEdit, of item: TouchedItem, as new: Item.Step, draft: LevelDraft?
    ) throws(PropertyListError) {
        switch edit {
        case .kept(let range):
            if let draft { try spliceRows(of: item, as: new, draft: draft, whole: range) }
        case .new(let place):
            try write(at: place) { (writer) throws(PropertyListError) in
                try self.composeRows(new, draft: draft, writer: &writer)
            }
        }
    }

    /// Copies the arrays of an item's rows with their changes.
    ///
    /// - Parameter whole: the value that contains the arrays.
    func spliceRows(
        of item: TouchedItem, as new: Item.Step, draft: LevelDraft, whole: Range<Int>
    ) throws(PropertyListError) {
        guard let plans = item.plans else {
            pieces.copy(upTo: whole.lowerBound)
            try write(at: place(of: whole.lowerBound)) { (writer) throws(PropertyListError) in
                try self.composeRows(new, draft: draft, writer: &writer)
            }
            return pieces.pass(upTo: whole.upperBound)
        }
        var lists: [(start: Int, plan: RowPlan)] = []
        for plan in plans where plan.isChanged {
            let place = item.arrays[plan.section]?.opening ?? item.sections[plan.section]?.opening
            guard let start = place?.lowerBound else { throw .notWhatWasRead }
            lists.append((start, plan))
        }
        for (_, plan) in lists.sorted(by: { $0.start < $1.start }) {
            if let list = item.arrays[plan.section] {
                try spliceRows(in: list, by: plan, of: item, as: new)
            } else if let dictionary = item.sections[plan.section] {
                try addRows(of: plan, to: dictionary, new: new, draft: draft)
            }
        }
    }

    private func spliceRows(
        in list: TextList, by plan: RowPlan, of item: TouchedItem, as new: Item.Step
    ) throws(PropertyListError) {
        func step(_ change: RowPlan.Change) throws(PropertyListError) -> Item.Step {
            guard let level = new.below else { throw .contradictoryEdit }
            return Item.Step(level: level, row: change.row)
        }
        try splice(list, steps: plan.steps) { (change) throws(PropertyListError) in
            guard let row = change.item.origin?.last, let below = item.below[row] else {
                throw .contradictoryEdit
            }
            try self.splice(below, as: step(change), by: change.item)
        } write: { (change, place) throws(PropertyListError) in
            try self.write(step(change), by: change.item, at: place)
        }
    }

    /// Writes the first rows of a section. The section's dictionary does not have an array for rows yet.
    private func addRows(
        of plan: RowPlan, to dictionary: TextDictionary, new: Item.Step, draft: LevelDraft
    ) throws(PropertyListError) {
        guard let section = new.below?.writtenSections[plan.section],
            let field = section.fields?.last(where: { $0.form != nil })
        else { throw .contradictoryEdit }
        var steps: [ListStep<Void>] = dictionary.entries.indices.map { .keep($0..<$0 + 1, changing: nil) }
        steps.append(.insert(()))
        var list = TextList(dictionary)
        list.keyGap = try keyGap(of: dictionary)
        try splice(list, steps: steps) {
        } write: { (_, place) throws(PropertyListError) in
            try self.writeKey(field.name, at: place)
            try self.write(at: place) { (writer) throws(PropertyListError) in
                try self.composeArray(section.rows, new: new, draft: draft, writer: &writer)
            }
        }
    }
}

internal import Levels
internal import PropertyLists

/// The changes of the rows in one array of a document.
struct RowPlan {
    /// A new row, or a row with changes inside it.
    struct Change {
        /// The number of the row in the new level.
        let row: Int
        let provenance: Provenance
    }

    /// The section in the older level.
    let section: Int
    /// The section's rows in the older level.
    let old: Range<Int>
    private(set) var steps: [ListStep<Change>] = []
    /// The first older row that no step so far keeps or drops.
    private var next: Int

    /// Whether rows come or go. Otherwise, rows at most change in place.
    var isRearranged: Bool { steps.contains(where: \.rearranges) }

    /// Whether anything changes in the array.
    var isChanged: Bool {
        steps.contains { step in if case .keep(_, changing: nil) = step { false } else { true } }
    }

    private init(section: Int, old: Range<Int>) {
        self.section = section
        self.old = old
        next = old.lowerBound
    }

    /// The changes of all arrays with an item's rows; nil if the old and the new item do not have the same arrays.
    static func all(
        _ runs: [Provenance.Run], origin: [Int], old: Item.Step, new: Item.Step
    ) -> [RowPlan]? {
        let (olds, news) = (old.writtenSections, new.writtenSections)
        guard old.writtenForm == new.writtenForm, old.place?.name == new.place?.name, olds.count == news.count else {
            return nil
        }
        var plans: [RowPlan] = []
        let isNamed = old.writtenForm == .namedSections
        let starts = Self.starts(of: runs)
        let names = isNamed ? Dictionary(news.map { ($0.name, $0) }, uniquingKeysWith: { $1 }) : [:]
        for (number, section) in olds.enumerated() {
            guard let other = isNamed ? names[section.name] : news[number] else { return nil }
            plans.append(
                plan(runs, starts: starts, origin: origin, section: number, old: section.rows, new: other.rows))
        }
        return plans
    }

    private static func plan(
        _ runs: [Provenance.Run], starts: [Int], origin: [Int], section: Int, old: Range<Int>, new: Range<Int>
    ) -> RowPlan {
        var plan = RowPlan(section: section, old: old)
        let parts = clipped(runs, starts: starts, to: new)
        var bounds = [Int](repeating: old.upperBound, count: parts.count + 1)
        for index in parts.indices.reversed() {
            bounds[index] = bounds[index + 1]
            if case .same(let rows) = parts[index].run, old.lowerBound <= rows.lowerBound,
                rows.upperBound <= old.upperBound
            {
                bounds[index] = rows.lowerBound
            }
        }
        for (index, part) in parts.enumerated() {
            plan.add(part.run, new: part.new, origin: origin, before: bounds[index + 1])
        }
        plan.drop(upTo: old.upperBound)
        return plan
    }

    /// The first new row of each run, in ascending order.
    private static func starts(of runs: [Provenance.Run]) -> [Int] {
        var next = 0
        return runs.map { run in
            defer { next += run.count }
            return next
        }
    }

    /// The parts of the runs that lie within a range of new rows.
    private static func clipped(
        _ runs: [Provenance.Run], starts: [Int], to rows: Range<Int>
    ) -> [(run: Provenance.Run, new: Int)] {
        var parts: [(Provenance.Run, Int)] = []
        // The last run that begins at or before the first row.
        let first = max(starts.partitioningIndex { $0 > rows.lowerBound } - 1, 0)
        for (run, start) in zip(runs[first...], starts[first...]) where !rows.isEmpty {
            guard start < rows.upperBound else { break }
            let part = (start..<start + run.count).clamped(to: rows)
            if !part.isEmpty {
                if case .same(let old) = run {
                    let first = old.lowerBound + part.lowerBound - start
                    parts.append((.same(first..<first + part.count), part.lowerBound))
                } else {
                    parts.append((run, part.lowerBound))
                }
            }
        }
        return parts
    }

    private mutating func add(_ run: Provenance.Run, new: Int, origin: [Int], before bound: Int) {
        switch run {
        case .same(let rows):
            if rows.lowerBound >= next, rows.upperBound <= old.upperBound {
                drop(upTo: rows.lowerBound)
                next = rows.upperBound
                steps.append(.keep(rows, changing: nil))
            } else {
                for (offset, row) in rows.enumerated() {
                    steps.append(.insert(Change(row: new + offset, provenance: .same(origin + [row]))))
                }
            }
        case .row(let provenance):
            let change = Change(row: new, provenance: provenance)
            guard let path = provenance.origin, let row = path.last, path.dropLast() == origin[...],
                (next..<max(next, bound)).contains(row)
            else { return steps.append(.insert(change)) }
            drop(upTo: row)
            next = row + 1
            if case .same = provenance {
                steps.append(.keep(row..<row + 1, changing: nil))
            } else {
                steps.append(.keep(row..<row + 1, changing: change))
            }
        }
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

extension Provenance {
    /// The path of the item in the older document; nil for a new item.
    var origin: [Int]? {
        switch self {
        case .new: nil
        case .same(let path): path
        case .changed(let origin, _): origin
        }
    }
}

/// The rows of items.
extension Splicer {
    /// Copies or writes an item's rows, as the edit of their place requires.
    func splice(
        _ edit: PlaceEdit, of item: TouchedItem, as new: Item.Step, runs: [Provenance.Run]?
    ) throws(PropertyListError) {
        switch edit {
        case .kept(let range):
            if let runs { try spliceRows(of: item, as: new, runs: runs, whole: range) }
        case .new(let place):
            try write(at: place) { (writer) throws(PropertyListError) in
                try self.composeRows(new, runs: runs, writer: &writer)
            }
        }
    }

    /// Copies the arrays of an item's rows with their changes.
    ///
    /// - Parameter whole: the value that contains the arrays.
    func spliceRows(
        of item: TouchedItem, as new: Item.Step, runs: [Provenance.Run], whole: Range<Int>
    ) throws(PropertyListError) {
        guard let plans = item.plans else {
            pieces.copy(upTo: whole.lowerBound)
            try write(at: place(of: whole.lowerBound)) { (writer) throws(PropertyListError) in
                try self.composeRows(new, runs: runs, writer: &writer)
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
                try addRows(of: plan, to: dictionary, new: new, runs: runs)
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
            guard let row = change.provenance.origin?.last, let below = item.below[row] else {
                throw .contradictoryEdit
            }
            try self.splice(below, as: step(change), by: change.provenance)
        } write: { (change, place) throws(PropertyListError) in
            try self.write(step(change), by: change.provenance, at: place)
        }
    }

    /// Writes the first rows of a section. The section's dictionary does not have an array for rows yet.
    private func addRows(
        of plan: RowPlan, to dictionary: TextDictionary, new: Item.Step, runs: [Provenance.Run]
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
                try self.composeArray(section.rows, new: new, runs: runs, writer: &writer)
            }
        }
    }
}

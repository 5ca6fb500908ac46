internal import Levels
internal import PropertyLists

/// How the rows of one array of a document change.
struct RowPlan {
    enum Element {
        /// Rows that stay as they are, where they are.
        case kept(Range<Int>)
        /// A row that stays where it is, and its number in the new level.
        case touched(Int, new: Int, Provenance)
        /// A row that was not at this place.
        case inserted(new: Int, Provenance)
    }

    /// The section of the older level.
    let section: Int
    /// Its rows in the older level.
    let old: Range<Int>
    private(set) var elements: [Element] = []
    /// The first of the older rows that is not known to stay or to go.
    private var next: Int
    /// Those that go, in ascending order.
    private(set) var dropped: [Int] = []

    /// Whether rows come or go; otherwise some are changed in place, if at all.
    var isRearranged: Bool {
        !dropped.isEmpty
            || elements.contains { element in
                if case .inserted = element { true } else { false }
            }
    }

    private init(section: Int, old: Range<Int>) {
        self.section = section
        self.old = old
        next = old.lowerBound
    }

    /// The changes of all arrays of an item's rows; nil if the arrays themselves are other ones.
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
            plans.append(plan(runs, starts, origin, section: number, old: section.rows, new: other.rows))
        }
        return plans
    }

    private static func plan(
        _ runs: [Provenance.Run], _ starts: [Int], _ origin: [Int], section: Int, old: Range<Int>, new: Range<Int>
    ) -> RowPlan {
        var plan = RowPlan(section: section, old: old)
        let parts = clipped(runs, starts, to: new)
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

    /// The first of the new rows of each run, in ascending order.
    private static func starts(of runs: [Provenance.Run]) -> [Int] {
        var next = 0
        return runs.map { run in
            defer { next += run.count }
            return next
        }
    }

    /// The runs of some of the new rows.
    private static func clipped(
        _ runs: [Provenance.Run], _ starts: [Int], to rows: Range<Int>
    ) -> [(run: Provenance.Run, new: Int)] {
        var parts: [(Provenance.Run, Int)] = []
        // The last run that begins at or before the first row.
        let first = max(starts.firstIndex(from: rows.lowerBound + 1) - 1, 0)
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
                elements.append(.kept(rows))
            } else {
                for (offset, row) in rows.enumerated() {
                    elements.append(.inserted(new: new + offset, .same(origin + [row])))
                }
            }
        case .row(let provenance):
            guard let path = provenance.origin, let row = path.last, path.dropLast() == origin[...],
                (next..<max(next, bound)).contains(row)
            else { return elements.append(.inserted(new: new, provenance)) }
            drop(upTo: row)
            next = row + 1
            if case .same = provenance {
                elements.append(.kept(row..<row + 1))
            } else {
                elements.append(.touched(row, new: new, provenance))
            }
        }
    }

    private mutating func drop(upTo row: Int) {
        if next < row { dropped += next..<row }
        next = max(next, row)
    }

    /// The older rows whose places in the text are needed: those that go, and those beside what comes or goes.
    var wanted: Set<Int> {
        guard isRearranged else { return [] }
        var wanted = Set(dropped)
        for element in elements {
            switch element {
            case .kept(let rows):
                let ends = [rows.lowerBound, rows.lowerBound + 1, rows.upperBound - 2, rows.upperBound - 1]
                wanted.formUnion(ends.filter(rows.contains))
            case .touched(let row, _, _): wanted.insert(row)
            case .inserted: break
            }
        }
        return wanted
    }
}

extension Provenance {
    /// The place of the item in the older document; nil for a new one.
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
    /// Copies or writes the value of the place for an item's rows.
    func splice(
        _ edit: PlaceEdit, of item: TouchedItem, as new: Item.Step, _ runs: [Provenance.Run]?
    ) throws(PropertyListError) {
        switch edit {
        case .kept(let range):
            if let runs { try spliceRows(of: item, as: new, runs, whole: range) }
        case .new(let place):
            var writer = FragmentWriter(syntax, place.style)
            try composeRows(new, runs, &writer)
            flush(&writer)
        }
    }

    /// Copies the arrays of an item's rows with their changes.
    ///
    /// - Parameter whole: the value that they are in.
    func spliceRows(
        of item: TouchedItem, as new: Item.Step, _ runs: [Provenance.Run], whole: Range<Int>
    ) throws(PropertyListError) {
        guard let plans = item.plans else {
            pieces.copy(upTo: whole.lowerBound)
            var writer = FragmentWriter(syntax, try place(of: whole.lowerBound).style)
            try composeRows(new, runs, &writer)
            flush(&writer)
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
                try splice(list, try steps(of: plan, item, new))
            } else if let dictionary = item.sections[plan.section] {
                try addRows(of: plan, to: dictionary, new, runs)
            }
        }
    }

    private func steps(
        of plan: RowPlan, _ item: TouchedItem, _ new: Item.Step
    ) throws(PropertyListError) -> [ListStep] {
        guard let level = new.below else { return plan.dropped.map { .drop($0) } }
        var steps: [ListStep] = []
        var dropped = plan.dropped[...]
        func keep(_ rows: Range<Int>, _ edit: ListEdit?) {
            while let row = dropped.first, row < rows.lowerBound {
                steps.append(.drop(row))
                dropped.removeFirst()
            }
            steps.append(.keep(first: rows.lowerBound, last: rows.upperBound - 1, edit: edit))
        }
        for element in plan.elements {
            switch element {
            case .kept(let rows): keep(rows, nil)
            case .touched(let row, let number, let provenance):
                guard let below = item.below[row] else { throw .contradictoryEdit }
                let step = Item.Step(level: level, row: number)
                keep(row..<row + 1) { () throws(PropertyListError) in
                    try self.splice(below, as: step, by: provenance)
                }
            case .inserted(let number, let provenance):
                let step = Item.Step(level: level, row: number)
                steps.append(
                    .insert { (place) throws(PropertyListError) in try self.write(step, by: provenance, at: place) })
            }
        }
        return steps + dropped.map { .drop($0) }
    }

    /// Writes the first rows of a section whose dictionary has no array for them.
    private func addRows(
        of plan: RowPlan, to dictionary: TextDictionary, _ new: Item.Step, _ runs: [Provenance.Run]
    ) throws(PropertyListError) {
        guard let section = new.below?.writtenSections[plan.section],
            let field = section.fields?.last(where: { $0.form != nil })
        else { throw .contradictoryEdit }
        var steps: [ListStep] = dictionary.entries.indices.map { .keep(first: $0, last: $0, edit: nil) }
        steps.append(
            .insert { (place) throws(PropertyListError) in
                var writer = FragmentWriter(self.syntax, place.style)
                try writer.write(key: field.name.span)
                self.flush(&writer)
                self.pieces.append(place.keyGap)
                var array = FragmentWriter(self.syntax, place.style)
                try self.composeArray(section.rows, new, runs, &array)
                self.flush(&array)
            })
        var list = TextList(dictionary)
        list.keyGap = try keyGap(of: dictionary)
        try splice(list, steps)
    }
}

extension RowPlan {
    /// Whether anything changes in the array.
    var isChanged: Bool {
        !dropped.isEmpty
            || elements.contains { element in
                if case .kept = element { false } else { true }
            }
    }
}

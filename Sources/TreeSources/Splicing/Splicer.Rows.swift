internal import Levels
internal import PropertyLists

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

internal import Levels
internal import PropertyLists

/// Plans the statements for one request. The changes to `items` are computed from the origins of the rows.
struct EditPlan {
    /// The statements, in the order in which they must be executed.
    private(set) var writes: [ItemWrite] = []
    private var index: ItemIndex
    private let old: Level
    private let newID: () throws(DatabaseError) -> Int64
    private var inserts: [ItemWrite] = []
    private var updates: [ItemWrite] = []
    /// The items that are new in their level: new items, and items moved from another level.
    private var placed: Set<Int64> = []
    /// The items that have left their level: deleted items, and items moved to another level.
    private var known: Set<Int64> = []
    private var lists: [(id: Int64, rows: [ItemIndex.Slot])] = []
    /// The items whose `Key` field another item takes over.
    private var dispossessed: Set<Int64> = []

    /// Returns the changes that a request makes to the rows.
    ///
    /// - Parameters:
    ///   - change: the document before and after the request.
    ///   - index: the ids of the items before the request. `writes` replaces them with the ids after the request.
    ///   - newID: returns an id that no item has.
    /// - Throws: the error of `newID`, or a `DatabaseError` if a value cannot be written.
    static func writes(
        of change: ChangedFile, index: inout ItemIndex, newID: @escaping () throws(DatabaseError) -> Int64
    ) throws(DatabaseError) -> [ItemWrite] {
        var plan = EditPlan(old: change.old, index: index, newID)
        try plan.visitRoot(change)
        try plan.finish()
        index = plan.index
        return plan.writes
    }

    private init(old: Level, index: ItemIndex, _ newID: @escaping () throws(DatabaseError) -> Int64) {
        (self.old, self.index) = (old, index)
        self.newID = newID
    }

    private mutating func visitRoot(_ change: ChangedFile) throws(DatabaseError) {
        let new = Item.Step(level: change.new, row: 0)
        try updateFields(of: Self.root, wasAt: Self.root, origin: [], new: new)
        guard let root = change.draft?.root else {
            // The whole old document is replaced.
            known.formUnion(index.rows(below: 0).map(\.id))
            return try list(below: 0, item: new, draft: nil, from: nil)
        }
        if let draft = root.draft { try list(below: 0, item: new, draft: draft, from: []) }
    }

    private static let root = ItemPlace(id: 0, parent: nil, section: 0, position: 0)

    // MARK: Rows

    /// A row of a new level.
    private struct Row {
        let id: Int64
        let section: Int
        /// The number of the row in the same level before the request; nil if the row was not in this level.
        var oldRow: Int?
        /// Whether the row is in a run of unmoved rows.
        var isUntouched = false
        var content = Content.same
        var position: Int64 = 0

        var isChanged: Bool { if case .changed = content { true } else { false } }

        enum Content {
            case same
            case new(Item.Step, LevelDraft?)
            /// Holds the path of the item before the request, and the draft of the level below the item.
            case changed(Item.Step, from: [Int], LevelDraft?)
        }
    }

    /// Plans the statements for the rows below an item, and for everything below these rows.
    ///
    /// - Parameters:
    ///   - draft: the draft of the level; nil if all rows are new.
    ///   - origin: the path of the item before the request; nil for a new item.
    private mutating func list(
        below id: Int64, item: Item.Step, draft: LevelDraft?, from origin: [Int]?
    ) throws(DatabaseError) {
        let level = item.below.flatMap { $0.form.isDrilled ? nil : $0 }
        if let rows = rowsInPlace(of: level, draft: draft, below: id, from: origin) {
            for row in rows {
                if let level, let number = row.oldRow {
                    noteKey(of: number, id: row.id, in: level, below: id, from: origin)
                }
                let place = ItemPlace(id: row.id, parent: id, section: row.section, position: row.position)
                try write(row, below: id, wasAt: place)
            }
            return
        }
        let before = origin == nil ? [] : index.rows(below: id)
        var rows =
            try level.map { level throws(DatabaseError) in
                try self.rows(of: level, draft: draft, before: before, origin: origin)
            } ?? []
        var stay = [Bool](repeating: false, count: before.count)
        for row in rows { if let old = row.oldRow { stay[old] = true } else { placed.insert(row.id) } }
        for (number, slot) in before.enumerated() where !stay[number] { known.insert(slot.id) }
        let oldSections = Sections(of: origin.flatMap { step(at: $0)?.below })
        settle(&rows, before: before, oldSections: oldSections)
        let slots = rows.map { ItemIndex.Slot(id: $0.id, position: $0.position) }
        if slots != before { lists.append((id, slots)) }
        for (number, row) in rows.enumerated() {
            if let level, !row.isUntouched { noteKey(of: number, id: row.id, in: level, below: id, from: origin) }
            let old = row.oldRow.map { number in
                ItemPlace(
                    id: row.id, parent: id, section: oldSections.number(of: number), position: before[number].position)
            }
            try write(row, below: id, wasAt: old)
        }
    }

    /// Notes the item whose key a row of a new level has taken over.
    private mutating func noteKey(of number: Int, id: Int64, in level: Level, below parent: Int64, from origin: [Int]?)
    {
        guard level.row(number).hasExplicitKey, let old = origin.flatMap({ step(at: $0)?.below }),
            let holder = old.row(withKey: Array(level.key(number).utf8).span), old.row(holder).hasExplicitKey,
            let slot = index.row(holder, below: parent), slot.id != id
        else { return }
        dispossessed.insert(slot.id)
    }

    /// The changed rows of a level in which all rows have stayed in their places; nil if a row may be new, or may have
    /// left its place.
    private func rowsInPlace(
        of level: Level?, draft: LevelDraft?, below id: Int64, from origin: [Int]?
    ) -> [Row]? {
        guard let level, let draft, let origin, let before = step(at: origin)?.below, level.form == before.form,
            level.count == index.rowCount(below: id), level.rowsAsWritten == before.rowsAsWritten
        else { return nil }
        let sections = Sections(of: level)
        var changed: [Row] = []
        var next = 0
        for run in draft.runs(in: 0..<draft.rowCount) {
            switch run {
            case .old(let rows):
                guard rows.lowerBound == next else { return nil }
                next += rows.count
            case .item(let item):
                guard item.origin == origin + [next], let slot = index.row(next, below: id) else { return nil }
                if item.change == .changed {
                    changed.append(
                        Row(
                            id: slot.id, section: sections.number(of: next), oldRow: next,
                            content: .changed(Item.Step(level: level, row: next), from: origin + [next], item.draft),
                            position: slot.position))
                }
                next += 1
            }
        }
        return next == level.count ? changed : nil
    }

    /// The sections of the rows of a level, as the database numbers them.
    private struct Sections {
        private var numbers: [Int] = []

        init(of level: Level?) {
            guard let level, level.form != .rows else { return }
            numbers = Array(repeating: 0, count: level.count)
            for (number, range) in level.rowsAsWritten.enumerated() { for row in range { numbers[row] = number } }
        }

        func number(of row: Int) -> Int { numbers.indices.contains(row) ? numbers[row] : 0 }
    }

    /// The shown rows of a level.
    private mutating func rows(
        of level: Level, draft: LevelDraft?, before: [ItemIndex.Slot], origin: [Int]?
    ) throws(DatabaseError) -> [Row] {
        let sections = Sections(of: level)
        var rows: [Row] = []
        rows.reserveCapacity(level.count)
        for run in draft?.runs(in: 0..<level.count) ?? [.old(0..<level.count)] {
            switch run {
            case .old(let range) where draft?.origin != nil:
                for old in range where old < before.count {
                    let section = sections.number(of: rows.count)
                    rows.append(Row(id: before[old].id, section: section, oldRow: old, isUntouched: true))
                }
            case .old(let range):
                for _ in range {
                    let content = Row.Content.new(Item.Step(level: level, row: rows.count), nil)
                    rows.append(Row(id: try newID(), section: sections.number(of: rows.count), content: content))
                }
            case .item(let item):
                let (id, path, content) = try content(item, step: Item.Step(level: level, row: rows.count))
                let isBeside = path.map { !$0.isEmpty && $0.dropLast() == origin?[...] } ?? false
                rows.append(
                    Row(
                        id: id, section: sections.number(of: rows.count), oldRow: isBeside ? path?.last : nil,
                        content: content))
            }
        }
        return rows
    }

    /// The id of an item, its path before the request (nil for a new item), and its changes.
    private func content(
        _ item: ItemDraft, step: Item.Step
    ) throws(DatabaseError) -> (id: Int64, path: [Int]?, Row.Content) {
        guard let origin = item.origin else { return (try newID(), nil, .new(step, item.draft)) }
        guard let id = index.id(at: origin) else { return (try newID(), nil, .new(step, nil)) }
        return (id, origin, item.change == .same ? .same : .changed(step, from: origin, item.draft))
    }

    /// Gives each row a position. Rows that have not moved keep their positions.
    private func settle(_ rows: inout [Row], before: [ItemIndex.Slot], oldSections: Sections) {
        var sections: [Int: [Int]] = [:]
        for (number, row) in rows.enumerated() { sections[row.section, default: []].append(number) }
        for (section, numbers) in sections {
            let known = numbers.map { number -> PositionPlan.OldPosition? in
                let row = rows[number]
                guard let old = row.oldRow, oldSections.number(of: old) == section else { return nil }
                // A changed row has probably not moved, unless the other rows show that it has.
                return PositionPlan.OldPosition(
                    position: before[old].position, id: row.id,
                    movement: row.isUntouched ? .none : row.isChanged ? .possible : .certain)
            }
            let positions = PositionPlan.positions(of: PositionPlan.kept(of: known))
            for (number, position) in zip(numbers, positions) { rows[number].position = position }
        }
    }

    private mutating func write(_ row: Row, below parent: Int64, wasAt old: ItemPlace?) throws(DatabaseError) {
        let place = ItemPlace(id: row.id, parent: parent, section: row.section, position: row.position)
        switch row.content {
        case .same: if place != old { updates.append(.place(place)) }
        case .new(let step, let draft):
            inserts.append(.insert(ItemRow(place: place, fields: try fields(of: step))))
            if draft != nil || step.below != nil { try list(below: row.id, item: step, draft: draft, from: nil) }
        case .changed(let step, let origin, let draft):
            if try !updateFields(of: place, wasAt: old, origin: origin, new: step), place != old {
                updates.append(.place(place))
            }
            if let draft { try list(below: row.id, item: step, draft: draft, from: origin) }
        }
    }

    // MARK: Fields

    private func step(at path: [Int]) -> Item.Step? {
        var step = Item.Step(level: old, row: 0)
        for row in path {
            guard let level = step.below, row < level.count else { return nil }
            step = Item.Step(level: level, row: row)
        }
        return step
    }

    /// Plans to write the fields of an item if they have changed. Returns whether the fields have changed.
    @discardableResult
    private mutating func updateFields(
        of place: ItemPlace, wasAt oldPlace: ItemPlace?, origin: [Int], new: Item.Step
    ) throws(DatabaseError) -> Bool {
        let old = step(at: origin)
        if let old, new.isWrittenPlainly, old.isWrittenPlainly,
            new.level.packsRow(new.row, asRow: old.row, of: old.level)
        {
            return false
        }
        let fields = try fields(of: new)
        if let old, try fields == self.fields(of: old) { return false }
        let row = ItemRow(place: place, fields: fields)
        updates.append(place == oldPlace ? .fields(row) : .update(row))
        return true
    }

    private func fields(of step: Item.Step) throws(DatabaseError) -> [UInt8] {
        do throws(PropertyListError) {
            return try FieldsWriter.fields(of: step)
        } catch {
            throw DatabaseError(kind: .other, reason: error.reason)
        }
    }

    // MARK: The order of statements

    /// Puts the statements in order and brings the index up to date.
    private mutating func finish() throws(DatabaseError) {
        let left = known.subtracting(placed)
        let gone = left.sorted()
        let deletes = gone.map { ItemWrite.delete($0) }
        // Deletes usually come first, because an insert may reuse the key of a deleted item. If items move out of a
        // deleted item, deletes come last, because these items must move before the deletion.
        let movesOut = updates.contains { write in
            guard let item = write.movedItem else { return false }
            var above = index.parent(of: item)
            while let id = above {
                if left.contains(id) { return true }
                above = index.parent(of: id)
            }
            return false
        }
        let released = try releaseKeys(ofDeleted: movesOut ? gone : [])
        writes = released + (movesOut ? inserts + updates + deletes : deletes + inserts + updates)
        for (id, rows) in lists { index.setRows(rows, below: id) }
        for id in gone { index.forget(id) }
    }

    /// Plans statements that take the keys away from items whose keys other items get. A database checks after each
    /// statement that the keys of a level differ.
    ///
    /// - Parameter gone: the items that are deleted last.
    private mutating func releaseKeys(ofDeleted gone: [Int64]) throws(DatabaseError) -> [ItemWrite] {
        guard !dispossessed.isEmpty else { return [] }
        var released = dispossessed.intersection(gone)
        for number in updates.indices {
            let id = updates[number].item
            guard dispossessed.contains(id) else { continue }
            released.insert(id)
            // A move alone would not write the fields again.
            guard case .place(let place) = updates[number], let path = index.path(of: id), let step = step(at: path)
            else {
                continue
            }
            updates[number] = .update(ItemRow(place: place, fields: try fields(of: step)))
        }
        return released.sorted().map { id in
            let place = ItemPlace(id: id, parent: index.parent(of: id), section: 0, position: 0)
            return .fields(ItemRow(place: place, fields: Array("\"\"".utf8)))
        }
    }
}

extension ItemWrite {
    /// The id of an existing item that gets another place; nil for other writes.
    fileprivate var movedItem: Int64? {
        switch self {
        case .update(let row): row.place.id
        case .place(let place): place.id
        case .insert, .fields, .delete: nil
        }
    }
}

extension Item.Step {
    /// Whether the fields in the database depend on the row alone, and not on the level below the row.
    fileprivate var isWrittenPlainly: Bool { below.map { $0.form == .rows && $0.count > 0 } ?? true }
}

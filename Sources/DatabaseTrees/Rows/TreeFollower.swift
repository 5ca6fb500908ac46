internal import Levels
internal import PropertyLists
internal import TreeSources

/// Applies the changes of a revision in the log to a tree. Takes time only for the levels that change.
struct TreeFollower {
    private let interpretation: Interpretation
    private let old: Level
    /// The ids after the changes.
    private(set) var index: ItemIndex
    /// The ids before the changes.
    private let before: ItemIndex
    /// The rows that are new or have changed.
    private var rows: [Int64: ItemRow] = [:]
    /// The items that have changed, and all items above them.
    private var touched: Set<Int64> = [0]
    /// The items below which rows were added, removed or moved.
    private var rearranged: Set<Int64> = []
    /// The sections of the rows of the levels with changed rows, as the database numbers them, by the ids of the rows.
    private var sections: [Int64: Int] = [:]

    /// Returns the document after the changes.
    ///
    /// - Parameter index: the ids of the items before the changes. If `follow` returns a document, it replaces them
    ///   with the ids after the changes.
    /// - Returns: nil if the tree must be loaded. The load also reports rows that break a rule.
    static func follow(
        _ changes: [ItemChange], from document: Level, index: inout ItemIndex, interpretation: Interpretation
    ) -> Level? {
        guard
            var follower = TreeFollower(
                changes: changes, document: document, index: index, interpretation: interpretation)
        else { return nil }
        do throws(PropertyListError) {
            let level = try follower.document()
            index = follower.index
            return level
        } catch {
            // The load reports the fault and its item.
            return nil
        }
    }

    private init?(changes: [ItemChange], document: Level, index: ItemIndex, interpretation: Interpretation) {
        (self.interpretation, old, self.index, before) = (interpretation, document, index, index)
        var gone: Set<Int64> = []
        for change in changes {
            switch change {
            case .row(let row):
                guard !row.place.hasReservedID else { return nil }
                rows[row.place.id] = row
                gone.remove(row.place.id)
            case .gone(let id):
                rows[id] = nil
                gone.insert(id)
            }
        }
        // Without its root, the tree breaks a rule.
        guard !gone.contains(0), place(gone),
            rearranged.allSatisfy({ !self.index.holds($0) || self.index.path(of: $0) != nil })
        else {
            return nil
        }
        for id in Array(rows.keys) + rearranged where self.index.holds(id) {
            guard touch(id) else { return nil }
        }
    }

    /// Records that an item has changed. Returns false if the item cannot be reached from the root.
    private mutating func touch(_ id: Int64) -> Bool {
        var (next, steps): (Int64?, Int) = (id, 0)
        while let item = next {
            guard steps <= 1_024 else { return false }
            if !touched.insert(item).inserted, item != id { return true }
            if item == 0 { return true }
            next = index.parent(of: item)
            steps += 1
        }
        // The item cannot be reached from the root.
        return false
    }

    // MARK: Places

    /// Puts the changed rows in their places. Returns false if the rows below a parent are not known.
    private mutating func place(_ gone: Set<Int64>) -> Bool {
        var lists: [Int64: [ItemPlace]] = [:]
        let changed = Set(rows.keys).union(gone)
        for id in changed {
            for parent in [before.parent(of: id), rows[id]?.place.parent] {
                guard let parent, lists[parent] == nil else { continue }
                let known = before.holds(parent) ? places(below: parent) : rows[parent] == nil ? nil : []
                guard let known else { return false }
                lists[parent] = known.filter { !changed.contains($0.id) }
            }
        }
        for row in rows.values {
            guard let parent = row.place.parent else { continue }
            lists[parent]?.append(row.place)
        }
        for (id, places) in lists where !gone.contains(id) {
            let sorted = places.sorted {
                ($0.section, $0.position, $0.id) < ($1.section, $1.position, $1.id)
            }
            let slots = sorted.map { ItemIndex.Slot(id: $0.id, position: $0.position) }
            let keepsSections = sorted.elementsEqual(self.places(below: id) ?? []) {
                ($0.id, $0.section) == ($1.id, $1.section)
            }
            if !keepsSections || slots.map(\.id) != before.rows(below: id).map(\.id) { rearranged.insert(id) }
            for place in sorted { sections[place.id] = place.section }
            index.setRows(slots, below: id)
        }
        for id in gone { index.forget(id) }
        return true
    }

    /// The places of the rows below an item before the changes, in the order of the database; nil if they are unknown.
    private func places(below id: Int64) -> [ItemPlace]? {
        guard let step = step(of: id) else { return nil }
        let slots = before.rows(below: id)
        let ranges = step.below?.rowsAsWritten ?? []
        guard slots.count == ranges.reduce(0, { $0 + $1.count }) || slots.isEmpty else { return nil }
        var places: [ItemPlace] = []
        for (section, range) in ranges.enumerated() {
            for row in range where slots.indices.contains(row) {
                places.append(
                    ItemPlace(id: slots[row].id, parent: id, section: section, position: slots[row].position))
            }
        }
        return places
    }

    /// The state of an item before the changes; nil for a new item.
    private func step(of id: Int64) -> Item.Step? {
        guard let path = before.path(of: id) else { return nil }
        var step = Item.Step(level: old, row: 0)
        for row in path {
            guard let level = step.below, row < level.count else { return nil }
            step = Item.Step(level: level, row: row)
        }
        return step
    }

    // MARK: Levels

    private mutating func document() throws(PropertyListError) -> Level {
        var rows: [LevelDraft.FollowedRow] = []
        guard try follow(0, from: 0, isRoot: true, to: &rows) else {
            throw PropertyListError(reason: "the root must be read")
        }
        let document = try made(of: rows, counts: [1], old: old, owner: nil)
        do throws(TreeError) {
            try interpretation.treeLimits.check(document)
        } catch {
            throw PropertyListError(reason: error.description)
        }
        return document
    }

    private func made(
        of rows: [LevelDraft.FollowedRow], counts: [Int], old: Level, owner: Item.Step?
    ) throws(PropertyListError) -> Level {
        var draft = LevelDraft(of: old, below: owner, names: interpretation.names)
        draft.follow(rows, counts: counts)
        do throws(TreeError) {
            return try draft.level()
        } catch {
            throw PropertyListError(reason: error.description)
        }
    }

    /// The state of an item after the changes.
    private enum Followed {
        case same
        /// The item's own row is unchanged. Holds the level below the item.
        case over(Level)
        /// The item's own row has changed. Holds the new row, and the level below the item; nil stands for the level
        /// that the new row already has.
        case other(Item.Step, over: Level?)
    }

    private mutating func item(_ id: Int64, isRoot: Bool = false) throws(PropertyListError) -> Followed {
        guard touched.contains(id) else { return .same }
        guard let before = step(of: id) else { return .other(try made(id, isRoot: isRoot), over: nil) }
        guard let row = rows[id] else {
            let (old, new) = (self.before.rows(below: id), index.rows(below: id))
            if !new.isEmpty { notePlace(of: id, in: before) }
            guard !new.isEmpty || old.isEmpty, let level = try level(below: id, before: before, owner: before) else {
                return .other(try made(id, isRoot: isRoot), over: nil)
            }
            return .over(level)
        }
        var rows = ItemRows()
        rows.add(row.place, text: row.fields)
        let own = try reading(rows, isRoot: isRoot)
        index.placeless[id] = nil
        if !index.rows(below: id).isEmpty { notePlace(of: id, in: own) }
        guard own.hasPlaces(of: before), let level = try level(below: id, before: before, owner: own) else {
            return .other(try made(id, isRoot: isRoot), over: nil)
        }
        if index.rows(below: id).isEmpty, level.rowCount == 0 { return .other(own, over: own.below) }
        return .other(own, over: level)
    }

    /// Records an item with rows if its fields lack a place for rows.
    private mutating func notePlace(of id: Int64, in step: Item.Step) {
        guard step.place == nil, step.writtenKind != .array else { return }
        index.placeless[id] = step.writtenKind == .string
    }

    /// Makes the level below an item from the old level, if the sections are the same as before.
    ///
    /// - Returns: nil if the item must be made anew.
    private mutating func level(below id: Int64, before: Item.Step, owner: Item.Step) throws(PropertyListError)
        -> Level?
    {
        let slots = index.rows(below: id)
        let level = before.below ?? .empty
        guard !level.form.isDrilled, level.rowCount == level.count else { return slots.isEmpty ? level : nil }
        guard let counts = arrange(id, level: level) else { return nil }
        guard let rows = try rows(below: id) else { return nil }
        return try made(of: rows, counts: counts, old: level, owner: owner)
    }

    /// Returns the rows below an item after the changes; nil if a row is not known.
    private mutating func rows(below id: Int64) throws(PropertyListError) -> [LevelDraft.FollowedRow]? {
        let numbers = Dictionary(
            before.rows(below: id).enumerated().map { ($1.id, $0) }, uniquingKeysWith: { $1 })
        var rows: [LevelDraft.FollowedRow] = []
        let ids = index.rows(below: id).map(\.id)
        for number in ids.indices {
            guard try follow(ids[number], from: numbers[ids[number]], to: &rows) else { return nil }
        }
        return rows
    }

    /// Puts the rows below an item in the order of the level. The level may have its sections in another order than the
    /// document.
    ///
    /// - Returns: the number of rows in each section of the level; nil if the section of a row does not exist.
    private mutating func arrange(_ id: Int64, level: Level) -> [Int]? {
        guard rearranged.contains(id) else { return level.sectionCounts }
        let written = level.sectionsAsWritten
        var lists = [[ItemIndex.Slot]](repeating: [], count: level.sectionCounts.count)
        for slot in index.rows(below: id) {
            guard let section = sections[slot.id], written.indices.contains(section) else { return nil }
            lists[written[section]].append(slot)
        }
        index.setRows(lists.flatMap(\.self), below: id)
        return lists.map(\.count)
    }

    /// Adds an item's row to the rows of the item's level. Returns false if the state of the item is not known.
    ///
    /// - Parameter row: the number of the item's row in this level before the changes; nil if the item was not in this
    ///   level.
    private mutating func follow(
        _ id: Int64, from row: Int?, isRoot: Bool = false, to rows: inout [LevelDraft.FollowedRow]
    ) throws(PropertyListError) -> Bool {
        let level: Level?
        switch try item(id, isRoot: isRoot) {
        case .other(let step, let below):
            rows.append(.item(ItemDraft(followed: step, below: below, place: row)))
            return true
        case .over(let below): level = below
        case .same:
            if let row {
                rows.append(.old(row))
                return true
            }
            level = nil
        }
        guard let step = step(of: id) else { return false }
        rows.append(.item(ItemDraft(followed: step, below: level, place: row)))
        return true
    }

    // MARK: Items that are made anew

    /// Reads the items of some rows, and returns the first one.
    private mutating func reading(_ rows: ItemRows, isRoot: Bool) throws(PropertyListError) -> Item.Step {
        let table = ItemTable(rows)
        var reader = ItemReader(table: table, names: interpretation.names, limits: interpretation.treeLimits)
        let step = try reader.item(isRoot: isRoot)
        // If sections are a dictionary, their order may differ from the order of their rows, and a load checks that no
        // item is among the fields.
        guard reader.named.isEmpty || table.count == 1 && step.below?.count ?? 0 == 0 else {
            throw PropertyListError(reason: "the order of sections must be read")
        }
        index.placeless.merge(reader.placeless) { _, isString in isString }
        return step
    }

    /// Makes an item with everything below it, using the builder. Items that have not changed are copied from the old
    /// tree.
    private mutating func made(_ id: Int64, isRoot: Bool) throws(PropertyListError) -> Item.Step {
        var made = ItemRows()
        try add(ItemPlace(id: id, parent: nil, section: 0, position: 0), to: &made)
        return try reading(made, isRoot: isRoot)
    }

    /// Returns the fields of an item without rows, as the database has them: without the place for rows that the reader
    /// has added.
    private mutating func withoutPlace(_ fields: [UInt8], of id: Int64) throws(PropertyListError) -> [UInt8] {
        guard let isString = index.placeless.removeValue(forKey: id) else { return fields }
        // The reader has added the place as the last entry.
        let place = Array(",\"\(interpretation.names[.children].first ?? "Children")\":null}".utf8)
        guard !isString, fields.suffix(place.count) == place[...] else {
            throw PropertyListError(reason: "the fields of an item must be read")
        }
        return fields.dropLast(place.count) + [UInt8(ascii: "}")]
    }

    private mutating func add(_ place: ItemPlace, to made: inout ItemRows) throws(PropertyListError) {
        let known = step(of: place.id)
        if let row = rows[place.id] {
            index.placeless[place.id] = nil
            made.add(place, text: row.fields)
        } else if let known, touched.contains(place.id) {
            let fields = try FieldsWriter.fields(of: known)
            made.add(
                place, text: index.rows(below: place.id).isEmpty ? try withoutPlace(fields, of: place.id) : fields)
        } else if let known {
            return made.add(place, item: known)
        } else {
            throw PropertyListError(reason: "an item of the log is not known")
        }
        let rows = rowsAsWritten(below: place.id)
        index.setRows(rows.map { ItemIndex.Slot(id: $0.id, position: $0.position) }, below: place.id)
        for row in rows { try add(row, to: &made) }
    }

    /// The places of the rows below an item after the changes, in the order of the database.
    private func rowsAsWritten(below id: Int64) -> [ItemPlace] {
        let before = Dictionary(
            (places(below: id) ?? []).map { ($0.id, $0.section) }, uniquingKeysWith: { $1 })
        return index.rows(below: id)
            .map { slot in
                let section = sections[slot.id] ?? before[slot.id] ?? 0
                return ItemPlace(id: slot.id, parent: id, section: section, position: slot.position)
            }
            .sorted { ($0.section, $0.position, $0.id) < ($1.section, $1.position, $1.id) }
    }
}

extension Item.Step {
    /// Whether both items have the same places for rows.
    fileprivate func hasPlaces(of other: Item.Step) -> Bool {
        guard writtenKind == other.writtenKind, place?.name == other.place?.name else { return false }
        switch (below, other.below) {
        case (nil, nil): return true
        case (let own?, let other?):
            return own.hasSections(of: other) && own.sectionsAsWritten == other.sectionsAsWritten
        // An item without rows may have a place for rows.
        case (nil, let other?): return other.form == .rows && other.count > 0
        case (let own?, nil): return own.form == .rows
        }
    }
}

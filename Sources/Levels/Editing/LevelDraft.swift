/// A level that is being edited: the rows of the old level, with changed rows among them.
///
/// Steps change the rows in place. `level()` packs the new level, once for all steps. The old rows stay in ascending
/// order, because a row that moves becomes an `ItemDraft`.
package struct LevelDraft: Sendable {
    /// The level before the edits.
    package let old: Level
    /// The path of the item above the level in the old document; nil for an item that the old document lacks.
    package let origin: [Int]?
    let names: StructuralNames
    /// The number of sections that are shown unless all of them are empty; 1 for a plain list.
    let listedSections: Int
    /// All sections, the hidden ones last; empty for a plain list. The numbers of their rows are in `counts`.
    private(set) var sections: [Section]
    /// The number of rows of each section; one number for a plain list.
    private(set) var counts: [Int]
    /// All rows in order; nil while they are the old rows.
    private(set) var rows: [Row]?
    /// The items of the rows that are not, or not only, old rows. An item that has left the level stays in the array.
    private(set) var items: [ItemDraft] = []
    /// The natural keys of the rows that have come, gone or moved, or got or lost a `Key`. While the set is empty, all
    /// rows are in their old places and have their old keys.
    private(set) var changedKeys: Set<[UInt8]> = []
    /// The numbers of the items that have come, moved or got another key, by natural key.
    private(set) var arrivals: [[UInt8]: [Int]] = [:]
    /// The largest possible distance between the numbers of an old row before and after the edits.
    private(set) var reach = 0
    /// The level with the edits; nil if the draft has changed since the level was packed.
    var packed: Level?
    /// The highest mark in or below the level.
    var lastMark = 0

    enum Row: Sendable, Equatable {
        case old(Int32)
        /// The number of one of `items`.
        case item(Int32)
    }

    /// Consecutive rows of a draft.
    package enum Run {
        /// Unchanged rows of the old level.
        case old(Range<Int>)
        case item(ItemDraft)
    }

    /// - Parameters:
    ///   - owner: the row above the level, which may have `SectionKeys`.
    ///   - origin: the path of that row in the old document; nil if the old document lacks it.
    package init(of level: Level, below owner: Item.Step?, origin: [Int]? = nil, names: StructuralNames) {
        (old, self.origin, self.names) = (level, origin, names)
        (sections, counts) = (level.allSections, level.sectionCounts)
        listedSections = level.form == .rows ? 1 : level.listedSections(owner: owner, names: names)
    }

    /// Begins to edit a document: the level whose only row is the root item.
    package init(document: Level, names: StructuralNames) {
        self.init(of: document, below: nil, names: names)
        items = [ItemDraft(old: Item.Step(level: document, row: 0), origin: [])]
        rows = [.item(0)]
    }

    /// The root item of a document's draft.
    package var root: ItemDraft { items[0] }

    /// Whether the level below any row comes from another file.
    var holdsParts: Bool { old.rowsHoldParts || items.contains { $0.isPart } }

    // MARK: Rows

    package var rowCount: Int { rows?.count ?? old.rowCount }

    /// The number of rows that are not hidden.
    var shownCount: Int { counts.prefix(listedSections).reduce(0, +) }

    /// Returns the rows of a range as runs, as long as possible.
    package func runs(in range: Range<Int>) -> [Run] {
        guard let rows else { return range.isEmpty ? [] : [.old(range)] }
        var runs: [Run] = []
        var (start, end): (Int32, Int32) = (0, 0)
        func finish() { if end > start { runs.append(.old(Int(start)..<Int(end))) } }
        for row in rows[range] {
            switch row {
            case .old(end) where end > start: end += 1
            case .old(let row):
                finish()
                (start, end) = (row, row + 1)
            case .item(let number):
                finish()
                (start, end) = (0, 0)
                runs.append(.item(items[Int(number)]))
            }
        }
        finish()
        return runs
    }

    func row(_ number: Int) -> Row { rows?[number] ?? .old(Int32(number)) }

    /// The item of a row; nil if the draft has fewer rows.
    package func item(at row: Int) -> ItemDraft? {
        guard row >= 0, row < rowCount else { return nil }
        switch self.row(row) {
        case .old(let row): return oldItem(Int(row))
        case .item(let number): return items[Int(number)]
        }
    }

    private func oldItem(_ row: Int) -> ItemDraft {
        ItemDraft(old: Item.Step(level: old, row: row), origin: origin.map { $0 + [row] })
    }

    /// The number of the section that contains a row.
    func section(of row: Int) -> Int? {
        var end = 0
        return counts.firstIndex { count in
            end += count
            return row < end
        }
    }

    /// Changes the item of a row in place.
    mutating func withItem<Result>(
        at row: Int, _ change: (inout ItemDraft) throws(TreeError) -> Result
    ) throws(TreeError) -> Result {
        let number = try itemNumber(at: row)
        return try change(&items[number])
    }

    /// Returns the number of a row's item. Makes an item of an old row.
    private mutating func itemNumber(at row: Int) throws(TreeError) -> Int {
        guard row >= 0, row < rowCount else { throw .noRow(row, rows: rowCount) }
        switch self.row(row) {
        case .item(let number): return Int(number)
        case .old(let old):
            let number = items.count
            items.append(oldItem(Int(old)))
            withRows { $0[row] = .item(Int32(number)) }
            return number
        }
    }

    /// Packs the changed levels below the rows.
    mutating func packBelow() throws(TreeError) {
        let names = names
        for number in items.indices where items[number].draft != nil {
            items[number].below = try items[number].withLevel(names) { (level) throws(TreeError) in try level.level() }
        }
    }

    private mutating func withRows<Result>(_ change: (inout [Row]) -> Result) -> Result {
        // While `rows` is nil, the array has only one owner, and is changed in place.
        var changed = rows.take() ?? (0..<Int32(old.rowCount)).map { .old($0) }
        defer { rows = changed }
        return change(&changed)
    }

    // MARK: Steps

    /// Inserts an item as a row.
    ///
    /// - Parameter row: the number of rows before the item, over all sections.
    /// - Throws: `TreeError` if the place does not exist, or another row has the same `Key`.
    mutating func insert(_ item: ItemDraft, at row: Int, section: Int) throws(TreeError) {
        guard counts.indices.contains(section) else { throw .noSection(section, sections: counts.count) }
        let offset = row - counts[..<section].reduce(0, +)
        guard offset >= 0, offset <= counts[section] else { throw .noPlace(offset, rows: counts[section]) }
        packed = nil
        counts[section] += 1
        if sections.indices.contains(section) { sections[section].addPlaceForRows(named: names.newRowsName) }
        reach += 1
        let number = items.count
        items.append(item)
        items[number].place = nil
        withRows { $0.insert(.item(Int32(number)), at: row) }
        try arrive(number)
    }

    /// Removes a row. Returns its item with everything below it.
    mutating func remove(_ row: Int) throws(TreeError) -> ItemDraft {
        guard let item = item(at: row) else { throw .noRow(row, rows: rowCount) }
        packed = nil
        if let section = section(of: row) { counts[section] -= 1 }
        reach += 1
        let key = item.naturalKey
        changedKeys.insert(key)
        if case .item(let number) = withRows({ $0.remove(at: row) }) {
            arrivals[key]?.removeAll { $0 == number }
            items[Int(number)].draft = nil
        }
        return item
    }

    /// Moves a row within the level.
    ///
    /// - Parameter place: the number of rows before the new place, not counting the moved row.
    mutating func move(_ row: Int, to place: Int, section: Int) throws(TreeError) {
        let item = try remove(row)
        try insert(item, at: place, section: section)
    }

    /// Replaces the own fields of an item with those of another row.
    ///
    /// - Parameter keepsLevel: whether to keep the level below, with the fields that describe that level. The level
    ///   goes to the new row's place for a level, or else to the end of the row.
    mutating func replace(_ row: Int, with step: Item.Step, keepsLevel: Bool) throws(TreeError) {
        let number = try itemNumber(at: row)
        packed = nil
        let (key, isExplicit) = (items[number].naturalKey, items[number].hasExplicitKey)
        items[number].replace(with: step, keepsLevel: keepsLevel)
        guard items[number].naturalKey != key || items[number].hasExplicitKey != isExplicit else { return }
        changedKeys.insert(key)
        arrivals[key]?.removeAll { $0 == number }
        try arrive(number)
    }

    private mutating func arrive(_ number: Int) throws(TreeError) {
        let key = items[number].naturalKey
        items[number].keepsKey = false
        changedKeys.insert(key)
        arrivals[key, default: []].append(number)
        if items[number].hasExplicitKey, let shared = sharedKey(key) { throw .sharedKey(shared) }
    }
}

extension LevelDraft {
    /// A row of a level that another program has changed.
    package enum FollowedRow {
        /// A row of the old level, with everything below it.
        case old(Int)
        case item(ItemDraft)
    }

    /// Takes all rows from a level that another program has changed.
    ///
    /// - Parameter counts: the number of rows of each section, including hidden sections; one number for a plain list.
    package mutating func follow(_ followed: [FollowedRow], counts: [Int]) {
        self = LevelDraft(self, counts: counts)
        var (all, next): ([Row], Int) = ([], 0)
        all.reserveCapacity(followed.count)
        for row in followed {
            let number = all.count
            if case .old(let row) = row, row >= next, isShown(old: row) == (number < shownCount) {
                pass(from: next, to: row)
                (next, reach) = (row + 1, max(reach, abs(number - row)))
                all.append(.old(Int32(row)))
                continue
            }
            var item: ItemDraft
            switch row {
            case .old(let row): item = oldItem(row)
            case .item(let new): item = new
            }
            if let place = item.place, place >= next {
                pass(from: next, to: place)
                (next, reach) = (place + 1, max(reach, abs(number - place)))
                let before = oldItem(place)
                item.keepsKey =
                    item.naturalKey == before.naturalKey
                    && item.hasExplicitKey == before.hasExplicitKey && isShown(old: place) == (number < shownCount)
                if !item.keepsKey { changedKeys.insert(before.naturalKey) }
            } else {
                (item.place, item.keepsKey) = (nil, false)
            }
            all.append(.item(Int32(items.count)))
            if !item.keepsKey {
                changedKeys.insert(item.naturalKey)
                arrivals[item.naturalKey, default: []].append(items.count)
            }
            items.append(item)
        }
        pass(from: next, to: old.rowCount)
        rows = all
    }

    private init(_ draft: LevelDraft, counts: [Int]) {
        (old, origin, names, listedSections) = (draft.old, draft.origin, draft.names, draft.listedSections)
        (sections, self.counts) = (draft.sections, counts)
    }

    private func isShown(old row: Int) -> Bool { row < old.count }

    private mutating func pass(from row: Int, to end: Int) {
        for gone in row..<end { changedKeys.insert(old.naturalKey(of: gone)) }
    }
}

extension Level {
    /// The number of listed sections. Listed sections are shown, unless all of them are empty.
    fileprivate func listedSections(owner: Item.Step?, names: StructuralNames) -> Int {
        if !sections.isEmpty { return sections.count }
        guard form == .namedSections, let owner else { return allSections.count }
        return min(names.listedSections(of: owner) ?? allSections.count, allSections.count)
    }
}

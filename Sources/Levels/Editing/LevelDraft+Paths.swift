/// A place for a row.
struct RowPlace: Sendable, Equatable {
    /// The path of the item above the row: the row numbers from the root's level.
    var owner: [Int] = []
    /// The number of the section; 0 in a plain list. Hidden sections have higher numbers than the shown sections.
    var section = 0
    /// The number of the level's rows before the place, over all sections.
    var row: Int

    /// The path of a row at the place.
    var path: [Int] { owner + [row] }
}

extension [Int] {
    /// Returns a path as it is after the removal of a row that is neither the path's item nor above that item.
    func afterRemoval(of row: [Int]) -> [Int] {
        let last = row.count - 1
        guard last >= 0, count > last, starts(with: row.dropLast()), self[last] > row[last] else { return self }
        var path = self
        path[last] -= 1
        return path
    }
}

/// The draft of a document is the draft of the level whose only row is the root item. A path consists of row numbers
/// from the root's level, as they are after the steps so far. The path of the root is empty.
extension LevelDraft {
    /// The item at a path; nil if the draft lacks it.
    func item(at path: [Int]) -> ItemDraft? {
        var item = item(at: 0)
        for row in path { item = item?.level(names)?.item(at: row) }
        return item
    }

    /// Inserts an item, with everything below it.
    ///
    /// - Throws: `TreeError` if the place does not exist, or another row of the level has the same `Key`. The draft may
    ///   then be incomplete.
    mutating func insert(_ item: ItemDraft, at place: RowPlace) throws(TreeError) {
        try withLevel(below: [0] + place.owner) { (level) throws(TreeError) in
            try level.insert(item, at: place.row, section: place.section)
        }
    }

    /// Removes an item, with everything below it.
    mutating func remove(_ path: [Int]) throws(TreeError) -> ItemDraft {
        guard let row = path.last else { throw .root }
        return try withLevel(below: [0] + path.dropLast()) { (level) throws(TreeError) in try level.remove(row) }
    }

    /// Moves an item, with everything below it. The place is counted without the item.
    mutating func move(_ path: [Int], to place: RowPlace) throws(TreeError) {
        let item = try remove(path)
        try insert(item, at: place)
    }

    /// Replaces the own fields of an item; see `replace(_:with:keepsLevel:)`.
    mutating func replace(_ path: [Int], with step: Item.Step, keepsLevel: Bool) throws(TreeError) {
        try withLevel(below: ([0] + path).dropLast()) { (level) throws(TreeError) in
            try level.replace(path.last ?? 0, with: step, keepsLevel: keepsLevel)
        }
    }

    /// Changes a level in or below this one in place.
    ///
    /// - Parameter path: the rows that lead from this level to the item above that level.
    mutating func withLevel<Result>(
        below path: ArraySlice<Int>, _ change: (inout LevelDraft) throws(TreeError) -> Result
    ) throws(TreeError) -> Result {
        guard let row = path.first else { return try change(&self) }
        packed = nil
        let names = names
        return try withItem(at: row) { (item) throws(TreeError) in
            try item.withLevel(names) { (level) throws(TreeError) in
                try level.withLevel(below: path.dropFirst(), change)
            }
        }
    }

    // MARK: Marks

    /// Marks an item, so that a batch finds it again after later steps. Returns the mark of the item.
    ///
    /// - Parameters:
    ///   - number: the mark, unless the item has one already.
    ///   - first: the first mark of the batch.
    mutating func mark(_ path: [Int], as number: Int, since first: Int) throws(TreeError) -> Int {
        try mark(below: ([0] + path)[...], as: number, since: first)
    }

    private mutating func mark(below path: ArraySlice<Int>, as number: Int, since first: Int) throws(TreeError) -> Int {
        lastMark = number
        let names = names
        return try withItem(at: path.first ?? 0) { (item) throws(TreeError) in
            if path.count > 1 {
                return try item.withLevel(names) { (level) throws(TreeError) in
                    try level.mark(below: path.dropFirst(), as: number, since: first)
                }
            }
            if item.mark < first { item.mark = number }
            return item.mark
        }
    }

    /// Returns the paths of the marked items, by mark.
    ///
    /// - Parameter first: the first mark of the batch.
    func paths(ofMarksSince first: Int) -> [Int: [Int]] {
        var paths: [Int: [Int]] = [:]
        collect(&paths, since: first, below: [])
        return paths.mapValues { Array($0.dropFirst()) }
    }

    private func collect(_ paths: inout [Int: [Int]], since first: Int, below path: [Int]) {
        guard lastMark >= first, let rows else { return }
        for (number, row) in rows.enumerated() {
            guard case .item(let index) = row else { continue }
            let item = items[Int(index)]
            if item.mark >= first { paths[item.mark] = path + [number] }
            item.draft?.collect(&paths, since: first, below: path + [number])
        }
    }
}

internal import Bytes

/// The keys of rows during edits.
///
/// The keys of rows with equal natural keys depend on each other. Each such group is found when it is asked for: its old
/// rows by the index of the old level, its other rows among the arrivals.
extension LevelDraft {
    /// The shown row with a key; nil without such a row.
    package func row(withKey key: [UInt8]) -> Int? {
        if changedKeys.isEmpty { return old.row(withKey: key.span) }
        if let first = group(key).shown.first { return first }
        guard let end = ItemKey.numberedBase(of: key.span) else { return nil }
        let base = Array(key[..<end])
        return numberedKeys(of: group(base).shown, base).first { $0.key == key }?.row
    }

    /// The rows with the same natural key, in order.
    struct Group {
        var shown: [Int] = []
        var hidden: [Int] = []
    }

    /// The numbers of the rows. They are found once if many groups are asked for.
    struct Positions {
        /// By the rows of the old level; nil for a row that has gone or has another key.
        var old: [Int?]
        /// By the numbers of the items.
        var items: [Int]
    }

    /// - Parameter positions: the numbers of the rows; nil to search for them.
    func group(_ key: [UInt8], positions: Positions? = nil) -> Group {
        let hidden = (old.count..<old.rowCount).filter { old.naturalKey(of: $0) == key }
        var rows = (old.rows(withNaturalKey: key) + hidden).compactMap { row in
            positions.map { $0.old[row] } ?? number(ofOld: row)
        }
        for item in arrivals[key] ?? [] {
            let row = positions.map { $0.items[item] } ?? self.rows?.firstIndex(of: .item(Int32(item)))
            if let row { rows.append(row) }
        }
        let shown = shownCount
        rows.sort()
        return Group(shown: rows.filter { $0 < shown }, hidden: rows.filter { $0 >= shown })
    }

    /// The number of a row of the old level that has kept its key; nil for any other row of the old level.
    private func number(ofOld row: Int) -> Int? {
        guard let rows else { return row }
        let end = min(rows.count, row + reach + 1)
        return (min(max(0, row - reach), end)..<end).first { number in
            switch rows[number] {
            case .old(let old): old == row
            case .item(let item): items[Int(item)].place == row && items[Int(item)].keepsKey
            }
        }
    }

    private func positions() -> Positions {
        var positions = Positions(
            old: Array(repeating: nil, count: old.rowCount), items: Array(repeating: 0, count: items.count))
        for number in 0..<rowCount {
            switch row(number) {
            case .old(let row): positions.old[Int(row)] = number
            case .item(let item):
                positions.items[Int(item)] = number
                let item = items[Int(item)]
                if item.keepsKey, let place = item.place { positions.old[place] = number }
            }
        }
        return positions
    }

    /// The keys of shown rows with the same natural key: the first has that key, the others get `~2`, `~3` and so on.
    /// A number is left out if the result is the natural key of another row.
    private func numberedKeys(
        of rows: [Int], _ natural: [UInt8], positions: Positions? = nil
    ) -> [(row: Int, key: [UInt8])] {
        var next = 2
        return rows.enumerated().map { index, row in
            var key = natural
            while index > 0 {
                key = natural + Array("~\(next)".utf8)
                next += 1
                if group(key, positions: positions).shown.isEmpty { break }
            }
            return (row, key)
        }
    }

    /// The keys that may have changed, by row.
    ///
    /// - Throws: `TreeError.sharedKey` for two rows with the same `Key`.
    func rekeyed() throws(TreeError) -> [Int: [UInt8]] {
        guard !changedKeys.isEmpty else { return [:] }
        var groups = changedKeys
        // If `a~2` has come or gone as a natural key, the second row with the natural key `a` may get another number.
        for key in changedKeys { if let end = ItemKey.numberedBase(of: key.span) { groups.insert(Array(key[..<end])) } }
        let positions = positions()
        var keys: [Int: [UInt8]] = [:]
        var shared: SharedKey?
        for natural in groups {
            let group = group(natural, positions: positions)
            for row in group.hidden { keys[row] = natural }
            for (row, key) in numberedKeys(of: group.shown, natural, positions: positions) { keys[row] = key }
            if let found = sharedKey(natural, group), found.second.number < shared?.second.number ?? .max {
                shared = found
            }
        }
        if let shared { throw .sharedKey(shared) }
        return keys
    }

    /// The first two rows with the same `Key`; nil if at most one row has it.
    func sharedKey(_ natural: [UInt8]) -> SharedKey? { sharedKey(natural, group(natural)) }

    private func sharedKey(_ natural: [UInt8], _ group: Group) -> SharedKey? {
        guard old.form != .specifiers else { return nil }
        var pair: [SharedKey.Row] = []
        for row in group.shown where pair.count < 2 {
            guard let item = item(at: row), item.hasExplicitKey else { continue }
            pair.append(SharedKey.Row(number: row, title: item.step.level.title(item.step.row), position: nil))
        }
        guard pair.count == 2 else { return nil }
        return SharedKey(key: String(utf8: natural.span), first: pair[0], second: pair[1])
    }
}

import Bytes
internal import PropertyLists

/// Gives the rows of one level their keys (manual, Paths and keys), in time linear in the rows.
struct SiblingKeys {
    /// Keys that differ from the row's title.
    private var own: [Int: [UInt8]] = [:]
    private var hashes: [UInt64] = []
    /// The title that most rows share, if any do.
    private(set) var repeatedTitle: RepeatedTitle?

    /// The state of the rows that share a natural key, by the first of them.
    private struct Group {
        let second: Int
        var next = 2
        var count = 1
    }

    /// The maximum number of other keys with the same hash; two of a million keys share one by chance in one of forty
    /// million levels.
    private static let mostCollisions = 16

    func ownKey(of row: Int) -> [UInt8]? { own.isEmpty ? nil : own[row] }

    /// One byte of a key's hash, by which short levels are searched.
    func fingerprint(of row: Int) -> UInt8 { KeyIndex.fingerprint(hashes[row]) }

    /// Determines all keys; rows past `shown` are hidden, cannot be requested, and do not compete.
    ///
    /// - Parameter allowsSharedKeys: whether rows with the same `Key` are numbered as rows with the same title are.
    /// - Throws: `TreeError.sharedKey` if two rows have the same `Key`, `TreeError.equalHashes` if many keys share a
    ///   hash.
    mutating func settle(
        _ rows: Span<PendingRow>, in source: Span<UInt8>, shown: Int, allowsSharedKeys: Bool = false
    ) throws(TreeError) -> KeyIndex {
        own.removeAll(keepingCapacity: true)
        repeatedTitle = nil
        hashNaturals(rows, in: source)
        if rows.count <= KeyIndex.searchedRows, !hasEqualHashes(shown) { return KeyIndex(rowCount: rows.count) }
        var index = KeyIndex(rowCount: max(rows.count, KeyIndex.searchedRows + 1))
        var repeats: [(row: Int, first: Int)] = []
        for row in 0..<shown {
            let first = try enter(row, in: &index) {
                natural($0, rows, source).isEqual(to: natural(row, rows, source))
            }
            if let first { repeats.append((row, first)) }
        }
        guard !repeats.isEmpty else {
            return rows.count <= KeyIndex.searchedRows ? KeyIndex(rowCount: rows.count) : index
        }
        if !allowsSharedKeys, let pair = rowsOfOneKey(repeats, rows) {
            throw .sharedKey(sharedKey(pair, rows, in: source))
        }
        number(repeats, rows, in: source, naturals: index)
        return try rehashed(rows.count, shown: shown)
    }

    /// Inserts a row; returns the row with an equal key instead if there is one.
    private func enter(
        _ row: Int, in index: inout KeyIndex, isEqual: (Int) -> Bool
    ) throws(TreeError) -> Int? {
        var collisions = 0
        let first = index.insert(row, hash: hashes[row]) { other in
            guard hashes[other] == hashes[row] else { return false }
            if isEqual(other) { return true }
            collisions += 1
            return false
        }
        guard collisions <= Self.mostCollisions else { throw .equalHashes(limit: Self.mostCollisions) }
        return first
    }

    private mutating func hashNaturals(_ rows: Span<PendingRow>, in source: Span<UInt8>) {
        hashes.removeAll(keepingCapacity: true)
        for number in rows.indices {
            let row = rows[number]
            let text = source.extracting(row.explicitKey ?? row.title)
            if ItemKey.isPlain(text), !ItemKey.needsMark(text) {
                if row.explicitKey != nil { own[number] = Array(copying: text) }
                hashes.append(ContentHash.short(of: text))
            } else {
                let key = ItemKey.natural(text)
                hashes.append(ContentHash.short(of: key.span))
                if row.explicitKey != nil || !key.span.isEqual(to: text) { own[number] = key }
            }
        }
    }

    private func hasEqualHashes(_ shown: Int) -> Bool {
        for later in 0..<shown {
            for earlier in 0..<later where hashes[earlier] == hashes[later] { return true }
        }
        return false
    }

    @_lifetime(copy source)
    private func natural(_ row: Int, _ rows: Span<PendingRow>, _ source: Span<UInt8>) -> Span<UInt8> {
        if !own.isEmpty, let key = own[row] {
            // The dictionary outlives the call: nothing is added while spans of it are compared.
            return unsafe _overrideLifetime(key.span, copying: source)
        }
        return source.extracting(rows[row].title)
    }

    /// The error for two rows with the same `Key`.
    private func rowsOfOneKey(_ repeats: [(row: Int, first: Int)], _ rows: Span<PendingRow>) -> (Int, Int)? {
        var explicit: [Int: Int] = [:]
        for (row, first) in repeats where rows[row].explicitKey != nil {
            if rows[first].explicitKey != nil { return (first, row) }
            if let earlier = explicit.updateValue(row, forKey: first) { return (earlier, row) }
        }
        return nil
    }

    private func sharedKey(_ pair: (Int, Int), _ rows: Span<PendingRow>, in source: Span<UInt8>) -> SharedKey {
        func row(_ number: Int) -> SharedKey.Row {
            SharedKey.Row(
                number: number, title: String(utf8: source.extracting(rows[number].title)),
                position: rows[number].place.position)
        }
        return SharedKey(
            key: String(utf8: natural(pair.1, rows, source)), first: row(pair.0), second: row(pair.1))
    }

    /// Gives every repeat `~2`, `~3`, …: the smallest number that is not another row's natural key.
    private mutating func number(
        _ repeats: [(row: Int, first: Int)], _ rows: Span<PendingRow>, in source: Span<UInt8>, naturals: KeyIndex
    ) {
        var groups: [Int: Group] = [:]
        var renamed: [(row: Int, key: [UInt8])] = []
        for (row, first) in repeats {
            var group = groups[first] ?? Group(second: row)
            let base = Array(copying: natural(first, rows, source))
            renamed.append((row, freeKey(base, next: &group.next, rows, in: source, naturals: naturals)))
            group.count += 1
            groups[first] = group
        }
        if let most = groups.max(by: { ($0.value.count, $1.key) < ($1.value.count, $0.key) }) {
            let hasKey = rows[most.key].explicitKey != nil
            let title = hasKey ? natural(most.key, rows, source) : source.extracting(rows[most.key].title)
            repeatedTitle = RepeatedTitle(
                title: String(utf8: title), count: most.value.count, first: rows[most.key].place.position,
                second: rows[most.value.second].place.position)
        }
        for (row, key) in renamed {
            own[row] = key
            hashes[row] = ContentHash.short(of: key.span)
        }
    }

    /// The base with the smallest number, from `next` on, that is not a row's natural key.
    private func freeKey(
        _ base: [UInt8], next: inout Int, _ rows: Span<PendingRow>, in source: Span<UInt8>, naturals: KeyIndex
    ) -> [UInt8] {
        while true {
            let key = base + Array("~\(next)".utf8)
            next += 1
            let taken = naturals.find(hash: ContentHash.short(of: key.span)) {
                natural($0, rows, source).isEqual(to: key.span)
            }
            if taken == nil { return key }
        }
    }

    private func rehashed(_ rowCount: Int, shown: Int) throws(TreeError) -> KeyIndex {
        var index = KeyIndex(rowCount: rowCount)
        guard rowCount > KeyIndex.searchedRows else { return index }
        for row in 0..<shown { _ = try enter(row, in: &index) { _ in false } }
        return index
    }
}

import Bytes
internal import PropertyLists

/// Gives the rows of one level their keys (manual, Paths and keys), in time linear in the rows.
struct SiblingKeys: ~Copyable {
    /// The start of each made key in `texts`, by row. A key is made if it differs from the row's `Key` or title.
    private var made: [UInt32: Int] = [:]
    /// The made keys, each after its length. They share one buffer, because a level can have a million of them.
    private var texts = ByteBuffer()
    private var hashes: [UInt64] = []
    /// The title that the largest number of rows share; nil if all titles differ.
    private(set) var repeatedTitle: RepeatedTitle?

    /// The numbering of the rows that share a natural key: the second row, the next number to try, and the number of
    /// rows.
    private struct Group {
        let second: Int
        var next = 2
        var count = 1
    }

    /// The maximum number of other keys with the same hash. By chance, a level with a million keys contains two keys
    /// with the same hash only once in forty million levels.
    static let mostCollisions = 16

    /// The key of a row if it is explicit or differs from the title; otherwise nil.
    @_lifetime(copy source)
    func ownKey(of number: Int, row: PendingRow, in source: Span<UInt8>) -> Span<UInt8>? {
        if !made.isEmpty, let start = made[UInt32(number)] {
            var reader = PackedReader(bytes: texts.span, at: start)
            // The texts outlive the call, and do not change while spans of them are in use.
            return unsafe _overrideLifetime(texts.span.extracting(reader.run()), copying: source)
        }
        guard let key = row.explicitKey else { return nil }
        return source.extracting(key)
    }

    private mutating func make(_ key: Span<UInt8>, of row: Int) {
        made[UInt32(row)] = texts.count
        texts.append(run: key)
    }

    /// The largest number of made keys, and of hashes, whose room is kept for the next level.
    private static let mostKeysKept = 1 << 16

    /// One byte of a key's hash, for searching short levels.
    func fingerprint(of row: Int) -> UInt8 { KeyIndex.fingerprint(hashes[row]) }

    /// Determines all keys. Rows from `shown` on are hidden and cannot be requested; they keep their natural keys,
    /// which shown rows may share.
    ///
    /// - Parameter allowsSharedKeys: whether rows with the same `Key` are numbered like rows with the same title.
    /// - Throws: `TreeError.sharedKey` for two rows with the same `Key`, `TreeError.equalHashes` for many equal hashes.
    mutating func settle(
        _ rows: Span<PendingRow>, in source: Span<UInt8>, shown: Int, allowsSharedKeys: Bool = false
    ) throws(TreeError) -> KeyIndex {
        if made.count > Self.mostKeysKept {
            made = [:]
            texts = ByteBuffer()
        }
        made.removeAll(keepingCapacity: true)
        texts.truncate(to: 0)
        repeatedTitle = nil
        defer { if rows.count > Self.mostKeysKept { hashes = [] } }
        hashNaturals(rows, in: source)
        if rows.count <= KeyIndex.searchedRows, !hasEqualHashes(shown) { return KeyIndex(rowCount: rows.count) }
        var index = KeyIndex(rowCount: max(rows.count, KeyIndex.searchedRows + 1))
        var repeats: [(row: UInt32, first: UInt32)] = []
        for row in 0..<shown {
            let first = try enter(row, in: &index) {
                natural($0, rows: rows, source: source).isEqual(to: natural(row, rows: rows, source: source))
            }
            if let first { repeats.append((UInt32(row), UInt32(first))) }
        }
        guard !repeats.isEmpty else {
            return rows.count <= KeyIndex.searchedRows ? KeyIndex(rowCount: rows.count) : index
        }
        if !allowsSharedKeys, let pair = rowsOfOneKey(repeats, rows: rows) {
            throw .sharedKey(sharedKey(pair, rows: rows, in: source))
        }
        number(repeats, rows: rows, in: source, naturals: index)
        return try rehashed(rows.count, shown: shown)
    }

    /// Inserts a row and returns nil. If the index already contains a row with an equal key, returns that row instead.
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
        hashes.reserveCapacity(rows.count)
        for number in rows.indices {
            let row = rows[number]
            let text = source.extracting(row.explicitKey ?? row.title)
            if ItemKey.isPlain(text), !ItemKey.needsMark(text) {
                hashes.append(ContentHash.short(of: text))
            } else {
                let key = ItemKey.natural(text)
                hashes.append(ContentHash.short(of: key.span))
                if !key.span.isEqual(to: text) { make(key.span, of: number) }
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
    private func natural(_ row: Int, rows: Span<PendingRow>, source: Span<UInt8>) -> Span<UInt8> {
        if let key = ownKey(of: row, row: rows[row], in: source) { return key }
        return source.extracting(rows[row].title)
    }

    /// Returns two rows with the same `Key`; nil if all values of `Key` differ.
    private func rowsOfOneKey(_ repeats: [(row: UInt32, first: UInt32)], rows: Span<PendingRow>) -> (Int, Int)? {
        var explicit: [UInt32: UInt32] = [:]
        for (row, first) in repeats where rows[Int(row)].explicitKey != nil {
            if rows[Int(first)].explicitKey != nil { return (Int(first), Int(row)) }
            if let earlier = explicit.updateValue(row, forKey: first) { return (Int(earlier), Int(row)) }
        }
        return nil
    }

    private func sharedKey(_ pair: (Int, Int), rows: Span<PendingRow>, in source: Span<UInt8>) -> SharedKey {
        func row(_ number: Int) -> SharedKey.Row {
            SharedKey.Row(
                number: number, title: String(utf8: source.extracting(rows[number].title)),
                position: rows[number].place.position)
        }
        return SharedKey(
            key: String(utf8: natural(pair.1, rows: rows, source: source)), first: row(pair.0), second: row(pair.1))
    }

    /// Appends `~2`, `~3`, … to the key of every repeat: the smallest number for which no other row has the result as
    /// its natural key.
    private mutating func number(
        _ repeats: [(row: UInt32, first: UInt32)], rows: Span<PendingRow>, in source: Span<UInt8>, naturals: KeyIndex
    ) {
        var groups: [UInt32: Group] = [:]
        // Only the key of the group's first row is compared here, and that key does not change.
        for (row, first) in repeats {
            var group = groups[first] ?? Group(second: Int(row))
            let base = Array(copying: natural(Int(first), rows: rows, source: source))
            let key = freeKey(base, next: &group.next, rows: rows, in: source, naturals: naturals)
            make(key.span, of: Int(row))
            hashes[Int(row)] = ContentHash.short(of: key.span)
            group.count += 1
            groups[first] = group
        }
        guard let most = groups.max(by: { ($0.value.count, $1.key) < ($1.value.count, $0.key) }) else { return }
        let first = rows[Int(most.key)]
        let title =
            first.explicitKey == nil
            ? source.extracting(first.title) : natural(Int(most.key), rows: rows, source: source)
        repeatedTitle = RepeatedTitle(
            title: String(utf8: title), isKey: first.explicitKey != nil, count: most.value.count,
            first: first.place.position,
            second: rows[most.value.second].place.position)
    }

    /// Returns `base` followed by `~` and a number: the smallest number from `next` on for which the result is not the
    /// natural key of another row.
    private func freeKey(
        _ base: [UInt8], next: inout Int, rows: Span<PendingRow>, in source: Span<UInt8>, naturals: KeyIndex
    ) -> [UInt8] {
        while true {
            let key = base + Array("~\(next)".utf8)
            next += 1
            let taken = naturals.find(hash: ContentHash.short(of: key.span)) {
                natural($0, rows: rows, source: source).isEqual(to: key.span)
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

/// Natural keys: the keys of rows without regard to their siblings (manual, Paths and keys).
extension Level {
    /// A row's key without the number that distinguishes the row from its siblings.
    func naturalKey(of number: Int) -> [UInt8] {
        let bytes = bytes
        let row = row(number)
        let key = bytes.span.extracting(row.key)
        guard row.flags.contains(.hasOwnKey) else { return Array(copying: key) }
        guard row.flags.contains(.hasExplicitKey) else { return ItemKey.natural(bytes.span.extracting(row.title)) }
        guard ItemKey.numberedBase(of: key) != nil, row.keySource >= 0 else { return Array(copying: key) }
        let source = PackedReader(bytes: bytes.span, at: row.keySource)
        if let text = source.text { return ItemKey.natural(bytes.span.extracting(text)) }
        return source.scalarText.map { Array($0.utf8) } ?? Array(copying: key)
    }

    /// Whether another row has the same natural key as a row.
    func sharesNaturalKey(_ number: Int) -> Bool {
        rows(withNaturalKey: naturalKey(of: number), upTo: 2).count > 1
    }

    /// The shown rows with a natural key, in order.
    ///
    /// - Parameter limit: the number of rows after which the search ends.
    func rows(withNaturalKey natural: [UInt8], upTo limit: Int = .max) -> [Int] {
        var rows: [Int] = []
        var (key, number) = (natural, 1)
        // The keys of the rows are numbered. A number is left out only if it is part of the natural key of another row.
        while rows.count < limit, let row = row(withKey: key.span) {
            if naturalKey(of: row) == natural { rows.append(row) } else if rows.isEmpty { break }
            number += 1
            key = natural + Array("~\(number)".utf8)
        }
        return rows
    }
}

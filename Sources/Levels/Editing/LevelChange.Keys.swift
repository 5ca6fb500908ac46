internal import Bytes
internal import PropertyLists

/// The keys of new rows, if all others keep theirs.
extension LevelChange {
    /// The key of a new row.
    struct ArrivingKey {
        let key: [UInt8]
        let hash: UInt64
        /// Whether the replaced row had the same key, so that the index already contains it.
        let isKnown: Bool
    }

    /// The keys of the new rows; nil if the key of any other row changes or might change.
    func arrivingKeys() -> [ArrivingKey]? {
        guard sections.elementsEqual(old.allSections, by: { $0.isHidden == $1.isHidden }) else { return nil }
        let keys = arrivals.map { keptKey(of: $0) }
        // A row whose place and key another row takes does not count as removed for the keys.
        let taken = Set(zip(arrivals, keys).compactMap { $1 == nil ? nil : $0.replaced })
        let gone = departures.filter { $0 < old.count && !taken.contains($0) }
        guard gone.allSatisfy({ old.isAlone($0, names) }), var fresh = hashesOfMoved() else { return nil }
        let free = Set(gone)
        var result: [ArrivingKey] = []
        result.reserveCapacity(arrivals.count)
        for (arrival, kept) in zip(arrivals, keys) {
            let key = arrival.naturalKey
            let hash = ContentHash.short(of: key.span)
            if kept == nil, arrival.number < shown, !isFree(key, hash, free) || !fresh.insert(hash).inserted {
                return nil
            }
            result.append(kept ?? ArrivingKey(key: key, hash: hash, isKnown: false))
        }
        return result
    }

    /// The key of a row that replaces one with the same natural key.
    private func keptKey(of arrival: Arrival) -> ArrivingKey? {
        guard let replaced = arrival.replaced, replaced < old.count, arrival.number < shown,
            old.naturalKey(of: replaced, names) == arrival.naturalKey
        else { return nil }
        let bytes = old.bytes
        let row = old.row(replaced)
        // Another row may have the same `Key`.
        if arrival.row.explicitKey != nil, !row.flags.contains(.hasExplicitKey), !old.isAlone(replaced, names) {
            return nil
        }
        let key = Array(copying: bytes.span.extracting(row.key))
        return ArrivingKey(key: key, hash: ContentHash.short(of: key.span), isKnown: true)
    }

    /// The hashes of keys of rows that were hidden and are now shown; nil if the key of any other row
    /// could change.
    private func hashesOfMoved() -> Set<UInt64>? {
        var hashes: Set<UInt64> = []
        for row in moved {
            if row.old < old.count {
                guard old.isAlone(row.old, names) else { return nil }
            } else if row.new < shown {
                let hash = old.keyHash(row.old)
                guard isFree(old.naturalKey(of: row.old, names), hash, []), hashes.insert(hash).inserted else {
                    return nil
                }
            }
        }
        return hashes
    }

    /// Whether no shown row, or no row that stays, has a key.
    ///
    /// Equal hashes count as equal keys; their number is bounded when all keys are determined.
    private func isFree(_ key: [UInt8], _ hash: UInt64, _ free: Set<Int>) -> Bool {
        if let row = old.row(withKey: key.span) { return free.contains(row) }
        return old.row(withKeyHash: hash) == nil
    }

    // MARK: The index

    /// The index of the new rows: the old one, changed, or a new one.
    func index(_ keys: [ArrivingKey], of bytes: [UInt8]) -> KeyIndex {
        guard rowCount > KeyIndex.searchedRows else { return KeyIndex(rowCount: rowCount) }
        let changes = departures.count + arrivals.count + moved.count
        guard old.keyIndex.isSuited(to: rowCount), changes < rowCount / 8 else { return filledIndex(of: bytes) }
        var index = KeyIndex(slots: old.keyIndex.slots, rowCount: rowCount)
        let known = Set(zip(arrivals, keys).compactMap { $1.isKnown ? $0.replaced : nil })
        for row in departures where row < old.count && !known.contains(row) { index.remove(row, hashOf: old.keyHash) }
        for row in moved where row.old < old.count { index.remove(row.old, hashOf: old.keyHash) }
        index.renumber(by: staying(known))
        for (arrival, key) in zip(arrivals, keys) where arrival.number < shown && !key.isKnown {
            _ = index.insert(arrival.number, hash: key.hash) { _ in false }
        }
        for row in moved where row.new < shown {
            _ = index.insert(row.new, hash: old.keyHash(row.old)) { _ in false }
        }
        return index
    }

    /// The rows of the old index that remain in the new one, and how far they move.
    private func staying(_ known: Set<Int>) -> [RowShift] {
        var rows = shifts
        for arrival in arrivals {
            guard let replaced = arrival.replaced, known.contains(replaced) else { continue }
            rows.append(RowShift(rows: replaced..<replaced + 1, distance: arrival.number - replaced))
        }
        return rows.count == shifts.count ? rows : rows.sorted { $0.rows.lowerBound < $1.rows.lowerBound }
    }

    private func filledIndex(of bytes: [UInt8]) -> KeyIndex {
        var index = KeyIndex(rowCount: rowCount)
        for number in 0..<shown {
            let key = bytes.span.extracting(Row(in: bytes.span, number: number).key)
            _ = index.insert(number, hash: ContentHash.short(of: key)) { _ in false }
        }
        return index
    }
}

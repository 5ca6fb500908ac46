internal import Bytes
internal import Heap
internal import PropertyLists

/// Makes a level from an arrangement of rows. Determines which old rows are removed or kept, and which rows are added.
///
/// If the keys of all remaining rows stay the same, these rows are copied in packed form, and the key index is updated.
/// Otherwise, all rows are packed again, as by a builder.
struct ArrangedLevel: ~Copyable {
    let old: Level
    let names: StructuralNames
    let pieces: [RowArrangement.Piece]
    let sections: [Section]
    let rowCount: Int
    /// The number of shown rows of the new level.
    let shown: Int
    /// The added rows, in order.
    private(set) var arrivals: [Arrival] = []
    /// The bytes of the added rows.
    var gathered: RowGatherer
    /// The removed old rows, including replaced rows.
    private(set) var departures: [Int] = []
    /// The moved rows: the old and the new number of each.
    private(set) var moved: [(old: Int, new: Int)] = []
    /// The old rows that stay or move, in the old order. The distance of a run is a row's new number minus its old
    /// number.
    private(set) var shifts: [RowShift] = []

    /// A row that is added to the level.
    struct Arrival {
        let number: Int
        /// The number of the old row that this row replaces; nil for an additional row.
        let replaced: Int?
        let row: PendingRow
        let child: Level?
        let naturalKey: [UInt8]
    }

    /// - Parameter owner: the row above the level, which may have `SectionKeys`.
    init(arrangement: RowArrangement, names: StructuralNames, owner: Item.Step?) throws(TreeError) {
        old = arrangement.level
        self.names = names
        pieces = arrangement.pieces
        rowCount = arrangement.rowCount
        let listed = old.listedSections(owner: owner, names: names)
        sections = old.allSections.holding(arrangement.counts, listed: listed, rowsName: names.newRowsName)
        shown = rowCount - Section.hiddenRows(in: sections)
        gathered = RowGatherer(names)
        try checkSize()
        place()
    }

    /// Refuses a level that is too large, before the level takes memory. The size is an estimate; packing checks the
    /// exact size.
    private func checkSize() throws(TreeError) {
        var size = (rowCount + 1) * 4
        for piece in pieces {
            switch piece {
            case .kept(let rows): size += old.packed(rows).count
            case .moved(let row): size += old.packed(row..<row + 1).count
            case .new(let new): size += new.source.level.row(new.source.row).fields.count
            }
        }
        guard size <= UInt32.max else { throw .levelTooLarge }
        // The rows take memory three times, as gathered, packed and copied bytes, and some more memory for each row.
        let needed = 3 * size + rowCount * 64
        guard needed < 1 << 20 || MemoryBudget.hasRoom(for: needed) else { throw .outOfMemory }
    }

    private mutating func place() {
        var number = 0
        for piece in pieces {
            switch piece {
            case .kept(let rows): shifts.append(RowShift(rows: rows, distance: number - rows.lowerBound))
            case .moved(let row):
                shifts.append(RowShift(rows: row..<row + 1, distance: number - row))
                moved.append((row, number))
            case .new(let new): arrive(new, number: number)
            }
            number += piece.count
        }
        shifts.sort { $0.rows.lowerBound < $1.rows.lowerBound }
        var next = 0
        for shift in shifts {
            departures.append(contentsOf: next..<shift.rows.lowerBound)
            next = shift.rows.upperBound
        }
        departures.append(contentsOf: next..<old.rowCount)
    }

    private mutating func arrive(_ new: RowArrangement.NewRow, number: Int) {
        let (row, child) = gathered.gather(new)
        let text = row.explicitKey ?? row.title
        let natural = ItemKey.natural(gathered.bytes.span.extracting(text))
        arrivals.append(
            Arrival(number: number, replaced: new.replaced, row: row, child: child, naturalKey: natural))
    }

    /// Makes the new level.
    mutating func level() throws(TreeError) -> Level {
        if let keys = arrivingKeys() { return try spliced(keys) }
        return try assembled()
    }

    /// The levels below the rows; empty if all rows are leaves.
    func children() -> [Level?] {
        let arrives = arrivals.contains { $0.child != nil }
        guard arrives || !old.children.isEmpty else { return [] }
        var children: [Level?] = []
        children.reserveCapacity(rowCount)
        var arrival = 0
        for piece in pieces {
            switch piece {
            case .kept(let rows) where old.children.isEmpty:
                children.append(contentsOf: repeatElement(nil, count: rows.count))
            case .kept(let rows): children.append(contentsOf: old.children[rows])
            case .moved(let row): children.append(old.child(row))
            case .new:
                children.append(arrivals[arrival].child)
                arrival += 1
            }
        }
        return arrives || children.contains { $0 != nil } ? children : []
    }

    /// Packs all rows again.
    private mutating func assembled() throws(TreeError) -> Level {
        var rows: [PendingRow] = []
        rows.reserveCapacity(rowCount)
        guard gathered.reserve(old.bytes.count) else { throw .outOfMemory }
        var arrival = 0
        for piece in pieces {
            switch piece {
            case .kept(let range): for row in range { rows.append(gathered.gather(old, number: row)) }
            case .moved(let row): rows.append(gathered.gather(old, number: row))
            case .new:
                rows.append(arrivals[arrival].row)
                arrival += 1
            }
        }
        let parts = LevelAssembler.Parts(
            children: children(), sections: sections, form: old.form,
            mayHoldTextBeyondXML: old.rowsHoldTextBeyondXML || arrivalsHoldTextBeyondXML)
        var assembler = LevelAssembler(pool: nil)
        return try assembler.level(of: rows.span, from: gathered.bytes.span, parts: parts)
    }

    /// Whether added rows contain text or dates that XML cannot represent.
    var arrivalsHoldTextBeyondXML: Bool {
        arrivals.contains { arrival in
            let bytes = gathered.bytes.span
            return arrival.row.isString
                ? XMLText.holdsMoreThanXML(bytes.extracting(arrival.row.title))
                : TextBeyondXML.isAmong(arrival.row.fields, of: bytes)
        }
    }
}

extension Level {
    /// The number of listed sections. Listed sections are shown, unless all of them are empty.
    func listedSections(owner: Item.Step?, names: StructuralNames) -> Int {
        if !sections.isEmpty { return sections.count }
        guard form == .namedSections, let owner else { return allSections.count }
        return min(names.listedSections(of: owner) ?? allSections.count, allSections.count)
    }
}

/// The keys of the new rows, if all other rows keep their keys.
extension ArrangedLevel {
    /// The key of a new row.
    struct ArrivingKey {
        let key: [UInt8]
        let hash: UInt64
        /// Whether the replaced row has the same key. If so, the index already contains the key.
        let isKnown: Bool
    }

    /// The keys of the new rows; nil if the key of another row may change.
    func arrivingKeys() -> [ArrivingKey]? {
        guard sections.elementsEqual(old.allSections, by: { $0.isHidden == $1.isHidden }) else { return nil }
        let keys = arrivals.map { keptKey(of: $0) }
        // A row does not count as removed if another row takes its place and its key.
        let taken = Set(zip(arrivals, keys).compactMap { $1 == nil ? nil : $0.replaced })
        let gone = departures.filter { $0 < old.count && !taken.contains($0) }
        guard gone.allSatisfy({ old.isAlone($0, names: names) }), var fresh = hashesOfMoved() else { return nil }
        let free = Set(gone)
        var result: [ArrivingKey] = []
        result.reserveCapacity(arrivals.count)
        for (arrival, kept) in zip(arrivals, keys) {
            let key = arrival.naturalKey
            let hash = ContentHash.short(of: key.span)
            if kept == nil, arrival.number < shown, !isFree(key, hash: hash, free: free) || !fresh.insert(hash).inserted
            {
                return nil
            }
            result.append(kept ?? ArrivingKey(key: key, hash: hash, isKnown: false))
        }
        return result
    }

    /// The key of an added row that replaces a row with the same natural key; nil for other added rows, and if the key
    /// may change.
    private func keptKey(of arrival: Arrival) -> ArrivingKey? {
        guard let replaced = arrival.replaced, replaced < old.count, arrival.number < shown,
            old.naturalKey(of: replaced, names: names) == arrival.naturalKey
        else { return nil }
        let bytes = old.bytes
        let row = old.row(replaced)
        // Unlike the replaced row, the added row has a `Key`. Another row may have the same `Key`.
        if arrival.row.explicitKey != nil, !row.flags.contains(.hasExplicitKey), !old.isAlone(replaced, names: names) {
            return nil
        }
        let key = Array(copying: bytes.span.extracting(row.key))
        return ArrivingKey(key: key, hash: ContentHash.short(of: key.span), isKnown: true)
    }

    /// The key hashes of hidden rows that become shown by a move; nil if the key of another row could change.
    private func hashesOfMoved() -> Set<UInt64>? {
        var hashes: Set<UInt64> = []
        for row in moved {
            if row.old < old.count {
                guard old.isAlone(row.old, names: names) else { return nil }
            } else if row.new < shown {
                let hash = old.keyHash(row.old)
                guard isFree(old.naturalKey(of: row.old, names: names), hash: hash, free: []),
                    hashes.insert(hash).inserted
                else {
                    return nil
                }
            }
        }
        return hashes
    }

    /// Whether a key is free: none of the remaining shown rows has the key.
    ///
    /// Equal hashes count as equal keys. The level is then assembled, and the assembler limits the number of equal
    /// hashes.
    private func isFree(_ key: [UInt8], hash: UInt64, free: Set<Int>) -> Bool {
        if let row = old.row(withKey: key.span) { return free.contains(row) }
        return old.row(withKeyHash: hash) == nil
    }

    // MARK: The index

    /// The key index of the new rows: the old index with changes, or an index filled anew.
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

    /// The old rows that remain in the index, with the distances to their new numbers.
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

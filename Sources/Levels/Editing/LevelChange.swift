internal import Bytes
internal import Heap
internal import PropertyLists

/// A change of a level: the rows to remove, to keep and to add, and the new level made from them.
///
/// If no other row's key changes, rows that stay are copied in packed form, and the key index is updated;
/// otherwise all rows are packed again, as by a builder.
struct LevelChange: ~Copyable {
    let old: Level
    let names: StructuralNames
    let pieces: [RowArrangement.Piece]
    let sections: [Section]
    let rowCount: Int
    /// The number of new rows that are shown.
    let shown: Int
    /// The added rows, in order.
    private(set) var arrivals: [Arrival] = []
    /// The ranges of their bytes.
    var gathered: RowGatherer
    /// The removed old rows, including those that are replaced.
    private(set) var departures: [Int] = []
    /// The moved old rows, and their new places.
    private(set) var moved: [(old: Int, new: Int)] = []
    /// The old rows that stay, in the old order.
    private(set) var shifts: [RowShift] = []

    /// A row that is added to the level.
    struct Arrival {
        /// Its number in the new level.
        let number: Int
        /// The old row whose place it takes.
        let replaced: Int?
        let row: PendingRow
        let child: Level?
        let naturalKey: [UInt8]
    }

    /// - Parameter owner: the row above the level, whose `SectionKeys` lists sections.
    init(_ arrangement: RowArrangement, names: StructuralNames, owner: Item.Step?) throws(TreeError) {
        old = arrangement.level
        self.names = names
        pieces = arrangement.pieces
        rowCount = arrangement.rowCount
        let listed = old.listedSections(owner: owner, names)
        sections = old.allSections.holding(arrangement.counts, listed: listed, rowsName: names.newRowsName)
        shown = rowCount - Section.hiddenRows(in: sections)
        gathered = RowGatherer(names)
        try checkSize()
        place()
    }

    /// Refuses a level that is too large before allocating memory; the exact size is known when it is packed.
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
        // The bytes gathered, packed and copied, and what each row has beside them.
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

    /// The new level.
    mutating func level() throws(TreeError) -> Level {
        if let keys = arrivingKeys() { return try spliced(keys) }
        return try assembled()
    }

    /// The levels below the new rows; empty if all are leaves.
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
            case .kept(let range): for row in range { rows.append(gathered.gather(old, row)) }
            case .moved(let row): rows.append(gathered.gather(old, row))
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

    /// Whether an added row contains text or dates that XML cannot represent.
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
    /// The number of listed sections, which are shown unless all of them are empty.
    func listedSections(owner: Item.Step?, _ names: StructuralNames) -> Int {
        if !sections.isEmpty { return sections.count }
        guard form == .namedSections, let owner else { return allSections.count }
        return min(names.listedSections(of: owner) ?? allSections.count, allSections.count)
    }
}

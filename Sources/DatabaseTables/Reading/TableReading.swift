internal import DatabaseTrees
internal import Levels

/// The tables of a database in one state, for one answer.
///
/// Unchecked Sendable: only the thread that makes the answer uses the reading, until `end`.
final class TableReading: RowSource, @unchecked Sendable {
    let rows: TableRows
    private var taken: OpenDatabase?
    private let deadline: ContinuousClock.Instant
    private let isWanted: @Sendable () -> Bool
    /// The path that was looked up.
    private var path: ItemPath?
    /// The places of the items that were found. The level that contains an item's own row identifies the item.
    private var places: [(level: Level, place: Place)] = []

    init(rows: TableRows, while isWanted: @escaping @Sendable () -> Bool = { true }) throws(DatabaseError) {
        (self.rows, self.isWanted, deadline) = (rows, isWanted, .now + rows.options.timeout)
        let database = try rows.pool.take()
        try database.begin(until: deadline, while: isWanted)
        taken = database
    }

    deinit { end() }

    func end() {
        if let database = taken.take() { rows.pool.giveBack(database) }
    }

    var isImmediate: Bool { false }

    var state: Int? { taken?.known.number }

    func hash(of part: ShownPart, of item: Item) -> ContentHash { rows.hash(of: part, of: item) }

    var database: OpenDatabase {
        get throws(DatabaseError) {
            guard let taken else { throw DatabaseError(kind: .away, reason: "the answer has ended") }
            return taken
        }
    }

    var catalogue: Catalogue { get throws(DatabaseError) { try database.catalogue } }

    // MARK: Places

    /// An item's place in the database.
    enum Place {
        case root
        /// A table, by its number.
        case table(Int)
        /// The level of a list: the records, or if the list has drill columns, the values of the first drill column.
        /// The `Int` is the number of the list's table.
        ///
        /// If the item is itself a value of a drill column, `among` is the list that this column divides, and the
        /// number of the value. For the item of the document, `among` is nil.
        case values(RecordList, Int, among: (RecordList, Int)?)
        /// A record of the table with a number.
        case record(Int, Record)
        /// One of the named lists below a record, by its number.
        case referring(RowsBelow, Int)
    }

    /// A record that was found.
    struct Record {
        let identity: RecordIdentity
        /// The values of the terms that order the list.
        let terms: [DatabaseValue]
        /// The list in which it was found.
        let list: RecordList
        /// The position of the record in the list if only the position identifies it; otherwise nil.
        let position: Int?
        /// A sentence about a field that is too large to be shown; nil if all fields are shown.
        let refusal: String?
    }

    func find(_ path: ItemPath) throws(RowRefusal) -> Item.Lookup {
        self.path = path
        return try inPresentSchema { try lookup(path) }
    }

    /// Calls a closure with the place of an item.
    func atPlace<Result>(of item: Item, _ body: (Place) throws -> Result) throws(RowRefusal) -> Result {
        try inPresentSchema { try body(place(of: item)) }
    }

    /// Calls a closure. If the database refuses a statement because another program has changed the schema meanwhile,
    /// calls the closure once again for the present state.
    private func inPresentSchema<Result>(_ body: () throws -> Result) throws(RowRefusal) -> Result {
        do {
            do { return try body() } catch let error as DatabaseError {
                guard try hasNewSchema(after: error) else { throw error }
                return try body()
            }
        } catch let error as DatabaseError {
            throw RowRefusal(error)
        } catch let refusal as RowRefusal {
            throw refusal
        } catch {
            throw RowRefusal(kind: .unreadable, sentence: "The database cannot be read.")
        }
    }

    /// Begins to read the present state after the database has refused a statement, and forgets the places that were
    /// found. Returns whether the schema differs.
    private func hasNewSchema(after error: DatabaseError) throws(DatabaseError) -> Bool {
        guard error.kind == .refused, let taken else { return false }
        let schema = taken.schema
        taken.end()
        try taken.begin(until: deadline, while: isWanted)
        places = []
        return taken.schema != schema
    }

    private func lookup(_ path: ItemPath) throws -> Item.Lookup {
        var steps = rows.prefix.isEmpty ? [try Self.step(key: [], title: rows.title)] : rows.prefix
        if rows.options.reference != nil, let refusal = try catalogue.refusal {
            throw DatabaseError(kind: .other, reason: refusal)
        }
        var place = Place.root
        if let shown = try catalogue.shown { place = .values(try list(ofTable: shown.table), shown.table, among: nil) }
        for number in (steps.count - 1)..<max(steps.count - 1, path.count) {
            guard steps.count <= TreeLimits().depth,
                let (step, next) = try self.step(
                    path.writtenKey(number), key: path.key(number), below: place, isLast: number == path.count - 1)
            else {
                return .missing(nearest: item(steps, at: place, count: 0), keyNumber: number)
            }
            steps.append(step)
            place = next
        }
        return .found(item(steps, at: place, count: try count(below: place)))
    }

    private func item(_ steps: [Item.Step], at place: Place, count: Int) -> Item {
        places.append((steps[steps.count - 1].level, place))
        return Item(steps: steps, count: count)
    }

    /// Returns the place of an item that `find` has returned.
    private func place(of item: Item) throws -> Place {
        if let known = places.last(where: { $0.level === item.own.level }) { return known.place }
        // Another program has changed the schema.
        guard let path, case .found = try lookup(path), let found = places.last else {
            throw DatabaseError(kind: .refused, reason: "the item is gone")
        }
        return found.place
    }

    /// Returns the row with a key below a place, and the place of that row; nil if the key is unknown.
    ///
    /// - Parameters:
    ///   - written: the key as it was written. Records are found by this text.
    ///   - key: the key in NFC. All other rows are found by this text.
    ///   - isLast: whether the path ends here, so that the row needs the record's fields.
    private func step(
        _ written: [UInt8], key: String, below place: Place, isLast: Bool
    ) throws -> (Item.Step, Place)? {
        let catalogue = try catalogue
        switch place {
        case .root:
            guard let number = catalogue.table(withKey: Array(key.utf8)) else { return nil }
            return (
                try Self.step(key: catalogue.keys[number], title: Array(catalogue.tables[number].name.utf8)),
                .table(number)
            )
        case .table(let number): return try record(written, in: list(ofTable: number), number: number, isWhole: isLast)
        case .values(let list, let number, _):
            return list.drillColumns.isEmpty
                ? try record(written, in: list, number: number, isWhole: isLast)
                : try value(Array(key.utf8), in: list, table: number)
        case .record(let number, let above):
            let below = try rowsBelow(number, record: above)
            if let records = below.records,
                let found = try record(written, in: records, number: number, isWhole: isLast)
            {
                return found
            }
            let wanted = Array(key.utf8)
            guard let place = below.lists.firstIndex(where: { $0.key == wanted }) else { return nil }
            return (try Self.step(key: wanted, title: below.lists[place].title), .referring(below, place))
        case .referring(let below, let place):
            return try record(written, in: below.lists[place].list, number: below.lists[place].table, isWhole: isLast)
        }
    }

    func list(of foreignKey: ForeignKey, to identity: RecordIdentity) throws(DatabaseError) -> RecordList {
        let catalogue = try catalogue
        return RecordList(
            table: catalogue.tables[foreignKey.child], referringBy: foreignKey, to: catalogue.tables[foreignKey.parent],
            identity: identity)
    }

    static func step(key: [UInt8], title: [UInt8]) throws(DatabaseError) -> Item.Step {
        var packer = RowPacker()
        packer.beginRow(key: key.span, title: title.span)
        return try step(packer)
    }

    static func step(_ packer: consuming RowPacker) throws(DatabaseError) -> Item.Step {
        Item.Step(level: try level(packer), row: 0)
    }

    static func level(_ packer: consuming RowPacker) throws(DatabaseError) -> Level {
        guard let level = packer.level() else { throw outOfMemory }
        return level
    }

    static var outOfMemory: DatabaseError { DatabaseError(kind: .away, reason: "there is not enough memory") }

    // MARK: Counts

    /// Returns the number of rows below a place. The result is 1 for a list that its page or detail counts
    /// (`RecordList.isReadOnce`).
    private func count(below place: Place) throws -> Int {
        switch place {
        case .root: return try catalogue.tables.count
        case .table(let number): return try knownCount(list(ofTable: number)).number
        case .values(let list, _, _):
            return try list.drillColumns.isEmpty ? knownCount(list).number : values(of: list).count
        case .record(let number, let record):
            guard record.position == nil else { return 0 }
            return try count(PageRows.Below.record(catalogue.tables[number], record.identity)).number
        case .referring(let below, let place): return try knownCount(below.lists[place].list).number
        }
    }

    private func knownCount(_ list: RecordList) throws(DatabaseError) -> RecordCount {
        list.isReadOnce ? try counted(list) ?? RecordCount(number: 1, isEstimate: true) : try count(list)
    }

    /// The maximum number of shown records if only positions identify the records of a table.
    static let mostPositions = 10_000

    func count(_ list: RecordList) throws(DatabaseError) -> RecordCount {
        let total = try total(list)
        guard !list.own.conditions.isEmpty else { return total }
        guard let (arranged, _) = try ownArrangement(of: list) else {
            return RecordCount(number: total.number, isEstimate: true)
        }
        return RecordCount(number: arranged.count, isEstimate: false)
    }

    /// Returns the number of records, including records that do not meet the list's own conditions.
    func total(_ list: RecordList) throws(DatabaseError) -> RecordCount {
        let found = try database.count(list, upTo: mostCounted)
        guard list.table.isPositional else { return found }
        return RecordCount(number: min(found.number, Self.mostPositions), isEstimate: false)
    }

    private var mostCounted: Int { max(rows.options.arrangedRows, 100_000) }

    /// Returns the number of records in a positional list, if they were counted in the present state.
    func counted(_ list: RecordList) throws(DatabaseError) -> RecordCount? {
        try database.known.count(list.name("\(mostCounted)")) == nil ? nil : total(list)
    }

    /// Keeps the number of records that were read.
    func keep(count: Int, of list: RecordList) throws(DatabaseError) {
        try database.known.keep(RecordCount(number: count, isEstimate: false), as: list.name("\(mostCounted)"))
    }
}

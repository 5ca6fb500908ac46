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
    /// The rows that were found. The level that contains an item's own row identifies the item.
    private var found: [FoundRow] = []

    init(rows: TableRows, while isWanted: @escaping @Sendable () -> Bool = { true }) throws(DatabaseError) {
        (self.rows, self.isWanted, deadline) = (rows, isWanted, .now + rows.options.timeout)
        let database = try rows.pool.take()
        database.prefix = rows.prefix.dropFirst().map { Array($0.level.key($0.row).utf8) }
        try database.begin(until: deadline, while: isWanted)
        taken = database
    }

    deinit { end() }

    func end() {
        found = []
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

    // MARK: Requests

    func find(_ path: ItemPath) throws(RowRefusal) -> Item.Lookup {
        self.path = path
        return try inPresentSchema { try lookup(path) }
    }

    func page(_ query: RowQuery, below item: Item) throws(RowRefusal) -> RowPage {
        if let outline = query.outline {
            throw RowRefusal(
                parameter: outline.isDepthAsked ? "depth" : "expand",
                sentence: "The rows of a database have no outline; follow their links.")
        }
        return try inPresentSchema { try row(of: item).below.page(query) }
    }

    func detail(of item: Item) throws(RowRefusal) -> ItemDetail {
        try inPresentSchema {
            let row = try row(of: item)
            let children = try row.below.ends()
            return try row.detail(Item(steps: item.steps, count: children.count), children)
        }
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

    /// Begins to read the present state after the database has refused a statement, and forgets the rows that were
    /// found. Returns whether the schema differs.
    private func hasNewSchema(after error: DatabaseError) throws(DatabaseError) -> Bool {
        guard error.kind == .refused, let taken else { return false }
        let schema = taken.schema
        taken.end()
        try taken.begin(until: deadline, while: isWanted)
        found = []
        return taken.schema != schema
    }

    // MARK: Rows

    private func lookup(_ path: ItemPath) throws -> Item.Lookup {
        var steps = rows.prefix.isEmpty ? [try Item.Step(key: [], title: rows.title)] : rows.prefix
        if rows.options.reference != nil, let refusal = try catalogue.refusal {
            throw DatabaseError(kind: .other, reason: refusal)
        }
        var row = try root(steps[steps.count - 1])
        for number in (steps.count - 1)..<max(steps.count - 1, path.count) {
            guard steps.count <= TreeLimits().depth,
                let next = try row.below.find(
                    path.writtenKey(number), key: path.key(number), isWhole: number == path.count - 1)
            else {
                found.append(row)
                return .missing(nearest: Item(steps: steps, count: 0), keyNumber: number)
            }
            steps.append(next.step)
            row = next
        }
        found.append(row)
        return .found(Item(steps: steps, count: try row.below.count()))
    }

    /// Returns the row of the database, or of the item of a document that shows it.
    private func root(_ step: Item.Step) throws -> FoundRow {
        let (database, prefix) = (try database, rows.prefix)
        let below: any TableLevel =
            try catalogue.shown.map { try DrilledValues.level(of: catalogue.list(ofTable: $0.table), in: database) }
            ?? AllTables(database: database)
        return FoundRow(step: step, below: below) { item, children in
            guard let document = prefix.first else {
                return ItemDetail(
                    item: item, position: 0, of: 1, previous: nil, next: nil, children: children)
            }
            // The document supplies the item's position and neighbours.
            let own = TreeRows(document: document.level, arrangements: ArrangementCache(bytes: 0))
                .detail(of: item)
            return ItemDetail(
                item: item, position: own.position, of: own.count, section: own.section, previous: own.previous,
                next: own.next, children: children)
        }
    }

    /// Returns the row of an item that `find` has returned.
    private func row(of item: Item) throws -> FoundRow {
        if let known = found.last(where: { $0.step.level === item.own.level }) { return known }
        // Another program has changed the schema.
        guard let path, case .found = try lookup(path), let row = found.last else {
            throw DatabaseError(kind: .refused, reason: "the item is gone")
        }
        return row
    }
}

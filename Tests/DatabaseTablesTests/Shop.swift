import Bytes
import DatabaseTrees
import Levels
import TestSources
import Testing

@testable import DatabaseTables
@testable import DatabaseTrees
@testable import TestSupport

/// Returns the item at a path; nil if nothing is found there.
func item(_ path: String, in source: any RowSource) throws -> Item? {
    guard case .found(let item) = try source.find(try ItemPath(path.utf8Span.span)) else { return nil }
    return item
}

/// A database of a test's own, of which the test is the other program that changes it.
struct ChangedDatabase {
    let place: TablesPlace
    /// The address of a database in PostgreSQL.
    let address: String
    private let run: (String) throws -> Void
    private let scratch: ScratchFolder?

    private init(
        place: TablesPlace, address: String = "", run: @escaping (String) throws -> Void, scratch: ScratchFolder?
    ) {
        (self.place, self.address, self.run, self.scratch) = (place, address, run, scratch)
    }

    static func sqlite() throws -> ChangedDatabase {
        let scratch = try ScratchFolder()
        let path = scratch("Changed.db")
        return ChangedDatabase(
            place: .file(path), run: { try SQLiteConnection(path: path, for: .create).execute($0) }, scratch: scratch)
    }

    static func postgres() throws -> ChangedDatabase {
        let server = try PostgresServer.shared.get()
        let name = "changed\(UInt64.random(in: 0...UInt64.max))"
        func connection(_ database: String) throws -> PostgresConnection {
            try PostgresConnection([("host", server.folder), ("user", "drilldown"), ("dbname", database)])
        }
        try connection("postgres").run("CREATE DATABASE \(name)")
        let address = "postgres://drilldown@/\(name)?host=\(server.folder)"
        return ChangedDatabase(
            place: .postgres(try PostgresDatabase(address, passwordFile: nil)), address: address,
            run: { try connection(name).run($0) },
            scratch: nil)
    }

    func change(_ sql: String) throws { try run(sql) }

    func rows(arranged: Int = 1_000_000, trees: [String: String] = [:]) -> TableRows {
        var options = TableRows.Options()
        (options.arrangedRows, options.treeColumns, options.timeout) = (arranged, trees, .seconds(60))
        return TableRows(place, options: options)
    }
}

/// The first page of a level, as one answer: the keys of its rows and their fields, such as `7 size=1`.
func page(_ path: String, by query: RowQuery = RowQuery(), in rows: TableRows) throws -> [String] {
    let reading = try rows.begin()
    defer { reading.end() }
    return try page(path, by: query, in: reading)
}

func page(_ path: String, by query: RowQuery, in reading: any RowSource) throws -> [String] {
    guard let item = try item(path, in: reading) else { return ["nothing"] }
    var found: [String] = []
    try reading.page(query, below: item).forEachRow { found.append(String(utf8: $0.key)) }
    return found
}

extension RowQuery {
    /// A query from the texts of the query options of the same names.
    init(where conditions: String..., sort: String? = nil, group: String? = nil, limit: Int? = nil) throws {
        self.init()
        self.conditions = try conditions.map { try #require(RowCondition($0)) }
        order.sort = try sort.map { try RowOrder($0) }
        order.group = group.map { RowGrouping($0) }
        page.limit = limit
    }
}

import Bytes
import DatabaseTrees
import Levels
import TestSources
import Testing
import TreeSources

@testable import DatabaseTables
@testable import DatabaseTrees
@testable import TestSupport

/// Tables in a database of one kind. Both kinds understand the statements.
struct TestedTables {
    enum Kind: CaseIterable { case sqlite, postgres }

    private let place: TablesPlace
    /// The address of a database in PostgreSQL; otherwise empty.
    let address: String
    /// Runs a statement, as another program does.
    let change: (_ sql: String) throws -> Void

    init(_ kind: Kind, in scratch: ScratchFolder, _ sql: String) throws {
        switch kind {
        case .sqlite:
            let path = scratch("Tested.db")
            (place, address) = (.file(path), "")
            change = { try SQLiteConnection(path: path, for: .create).execute($0) }
        case .postgres:
            let server = try PostgresServer.shared.get()
            let name = "tested\(UInt64.random(in: 0...UInt64.max))"
            func connection(_ database: String) throws -> PostgresConnection {
                try PostgresConnection([("host", server.folder), ("user", "drilldown"), ("dbname", database)])
            }
            try connection("postgres").run("CREATE DATABASE \(name)")
            address = "postgres://drilldown@/\(name)?host=\(server.folder)"
            place = .postgres(try PostgresDatabase(address, passwordFile: nil))
            change = { try connection(name).run($0) }
        }
        try change(sql)
    }

    func rows(arranged: Int = 1_000_000, _ change: (inout TableRows.Options) -> Void = { _ in }) -> TableRows {
        var options = TableRows.Options()
        options.arrangedRows = arranged
        options.timeout = .seconds(60)
        change(&options)
        return TableRows(place, options: options)
    }
}

extension TableRows {
    /// One reading of the database.
    func read<Value>(_ path: String, _ body: (TableReading, Item) throws -> Value) throws -> Value {
        let reading = try begin()
        defer { reading.end() }
        return try body(try #require(reading as? TableReading), try #require(try item(path, in: reading)))
    }

    /// The first page of a level.
    func page(_ path: String, _ change: (inout RowQuery) throws -> Void = { _ in }) throws -> RowPage {
        var query = RowQuery()
        try change(&query)
        return try read(path) { try $0.page(query, below: $1) }
    }

    /// The keys of the first page of a level, with the numbers of rows below; an estimate is marked with `~`.
    func keys(_ path: String, _ change: (inout RowQuery) throws -> Void = { _ in }) throws -> [String] {
        var keys: [String] = []
        try page(path, change).forEachRow {
            keys.append("\(String(utf8: $0.key)) \($0.isEstimate ? "~" : "")\($0.count)")
        }
        return keys
    }
}

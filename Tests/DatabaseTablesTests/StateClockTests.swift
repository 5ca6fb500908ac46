import DatabaseTrees
import Glibc
import Testing

@testable import DatabaseTables
@testable import TestSupport

@Suite("The clock of the states of a database") struct StateClockTests {
    private let scratch: ScratchFolder
    private let pool: ConnectionPool

    init() throws {
        scratch = try ScratchFolder()
        pool = TableRows(path: scratch("Shop.db"), options: TableRows.Options()).pool
        try commit("CREATE TABLE Thing (Id INTEGER PRIMARY KEY)")
    }

    private func commit(_ sql: String, to file: String = "Shop.db") throws {
        try SQLiteConnection(path: scratch(file), for: .create).execute(sql)
    }

    /// Sets the state that a connection reads next.
    private func known(_ database: OpenDatabase) throws -> KnownState {
        try database.begin(until: .now + .seconds(60))
        defer { database.end() }
        return database.known
    }

    @Test("shows all connections the same state until a commit", arguments: ["DELETE", "WAL"])
    func shared(journal: String) throws {
        try commit("PRAGMA journal_mode = \(journal)")
        let (first, second) = (try pool.take(), try pool.take())
        let before = try known(first)
        #expect(try known(second) === before)
        #expect(try known(first) === before)
        try commit("INSERT INTO Thing VALUES (1)")
        let after = try known(second)
        #expect(after !== before)
        #expect(try known(first) === after)
        #expect(try known(pool.take()) === after)
    }

    @Test("keeps the state of a connection that began before a commit apart from the newer one")
    func older() throws {
        try commit("PRAGMA journal_mode = WAL")
        let (first, second) = (try pool.take(), try pool.take())
        try first.begin(until: .now + .seconds(60))
        defer { first.end() }
        try commit("INSERT INTO Thing VALUES (1)")
        let newer = try known(second)
        #expect(first.known !== newer)
        let list = RecordList(try #require(first.catalogue.tables.first))
        #expect(try first.count(list, upTo: 10) == RecordCount(number: 0, isEstimate: false))
        #expect(try known(second) === newer)
        try second.begin(until: .now + .seconds(60))
        defer { second.end() }
        #expect(try second.count(list, upTo: 10) == RecordCount(number: 1, isEstimate: false))
    }

    @Test("shows another state after the file was replaced")
    func replaced() throws {
        let first = try pool.take()
        let before = try known(first)
        try commit("CREATE TABLE Other (Id INTEGER PRIMARY KEY)", to: "New.db")
        let failure = unsafe rename(scratch("New.db"), scratch("Shop.db"))
        #expect(failure == 0)
        let second = try pool.take()
        let after = try known(second)
        #expect(after !== before)
        #expect(second.catalogue.tables.map(\.name) == ["Other"])
        #expect(try known(second) === after)
    }
}

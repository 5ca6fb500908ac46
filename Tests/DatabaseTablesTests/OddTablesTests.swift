import Bytes
import DatabaseTrees
import Levels
import Testing
import TreeSources

@testable import DatabaseTables
@testable import TestSupport

/// Tables with texts that are not in the usual order, page by page.
@Suite("Odd tables of a SQLite file") struct OddTablesTests {
    private let scratch: ScratchFolder
    private let path: String

    init() throws {
        scratch = try ScratchFolder()
        path = scratch("Odd.db")
    }

    private func change(_ sql: String) throws {
        try SQLiteConnection(path: path, for: .create).execute(sql)
    }

    /// The keys of a table's records, one record a page, at most 20 pages.
    private func keys(
        _ table: String, by change: (inout RowQuery) throws -> Void = { _ in }, arranged: Int = 1
    ) throws -> [String] {
        var options = TableRows.Options()
        options.arrangedRows = arranged
        let rows = TableRows(path: path, options: options)
        var query = RowQuery()
        query.page.limit = 1
        try change(&query)
        var keys: [String] = []
        for _ in 0..<20 {
            let reading = try rows.begin()
            defer { reading.end() }
            let item = try #require(try item(table, in: reading))
            let page = try reading.page(query, below: item)
            page.forEachRow { keys.append(String(utf8: $0.key)) }
            guard page.next != nil else { break }
            (query.page.after, query.page.start) = (page.next, nil)
        }
        return keys
    }

    private func addWords(_ names: String) throws {
        try change(
            """
            CREATE TABLE Word (Id INTEGER PRIMARY KEY, Name); CREATE INDEX Word_Name ON Word (Name, Id);
            INSERT INTO Word (Name) VALUES \(names);
            """)
    }

    @Test("have sections by first letters with all numbers, empty texts, data and NULL")
    func initials() throws {
        try addWords("(1), (2), (''), (''), ('abc'), ('xyz'), ('éa'), ('?x'), (x'01'), (x'02'), (NULL), (NULL)")
        #expect(
            try keys("/Word", by: { $0.order.group = .initial })
                == ["5", "7", "6", "1", "2", "3", "4", "8", "9", "10", "11", "12"])
    }

    @Test(
        "have sections by first letters with texts that are not UTF-8",
        arguments: [
            ("FF41", ["1", "2", "3", "4", "5"]), ("8041", ["1", "2", "3", "4", "5"]),
            ("C341", ["1", "2", "3", "4", "5"]), ("C3A9FF", ["1", "2", "3", "5", "4"]),
            ("F48FBFBF", ["1", "2", "3", "4", "5"]),
        ])
    func invalidInitials(bytes: String, keys: [String]) throws {
        try addWords("('a'), ('b'), ('é'), ('z'), (CAST(x'\(bytes)' AS TEXT))")
        #expect(try self.keys("/Word", by: { $0.order.group = .initial }) == keys)
    }

    @Test(
        "have all records on their pages if only the column of the key ignores case",
        arguments: [
            "CREATE TABLE Note (A TEXT NOT NULL COLLATE NOCASE); CREATE UNIQUE INDEX Note_A ON Note (A COLLATE BINARY)",
            "CREATE TABLE Note (A TEXT NOT NULL COLLATE NOCASE, PRIMARY KEY (A COLLATE BINARY))",
            "CREATE TABLE Note (A TEXT NOT NULL COLLATE NOCASE, PRIMARY KEY (A COLLATE BINARY)) WITHOUT ROWID",
        ])
    func collations(table: String) throws {
        try change("\(table); INSERT INTO Note VALUES ('a'), ('A'), ('b'), ('B')")
        #expect(try keys("/Note") == ["A", "B", "a", "b"])
        #expect(try keys("/Note", arranged: 100) == ["A", "B", "a", "b"])
    }
}

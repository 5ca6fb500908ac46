import DatabaseTrees
import Levels
import Testing

@testable import DatabaseTables

/// Numbers from requests, cursors and statistics at the ends of their ranges, in both databases.
@Suite("Extreme numbers") struct ExtremeNumberTests {
    static let databases: [@Sendable () throws -> ChangedDatabase] = [
        ChangedDatabase.sqlite, ChangedDatabase.postgres,
    ]

    /// A table of 400 records, of which many have equal values in the column `a`.
    private func large(_ database: ChangedDatabase) throws {
        let numbers = "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 400)"
        try database.change(
            """
            CREATE TABLE t (id integer PRIMARY KEY, a integer, price numeric, boss integer REFERENCES t);
            INSERT INTO t \(numbers) SELECT i, i % 3, i, CASE WHEN i > 1 THEN 1 END FROM n;
            CREATE INDEX t_a ON t (a, id); CREATE INDEX t_price ON t (price, id); CREATE INDEX t_boss ON t (boss);
            """)
    }

    @Test("are no offsets of rows", arguments: [-1, Int.min, 1 << 53, Int.max])
    func offsets(number: Int) {
        #expect(RowOffset(number) == nil)
        #expect(RowOffset(clamping: number).number == (number < 0 ? 0 : (1 << 53) - 1))
        #expect(RowOffset(RowOffset.largest)?.number == (1 << 53) - 1)
    }

    @Test("as the start of a page lead to an empty page", arguments: databases.indices)
    func starts(number: Int) throws {
        let database = try Self.databases[number]()
        try large(database)
        for (rows, path) in [
            (database.rows(), "/t"), (database.rows(arranged: 1), "/t"),
            (database.rows(arranged: 1, trees: ["t": "boss"]), "/t/1"),
        ] {
            for query in [
                try RowQuery(limit: 10_000), try RowQuery(sort: "-a"), try RowQuery(group: "a"),
                try RowQuery(where: "a:1"),
            ] where path == "/t" || query.order == ListingOrder() && query.conditions.isEmpty {
                var query = query
                query.page.start = RowOffset(RowOffset.largest)
                #expect(try page(path, by: query, in: rows) == [])
            }
        }
    }

    @Test("in a cursor make it a cursor of another list", arguments: databases.indices)
    func cursors(number: Int) throws {
        let database = try Self.databases[number]()
        try large(database)
        let rows = database.rows(arranged: 1)
        for query in [
            try RowQuery(limit: 3), try RowQuery(sort: "-a", limit: 3), try RowQuery(group: "a", limit: 3),
            try RowQuery(where: "a:1", limit: 3),
        ] {
            var query = query
            let reading = try rows.begin()
            defer { reading.end() }
            let table = try #require(try item("/t", in: reading))
            guard case .supplied(let bytes)? = try reading.page(query, below: table).next,
                let cursor = PageCursor(bytes)
            else {
                Issue.record("a page has no cursor")
                continue
            }
            func altered(position: Int, row: Int, values: [DatabaseValue]? = nil) -> RowBookmark {
                PageCursor(
                    shape: cursor.shape, position: position, row: row, values: values ?? cursor.values,
                    mark: cursor.mark
                ).bookmark
            }
            // So many values belong to another key.
            let values = query.order.group == nil ? cursor.values + [.integer(1)] : []
            for bookmark in [
                altered(position: Int.max, row: 0), altered(position: 0, row: Int.max),
                altered(position: 1 << 53, row: 1 << 53), altered(position: 3, row: 0, values: values),
            ] {
                query.page.after = bookmark
                let refusal = try #require(throws: RowRefusal.self) { try reading.page(query, below: table) }
                #expect(
                    refusal
                        == RowRefusal(
                            parameter: "after",
                            sentence: "The cursor is one of another list; follow the link 'next' of a page."))
            }
            // The values of the cursor lead to the same rows, whatever its position is.
            query.page.after = .supplied(bytes)
            let next = try page("/t", by: query, in: reading)
            query.page.after = altered(position: RowOffset.largest, row: RowOffset.largest)
            #expect(try page("/t", by: query, in: reading) == next)
        }
    }

    @Test("in a condition compare as numbers of their size", arguments: databases.indices)
    func conditions(number: Int) throws {
        let database = try Self.databases[number]()
        try large(database)
        let (small, large) = (database.rows(), database.rows(arranged: 1))
        for column in ["a", "price"] {
            for value in [
                "10e9223372036854775807", "-10e9223372036854775807", "1e-9223372036854775808", "5.5", "-0.5", "1e400",
                "9223372036854775807", "9223372036854775808", "-9223372036854775809", "99999999999", "00", "1.",
                String(repeating: "9", count: 4_000),
            ] {
                for sign in [":", "<", "<=", ">", ">="] {
                    var query = try RowQuery(where: column + sign + value, limit: 1)
                    query.page.limit = 400
                    let wanted = try page("/t", by: query, in: small)
                    #expect(try page("/t", by: query, in: large).count == wanted.count, "\(column)\(sign)\(value)")
                }
            }
        }
    }

    @Test(
        "of sections do not exceed those of the records if a table is grouped by its key", arguments: databases.indices)
    func groups(number: Int) throws {
        let database = try Self.databases[number]()
        try large(database)
        let rows = database.rows(arranged: 1)
        var query = try RowQuery(group: "id", limit: 399)
        let reading = try rows.begin()
        defer { reading.end() }
        let table = try #require(try item("/t", in: reading))
        let first = try reading.page(query, below: table)
        #expect((first.numbers.count, first.sections.count, first.count) == (399, 400, 400))
        query.page.after = first.next
        #expect(try page("/t", by: query, in: reading) == ["400"])
    }

    @Test("in the statistics of SQLite are an estimate within the offsets")
    func statistics() throws {
        let database = try ChangedDatabase.sqlite()
        try database.change(
            """
            CREATE TABLE t (id INTEGER PRIMARY KEY, name TEXT);
            INSERT INTO t VALUES (9223372036854775807, 'last'), (-9223372036854775808, 'first'), (0, NULL);
            """)
        func count() throws -> Int? {
            let reading = try database.rows(arranged: 1).begin()
            defer { reading.end() }
            let list = RecordList(Table(name: "t", columns: []))
            let connection = try (reading as? TableReading)?.database.connection
            var table = list.table
            table.rowID = "rowid"
            return try connection.map { RecordCount(number: try $0.estimate(table), isEstimate: true).number }
        }
        #expect(try count() == RowOffset.largest)
        #expect(try page("/t", in: database.rows()) == ["-9223372036854775808", "0", "9223372036854775807"])
        for stat in ["99999999999999999999999", "-5", "nan", "inf"] {
            try database.change("ANALYZE; UPDATE sqlite_stat1 SET stat = '\(stat)' WHERE tbl = 't'")
            let estimate = try #require(try count())
            #expect((0...RowOffset.largest).contains(estimate), "\(stat)")
        }
    }

    @Test(
        "that are NaN or infinite compare in conditions as in a small table", arguments: ["numeric", "float8", "real"])
    func notNumbers(type: String) throws {
        let database = try ChangedDatabase.postgres()
        let infinite = type == "numeric" ? "1e400" : "'Infinity'"
        try database.change(
            """
            CREATE TABLE t (id int PRIMARY KEY, n \(type)); CREATE INDEX t_n ON t (n, id);
            INSERT INTO t SELECT i, i FROM generate_series(1, 100) i; INSERT INTO t VALUES (101, 'NaN'), (102, \(infinite));
            """)
        for condition in ["n>98", "n>=98", "n<3", "n>1e30", "n:98"] {
            let query = try RowQuery(where: condition)
            #expect(
                try page("/t", by: query, in: database.rows(arranged: 1)) == page("/t", by: query, in: database.rows()),
                "\(condition)")
        }
        #expect(try page("/t", by: RowQuery(where: "n>98"), in: database.rows()) == ["99", "100", "102"])
    }

    @Test("in the statistics of PostgreSQL lead to no refusal", arguments: ["'nan'", "'inf'", "-7", "-1", "3e38"])
    func pages(number: String) throws {
        let database = try ChangedDatabase.postgres()
        try large(database)
        try database.change("ANALYZE t; UPDATE pg_class SET reltuples = \(number) WHERE relname = 't'")
        #expect(try page("", in: database.rows(arranged: 1)) == ["t"])
        #expect(try page("/t", by: RowQuery(limit: 2), in: database.rows(arranged: 1)) == ["1", "2"])
    }
}

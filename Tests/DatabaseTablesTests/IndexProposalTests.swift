import Bytes
import DatabaseTrees
import Levels
import Testing

@testable import DatabaseTables

/// Each statement of a refusal is run by another program; the same request is then answered.
@Suite("A proposed index") struct IndexProposalTests {
    /// A column, its values as an expression of the number `i` from 1 to 300, and values of conditions.
    struct Typed: Sendable, CustomTestStringConvertible {
        let type, value: String
        let asked: [String]
        /// Whether an index can contain the values; if not, no statement is proposed.
        var isOrdered = true
        /// Whether an index can serve a condition on the values.
        var isCompared = true

        var testDescription: String { type }

        /// Whether the values are numbers or dates.
        var isMeasure: Bool { asked.contains("5.5") && !type.isEmpty || asked.contains("yesterday") }
    }

    static let numbers = ["7", "5.5", "1e30", "-1e30", "99999999999", "9223372036854775808", "x", ""]
    static let dates = [
        "2001-01-07", "2001-01-07T00:00:00Z", "2001-01-07T02:00:00+02:00", "2001-01-07T00:00:00.5Z", "1850-01-01",
        "yesterday", "x",
    ]

    static let postgres: [Typed] = [
        Typed(type: "int2", value: "i % 40", asked: numbers), Typed(type: "int4", value: "i % 40", asked: numbers),
        Typed(type: "int8", value: "(i % 40) * 1000000000000", asked: numbers + ["7000000000000"]),
        Typed(type: "float4", value: "(i % 40) / 10.0", asked: numbers + ["0.1", "1e39"]),
        Typed(type: "float8", value: "(i % 40) / 10.0", asked: numbers + ["0.1"]),
        Typed(type: "numeric", value: "(i % 40) / 10.0", asked: numbers + ["0.1", "1e999999"]),
        Typed(type: "bool", value: "i % 20 = 0", asked: ["true", "false", "t", "1"]),
        Typed(type: "text", value: "'v' || i % 40", asked: ["v7", "V7", "7", "é", ""]),
        Typed(type: "varchar(9)", value: "'v' || i % 40", asked: ["v7", "x"]),
        Typed(type: "date", value: "date '2001-01-01' + i % 40", asked: dates),
        Typed(type: "timestamp", value: "timestamp '2001-01-01' + i % 40 * interval '1 day'", asked: dates),
        Typed(type: "timestamptz", value: "timestamptz '2001-01-01' + i % 40 * interval '1 day'", asked: dates),
        Typed(
            type: "uuid", value: "('00000000-0000-0000-0000-0000000000' || (10 + i % 40))::uuid",
            asked: ["00000000-0000-0000-0000-000000000017", "00000000-0000-0000-0000-00000000000A", "x"]),
        Typed(type: "mood", value: "CASE i % 40 WHEN 7 THEN 'glad' ELSE 'sad' END::mood", asked: ["glad", "x"]),
        Typed(type: "small", value: "i % 40", asked: ["7", "5.5"]),
        Typed(type: "bytea", value: "int4send(i % 40)", asked: ["7", "x"]),
        Typed(type: "int4[]", value: "ARRAY[i % 40]", asked: ["7"], isCompared: false),
        Typed(type: "jsonb", value: "to_jsonb(i % 40)", asked: ["7"], isCompared: false),
        Typed(type: "json", value: "to_json(i % 40)", asked: ["7"], isOrdered: false),
        Typed(type: "pair", value: "ROW(i % 40, 'x')::pair", asked: ["7"], isOrdered: false),
        Typed(type: "point", value: "point(i, i)", asked: ["7"], isOrdered: false),
        Typed(type: "tsvector", value: "to_tsvector('v' || i % 40)", asked: ["'a", "x"]),
    ]

    static let sqlite: [Typed] = [
        Typed(type: "INTEGER", value: "i % 40", asked: numbers),
        Typed(type: "REAL", value: "(i % 40) / 10.0", asked: numbers),
        Typed(type: "NUMERIC", value: "(i % 40) / 10.0", asked: numbers + ["0.1"]),
        Typed(type: "TEXT", value: "'v' || (i % 40)", asked: ["v7", "V7", "é", ""]),
        Typed(type: "TEXT COLLATE NOCASE", value: "'v' || (i % 40)", asked: ["v7", "V7"]),
        Typed(type: "", value: "i % 40", asked: ["7", "5.5", "x"]),
        Typed(type: "BLOB", value: "CAST(i % 40 AS BLOB)", asked: ["7"]),
        Typed(type: "DATE", value: "'2001-01-' || (10 + i % 20)", asked: ["2001-01-17", "x"]),
    ]

    @Test("helps the request that was refused for it, in PostgreSQL", arguments: postgres)
    func inPostgres(column: Typed) throws {
        let database = try ChangedDatabase.postgres()
        try database.change(
            """
            CREATE TYPE mood AS ENUM ('sad', 'glad'); CREATE DOMAIN small AS int2; CREATE TYPE pair AS (a int, b text);
            CREATE TABLE big (id int PRIMARY KEY, c \(column.type), o int, s int, n text);
            INSERT INTO big SELECT i, CASE WHEN i % 11 > 0 THEN \(column.value) END, i % 5, i % 50, 'n' || i
              FROM generate_series(1, 300) i
            """)
        try proveAll(column, in: database)
    }

    @Test("helps the request that was refused for it, in SQLite", arguments: sqlite)
    func inSQLite(column: Typed) throws {
        let database = try ChangedDatabase.sqlite()
        try database.change(
            """
            CREATE TABLE big (id INTEGER PRIMARY KEY, c \(column.type), o INTEGER, s INTEGER, n TEXT);
            WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 300)
            INSERT INTO big SELECT i, CASE WHEN i % 11 > 0 THEN \(column.value) END, i % 5, i % 50, 'n' || i FROM n
            """)
        try proveAll(column, in: database)
    }

    private func proveAll(_ column: Typed, in database: ChangedDatabase) throws {
        let (small, large) = (database.rows(), database.rows(arranged: 30))
        var queries = [
            try RowQuery(sort: "c"), try RowQuery(sort: "-c"), try RowQuery(sort: "o,c"), try RowQuery(sort: "-o,c"),
            try RowQuery(sort: "c,-o"), try RowQuery(group: "c"), try RowQuery(sort: "-o", group: "c"),
            try RowQuery(where: "o:3", sort: "c"),
        ]
        if column.isOrdered { queries.append(try RowQuery(where: "o>1", sort: "c")) }
        for sign in [":", "<", ">"] {
            queries += try column.asked.map { try RowQuery(where: "c\(sign)\($0)") }
            let condition = "c\(sign)\(column.asked[0])"
            queries += [
                try RowQuery(where: condition, sort: "-c"), try RowQuery(where: condition, sort: "o"),
                try RowQuery(where: "s:3", condition),
            ]
        }
        for query in queries {
            guard let found = try answered(query, in: large, of: database, isOrdered: column.isOrdered) else {
                continue
            }
            let isOnColumn = !query.conditions.isEmpty && query.conditions.allSatisfy { $0.field == RowField("c") }
            #expect(!isOnColumn || column.isOrdered && column.isCompared, "\(query)")
            // Texts compare as in the index, numbers and dates as in a document.
            if column.isOrdered, query.conditions.allSatisfy({ $0.relation == .equal || column.isMeasure }) {
                let wanted = try all(query, in: small)
                #expect(Set(found) == Set(wanted), "\(query)")
            }
        }
        for sign in ["~", "!"] {
            let query = try RowQuery(where: "n\(sign)n2")
            let refusal = try #require(throws: RowRefusal.self) { try all(query, in: large) }
            #expect(refusal.kind == .needsIndex(create: nil), "\(query)")
        }
    }

    /// The keys of all pages, perhaps after the statement of a refusal was run; nil if no index would help.
    private func answered(
        _ query: RowQuery, in rows: TableRows, of database: ChangedDatabase, isOrdered: Bool = true,
        at path: String = "/big"
    ) throws -> [String]? {
        do { return try all(query, in: rows, at: path) } catch let refusal as RowRefusal {
            guard case .needsIndex(let create) = refusal.kind else { throw refusal }
            guard let create else { return nil }
            #expect(isOrdered || !create.contains("\"c\""), "\(create)")
            try database.change(create)
            return try all(query, in: rows, at: path)
        }
    }

    private func all(_ query: RowQuery, in rows: TableRows, at path: String = "/big") throws -> [String] {
        var query = query
        query.page.limit = 100
        var keys: [String] = []
        repeat {
            let reading = try rows.begin()
            defer { reading.end() }
            let found = try reading.page(query, below: try #require(try item(path, in: reading)))
            found.forEachRow { keys.append(String(utf8: $0.key)) }
            query.page.after = found.next
        } while query.page.after != nil && keys.count <= 300
        #expect(Set(keys).count == keys.count, "\(query)")
        return keys
    }

    @Test("helps the records below a record, too", arguments: ExtremeNumberTests.databases.indices)
    func below(number: Int) throws {
        let database = try ExtremeNumberTests.databases[number]()
        let numbers = "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 400)"
        try database.change(
            """
            CREATE TABLE maker (id integer PRIMARY KEY); INSERT INTO maker VALUES (1), (2);
            CREATE TABLE piano (id integer PRIMARY KEY, maker integer REFERENCES maker, price integer, built integer);
            INSERT INTO piano \(numbers) SELECT i, 1 + i % 2, i % 7, i % 5 FROM n;
            CREATE TABLE part (id integer PRIMARY KEY, whole integer REFERENCES part, size integer);
            INSERT INTO part \(numbers) SELECT i, CASE WHEN i > 200 THEN 1 END, i % 7 FROM n;
            """)
        let rows = database.rows(arranged: 30, trees: ["part": "whole"])
        for query in [
            try RowQuery(sort: "price"), try RowQuery(sort: "-price,built"), try RowQuery(group: "built"),
            try RowQuery(sort: "built", group: "price"), try RowQuery(where: "price:3"),
            try RowQuery(where: "built:3", sort: "-price"), try RowQuery(where: "price>2"),
        ] {
            let found = try #require(try answered(query, in: rows, of: database, at: "/maker/1/piano"), "\(query)")
            #expect(found.count == (query.conditions.isEmpty ? 200 : found.count) && !found.isEmpty, "\(query)")
        }
        for query in [try RowQuery(sort: "size"), try RowQuery(sort: "-size"), try RowQuery(where: "size:3")] {
            #expect(try answered(query, in: rows, of: database, at: "/part/1") != nil, "\(query)")
            // In PostgreSQL, no index gives records with NULL in another order.
            let first = try answered(query, in: rows, of: database, at: "/part")
            if case .file = database.place { #expect(first != nil, "\(query)") }
        }
    }

    @Test("is proposed for each request that an index can serve", arguments: ["c", "d"])
    func proposals(column: String) throws {
        let database = try ChangedDatabase.postgres()
        try database.change(
            """
            CREATE TABLE big (id int PRIMARY KEY, c timestamptz, d uuid);
            INSERT INTO big SELECT i, timestamptz '2001-01-01' + i * interval '1 day', gen_random_uuid()
              FROM generate_series(1, 300) i;
            """)
        let rows = database.rows(arranged: 30)
        func create(_ query: RowQuery) throws -> String? {
            let refusal = try #require(throws: RowRefusal.self) { try all(query, in: rows) }
            guard case .needsIndex(let create) = refusal.kind else { return "another refusal" }
            return create
        }
        let wanted = #"CREATE INDEX "big_\#(column)" ON "public"."big" ("\#(column)", "id")"#
        #expect(try create(RowQuery(sort: column)) == wanted)
        #expect(try create(RowQuery(group: column)) == wanted)
        #expect(try create(RowQuery(where: "\(column)>2001-01-07")) == wanted)
        // The name is another one if it is taken.
        try database.change("CREATE TABLE big_\(column) (id int PRIMARY KEY)")
        #expect(
            try create(RowQuery(sort: column))
                == #"CREATE INDEX "big_\#(column)_2" ON "public"."big" ("\#(column)", "id")"#)
    }

    @Test("is not proposed because an earlier look at a plan was cancelled")
    func cancelled() throws {
        let database = try ChangedDatabase.postgres()
        try database.change(
            """
            CREATE TABLE big (id int PRIMARY KEY, c int); CREATE INDEX ON big (c, id);
            INSERT INTO big VALUES (1, 3), (2, 2), (3, 1)
            """)
        let reading = try database.rows(arranged: 1).begin()
        defer { reading.end() }
        // A cancellation between two statements leaves the first.
        try (reading as? TableReading)?.database.connection.rows("PREPARE drilldown_plan AS SELECT 1") { _ in }
        #expect(try page("/big", by: RowQuery(sort: "c"), in: reading) == ["3", "2", "1"])
    }

    @Test("is proposed for statements of which a fault is not taken for a value that no record has")
    func faults() throws {
        let reader = try PostgresReader(
            PostgresDatabase(try ChangedDatabase.postgres().address, passwordFile: nil), timeout: .seconds(60))
        _ = try reader.begin()
        #expect(try reader.first("SELECT 1 WHERE 'a'::tsvector = \(text: "'a")") == nil)
        let fault = #expect(throws: DatabaseError.self) { try reader.first("SELECT 1 FROM WHERE 1 = \(1)") }
        #expect(fault?.kind == .refused)
        reader.end()
        _ = try reader.begin()
        // The row may be the last one, after which the statement ends without a fault of its own.
        let own = #expect(throws: DatabaseError.self) {
            try reader.rows("SELECT 1") { _ throws(DatabaseError) in throw DatabaseError(kind: .other, reason: "own") }
        }
        #expect(own?.reason == "own")
    }

    @Test("is not proposed for a view")
    func views() throws {
        let database = try ChangedDatabase.sqlite()
        try database.change("CREATE TABLE t (id INTEGER PRIMARY KEY); CREATE VIEW v AS SELECT id FROM t")
        try database.change("CREATE INDEX t_id ON t (id) WHERE id > 5")
        let reading = try database.rows().begin()
        defer { reading.end() }
        let open = try #require(try (reading as? TableReading)?.database)
        for (number, wanted) in [#"CREATE INDEX "t_id_2" ON "t" ("id")"#, nil].enumerated() {
            let table = open.catalogue.tables[number]
            #expect(try open.creatingIndex(on: table, by: [table.term(0, isDescending: false)]) == wanted)
        }
    }
}

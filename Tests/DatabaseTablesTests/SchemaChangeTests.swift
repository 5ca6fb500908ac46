import Bytes
import Levels
import TestSources
import Testing
import TreeSources

@testable import DatabaseTables
@testable import DatabaseTrees

/// Changes of the schema by another program, in both databases.
@Suite("A change of the schema") struct SchemaChangeTests {
    @Test("is in the very next answer", arguments: ExtremeNumberTests.databases.indices)
    func next(number: Int) throws {
        let database = try ExtremeNumberTests.databases[number]()
        try database.change("CREATE TABLE t0 (id integer PRIMARY KEY, c0 text); INSERT INTO t0 VALUES (1, 'x')")
        let rows = database.rows()
        func fields() throws -> [String] {
            let reading = try rows.begin()
            defer { reading.end() }
            let tables = try reading.page(RowQuery(), below: try #require(try item("", in: reading)))
            var found: [String] = []
            tables.forEachRow { found.append(String(utf8: $0.key)) }
            guard let open = try (reading as? TableReading)?.database else { return found }
            // The fields of the record, of which the title is the last.
            let table = found.first ?? ""
            let detail = try reading.detail(of: try #require(try item("/\(table)/1", in: reading)))
            let own = detail.item.own
            return found + open.catalogue.tables[0].columns.map(\.name) + [own.level.title(own.row)]
        }
        #expect(try fields() == ["t0", "id", "c0", "x"])
        for turn in 0..<20 {
            try database.change("ALTER TABLE t\(turn) RENAME COLUMN c\(turn) TO c\(turn + 1)")
            #expect(try fields() == ["t\(turn)", "id", "c\(turn + 1)", "x"])
            try database.change("ALTER TABLE t\(turn) RENAME TO t\(turn + 1)")
            #expect(try fields() == ["t\(turn + 1)", "id", "c\(turn + 1)", "x"])
            #expect(try page("/t\(turn)", in: rows) == ["nothing"])
            try database.change("CREATE TABLE t (id integer PRIMARY KEY, c text); INSERT INTO t VALUES (1, 'y')")
            #expect(try fields() == ["t", "t\(turn + 1)", "id", "c", "y"])
            try database.change("ALTER TABLE t ADD COLUMN d integer")
            #expect(try fields() == ["t", "t\(turn + 1)", "id", "c", "d", "y"])
            try database.change("DROP TABLE t")
            #expect(try page("/t", in: rows) == ["nothing"])
        }
    }

    @Test("that comes after an answer has begun is in this answer, too")
    func within() throws {
        let database = try ChangedDatabase.postgres()
        try database.change(
            """
            CREATE TABLE t (id int PRIMARY KEY, c text); INSERT INTO t VALUES (1, 'x');
            CREATE TABLE other (id int PRIMARY KEY); INSERT INTO other VALUES (7);
            """)
        let rows = database.rows()
        var query = try RowQuery(sort: "c")
        query.fields = .all
        #expect(try page("/t", by: query, in: rows) == ["1"])
        let first = try rows.begin()
        try database.change("ALTER TABLE t RENAME COLUMN c TO d; INSERT INTO t VALUES (2, 'a')")
        #expect(try page("/t", by: query, in: first) == ["1", "2"])
        query.order.sort = try RowOrder("d")
        #expect(try page("/t", by: query, in: first) == ["2", "1"])
        first.end()
        let second = try rows.begin()
        try database.change("ALTER TABLE other RENAME TO another")
        #expect(try page("/other", by: RowQuery(), in: second) == ["nothing"])
        #expect(try page("/another", by: RowQuery(), in: second) == ["7"])
        second.end()
    }

    @Test("of a large catalogue, which is not looked at after each commit, is in the answer that meets it")
    func largeCatalogue() throws {
        let database = try ChangedDatabase.postgres()
        let columns = (0..<1_500).map { "c\($0) int" }.joined(separator: ",")
        try database.change(
            """
            CREATE TABLE t (id int PRIMARY KEY, c text); INSERT INTO t VALUES (1, 'x');
            \((0..<14).map { "CREATE TABLE w\($0) (\(columns));" }.joined())
            """)
        let rows = database.rows()
        // An open connection commits soon enough.
        let name = try PostgresDatabase(database.address, passwordFile: nil).address.database
        let folder = try PostgresServer.shared.get().folder
        let other = try PostgresConnection([("host", folder), ("user", "drilldown"), ("dbname", name)])
        var reading = try rows.begin()
        /// Reads the next state; returns whether the schema was looked at, so that the state is known to be shared.
        func looks() throws -> Bool {
            reading.end()
            try other.run("INSERT INTO t SELECT max(id) + 1, 'y' FROM t")
            reading = try rows.begin()
            return reading.state != nil
        }
        #expect(try (0..<100).contains { _ in try !looks() })
        while try !looks() {}
        defer { reading.end() }
        try database.change(
            "ALTER TABLE t RENAME COLUMN c TO d; DELETE FROM t WHERE id > 2; UPDATE t SET d = 'z' WHERE id = 2")
        #expect(try page("/t", by: RowQuery(where: "d:z"), in: reading) == ["2"])
        #expect(try page("/t", in: rows) == ["1", "2"])
    }

    // MARK: Keys in PostgreSQL

    @Test("that lets a table be inherited takes its key away, so that all records are shown")
    func inheritance() throws {
        let database = try ChangedDatabase.postgres()
        try database.change(
            """
            CREATE TABLE city (id int PRIMARY KEY, name text, near int REFERENCES city);
            CREATE TABLE visit (id int PRIMARY KEY, city int REFERENCES city);
            INSERT INTO city SELECT i, 'city' || i, 1 FROM generate_series(1, 5) i; INSERT INTO visit VALUES (1, 2);
            """)
        let rows = database.rows()
        #expect(try page("/city", in: rows) == ["1", "2", "3", "4", "5"])
        try database.change(
            """
            CREATE TABLE capital (crown text) INHERITS (city);
            INSERT INTO capital SELECT i, 'capital' || i, 1, 'x' FROM generate_series(1, 5) i
            """)
        for rows in [rows, database.rows(arranged: 1)] {
            #expect(try page("/city", in: rows) == (0..<10).map { "\($0)" })
            var query = try RowQuery(sort: "-name")
            query.fields = .all
            #expect(try page("/city", by: query, in: rows).count == 10)
        }
        let reading = try rows.begin()
        defer { reading.end() }
        let titles = try (0..<10).map { number in
            let own = try reading.detail(of: try #require(try item("/city/\(number)", in: reading))).item.own
            return own.level.title(own.row)
        }
        #expect(titles == (1...5).map { "city\($0)" } + (1...5).map { "capital\($0)" })
        // A position does not name the record to which another refers.
        let visit = try reading.detail(of: try #require(try item("/visit/1", in: reading)))
        #expect(visit.links?.references == [])
        var options = TableRows.Options()
        func source() throws -> DatabaseTables {
            try DatabaseTables(postgres: database.address, passwordFile: nil, options: options)
        }
        let warnings = try source().load(replacing: nil).warnings
        #expect(
            warnings.filter { $0.warning.path == "/city" }.map(\.warning.message) == [
                "other tables inherit from it, so no key identifies its records, and only the first are shown",
                #"no index finds the records that refer to a record of 'city'; create one with CREATE INDEX "city_near" ON "public"."city" ("near")"#,
            ])
        options.treeColumns = ["city": "near"]
        let error = try #require(throws: SourceError.self) { try source().load(replacing: nil) }
        #expect("\(error)".contains("the key of the table 'city' is not one column, so 'near' cannot refer to it"))
    }

    @Test("to a key that identifies no record is no key")
    func keys() throws {
        let database = try ChangedDatabase.postgres()
        try database.change(
            """
            CREATE TYPE pair AS (a int, b text);
            CREATE TABLE composite (k pair PRIMARY KEY, name text);
            CREATE TABLE partial (k int NOT NULL, name text); CREATE UNIQUE INDEX ON partial (k) WHERE k > 1;
            CREATE TABLE expressed (k int NOT NULL, name text); CREATE UNIQUE INDEX ON expressed ((k / 1));
            CREATE TABLE deferred (k int NOT NULL UNIQUE DEFERRABLE INITIALLY DEFERRED, name text);
            INSERT INTO composite VALUES (ROW(7, 'x'), 'seven'), (ROW(8, NULL), 'eight');
            INSERT INTO partial VALUES (1, 'a'), (1, 'b'); INSERT INTO expressed VALUES (7, 'a');
            INSERT INTO deferred VALUES (7, 'a');
            CREATE TABLE covered (k int NOT NULL, name text NOT NULL); INSERT INTO covered VALUES (7, 'a');
            CREATE UNIQUE INDEX ON covered (k) INCLUDE (name);
            """)
        let rows = database.rows()
        #expect(try page("/composite", in: rows) == ["0", "1"])
        #expect(try page("/partial", in: rows) == ["0", "1"])
        #expect(try page("/expressed", in: rows) == ["0"])
        #expect(try page("/deferred", in: rows) == ["7"])
        #expect(try page("/covered", in: rows) == ["7"])
        let reading = try rows.begin()
        defer { reading.end() }
        for (path, title) in [("/composite/0", "seven"), ("/composite/1", "eight"), ("/deferred/7", "a")] {
            let own = try reading.detail(of: try #require(try item(path, in: reading))).item.own
            #expect(own.level.title(own.row) == title)
        }
    }

    @Test(
        "to dates that a document lacks keeps the order of an index", arguments: ["date", "timestamp", "timestamptz"])
    func dates(type: String) throws {
        let database = try ChangedDatabase.postgres()
        try database.change(
            """
            CREATE TABLE t (id int PRIMARY KEY, d \(type)); CREATE INDEX t_d ON t (d, id);
            INSERT INTO t VALUES (1, 'infinity'), (2, '2001-01-01'), (3, '0044-03-15 BC'), (4, '-infinity'),
              (5, '12345-01-01'), (6, NULL), (7, '0300-01-01 BC');
            """)
        let (large, small) = (database.rows(arranged: 1), database.rows())
        #expect(try page("/t", by: RowQuery(sort: "d"), in: large) == ["4", "7", "3", "2", "5", "1", "6"])
        #expect(try page("/t", by: RowQuery(where: "d<2001-01-01", sort: "d"), in: large) == ["4", "7", "3"])
        #expect(try page("/t", by: RowQuery(where: "d>2001-01-01", sort: "d"), in: large) == ["5", "1"])
        for (condition, keys) in [
            ("d:infinity", ["1"]), ("d:-infinity", ["4"]), ("d:2001-01-01", ["2"]), ("d:yesterday", []),
        ] {
            #expect(try page("/t", by: RowQuery(where: condition), in: large) == keys)
            #expect(try page("/t", by: RowQuery(where: condition), in: small) == keys)
        }
        // In memory, these dates are texts, which follow the dates.
        #expect(try page("/t", by: RowQuery(sort: "d"), in: small) == ["2", "4", "3", "7", "5", "1", "6"])
    }
}

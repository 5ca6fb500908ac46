import Bytes
import Glibc
import Levels
import PropertyLists
import Synchronization
import TestSources
import Testing
import Threads
import TreeSources

@testable import DatabaseTables
@testable import DatabaseTrees

/// A PostgreSQL database of its own, with a shop's tables.
@Suite("The tables of a PostgreSQL database") struct PostgresTablesTests {
    private let server: PostgresServer
    private let name: String

    init() throws {
        server = try PostgresServer.shared.get()
        name = "shop\(UInt64.random(in: 0...UInt64.max))"
        try Self.connection(to: server, database: "postgres").run("CREATE DATABASE \(name)")
        try change(
            """
            CREATE TABLE "Artist" ("Id" int PRIMARY KEY, "Name" text);
            CREATE TABLE "Album" ("Code" text PRIMARY KEY, "Title" text, "Year" int, "Artist" int REFERENCES "Artist",
              "Guest" int REFERENCES "Artist");
            CREATE INDEX "Album_Year" ON "Album" ("Year", "Code");
            CREATE TABLE "Note" ("Text" text);
            CREATE VIEW "Names" AS SELECT "Name" FROM "Artist";
            INSERT INTO "Artist" VALUES (1, 'Åse'), (2, NULL), (10, 'Bo');
            INSERT INTO "Album" VALUES ('b', 'Second', 2001, 1, NULL), ('a', 'First', NULL, 1, 10), ('c', 'Third', 1999, 10, 1),
              ('d', 'Fourth', NULL, NULL, NULL);
            INSERT INTO "Note" VALUES ('x'), ('y');
            """)
    }

    private static func connection(to server: PostgresServer, database: String) throws -> PostgresConnection {
        try PostgresConnection([("host", server.folder), ("user", "drilldown"), ("dbname", database)])
    }

    /// Another program's change.
    private func change(_ sql: String) throws {
        try Self.connection(to: server, database: name).run(sql)
    }

    private var address: String { "postgres://drilldown@/\(name)?host=\(server.folder)" }

    private func rows(arranged: Int = 1_000_000, _ change: (inout TableRows.Options) -> Void = { _ in }) throws
        -> TableRows
    {
        var options = TableRows.Options()
        options.arrangedRows = arranged
        change(&options)
        return TableRows(.postgres(try PostgresDatabase(address, passwordFile: nil)), options: options)
    }

    /// The keys of a level, page by page, with the titles and the numbers of rows below.
    private func list(
        _ path: String, by change: (inout RowQuery) throws -> Void = { _ in }, in rows: TableRows? = nil
    ) throws -> [String] {
        let rows = try rows ?? self.rows()
        var query = RowQuery()
        try change(&query)
        var found: [String] = []
        repeat {
            let reading = try rows.begin()
            defer { reading.end() }
            guard let item = try item(path, in: reading) else { return ["nothing"] }
            let page = try reading.page(query, below: item)
            #expect(page.start == found.count)
            page.forEachRow { found.append("\(String(utf8: $0.key)) \(String(utf8: $0.title)) \($0.count)") }
            (query.page.after, query.page.start) = (page.next, nil)
        } while query.page.after != nil
        return found
    }

    @Test("are all shown if one of them cannot be read")
    func unreadable() throws {
        try change(
            """
            CREATE VIEW "Broken" AS SELECT 1 AS a WHERE 1 / 0 = 1;
            CREATE MATERIALIZED VIEW "Later" AS SELECT 1 AS a LIMIT 1 WITH NO DATA;
            """)
        let tables = try list("").map { $0.split(separator: " ").dropLast().joined(separator: " ") }
        #expect(tables == ["Album Album", "Artist Artist", "Broken Broken", "Later Later", "Names Names", "Note Note"])
    }

    @Test("are all shown while one of them is locked, without its number of records")
    func locked() throws {
        let rows = try rows { $0.timeout = .seconds(2) }
        let other = try Self.connection(to: server, database: name)
        try other.run("BEGIN; LOCK TABLE \"Album\" IN ACCESS EXCLUSIVE MODE")
        #expect(
            try list("", in: rows) == ["Album Album 1", "Artist Artist 3", "Names Names 3", "Note Note 2"])
        #expect(
            try list("/Artist/1", in: rows) == ["Album (Artist) Album (Artist) 1", "Album (Guest) Album (Guest) 1"])
        #expect(throws: RowRefusal.self) { try list("/Album", in: rows) }
        try other.run("COMMIT")
        #expect(try list("", in: rows).first == "Album Album 4")
    }

    @Test("are the first level, by name; a table of another schema has its schema before its name")
    func tables() throws {
        try change(
            """
            CREATE SCHEMA depot; CREATE TABLE depot.parts (id int PRIMARY KEY);
            CREATE TABLE year (id int PRIMARY KEY) PARTITION BY RANGE (id);
            CREATE TABLE year_1 PARTITION OF year FOR VALUES FROM (1) TO (2); INSERT INTO year VALUES (1)
            """)
        #expect(
            try list("") == [
                "Album Album 4", "Artist Artist 3", "depot.parts depot.parts 0", "Names Names 3", "Note Note 2",
                "year year 1",
            ])
        #expect(try rows().title == Array(name.utf8))
    }

    @Test("have their records as rows in the order of the key", arguments: [1, 2, 1_000])
    func records(limit: Int) throws {
        func list(_ path: String) throws -> [String] { try self.list(path, by: { $0.page.limit = limit }) }
        #expect(try list("/Artist") == ["1 Åse 2", "2 2 2", "10 Bo 2"])
        #expect(try list("/Album") == ["a First 0", "b Second 0", "c Third 0", "d Fourth 0"])
        #expect(try list("/Note") == ["0 x 0", "1 y 0"])
        #expect(try list("/Names") == ["0 Åse 0", "1 1 0", "2 Bo 0"])
        #expect(try list("/Artist/1") == ["Album (Artist) Album (Artist) 2", "Album (Guest) Album (Guest) 1"])
        #expect(try list("/Artist/1/Album%20(Artist)") == ["a First 0", "b Second 0"])
        #expect(try list("/Artist/1/Album%20(Guest)") == ["c Third 0"])
    }

    @Test(
        "lead nowhere by another spelling of a key, or by text that its type does not have",
        arguments: [
            "/Artist/01", "/Artist/1.0", "/Artist/3", "/Artist/x", "/Artist/99999999999999999999", "/album",
            "/Album/~3",
            "/Album/a%00", "/Artist/2/Album%20(Artist)/a", "/Note/x", "/Names/01", "/Names/3",
        ])
    func strangers(path: String) throws {
        let reading = try rows().begin()
        defer { reading.end() }
        #expect(try item(path, in: reading) == nil)
        #expect(try item("/Album/a", in: reading) != nil)
    }

    @Test("name a field that is too large for a row")
    func largeValues() throws {
        try change(
            "CREATE TABLE large (id int PRIMARY KEY, name text, d bytea); INSERT INTO large VALUES (1, repeat('ä', 3000), decode(repeat('00', 5000), 'hex'))"
        )
        let reading = try rows().begin()
        defer { reading.end() }
        var query = RowQuery()
        query.fields = .all
        let page = try reading.page(query, below: try #require(try item("/large", in: reading)))
        var refusals: [String?] = []
        page.forEachRow { row in
            refusals.append(row.refusal)
            #expect(String(utf8: row.title) == String(repeating: "ä", count: 2_048))
        }
        #expect(
            refusals == [
                "'name' has 6000 bytes, more than the 4096 that are shown here; the detail shows up to 1048576."
            ])
    }

    @Test("are in the order of an index if they are large, as a small table is", arguments: [1, 2, 3])
    func indexed(limit: Int) throws {
        try change(
            """
            CREATE TABLE "Many" ("Id" int PRIMARY KEY, "A" int, "B" text);
            INSERT INTO "Many" SELECT n, nullif(n % 4, 0), nullif(chr(97 + n % 3), 'a') FROM generate_series(1, 40) n;
            CREATE INDEX ON "Many" ("A", "Id"); CREATE INDEX ON "Many" ("B", "A", "Id"); ANALYZE "Many"
            """)
        func sorted(_ text: String, arranged: Int) throws -> [String] {
            try list(
                "/Many",
                by: {
                    $0.order.sort = try RowOrder(text)
                    $0.page.limit = limit
                }, in: rows(arranged: arranged))
        }
        for sort in ["A", "B,A", "A,Id"] {
            let wanted = try sorted(sort, arranged: 1_000)
            #expect(try sorted(sort, arranged: 1) == wanted, "\(sort)")
            #expect(wanted.count == 40)
        }
        // The key is turned round with the last field.
        for (sort, other) in [("-A", "-A,-Id"), ("-B,-A", "-B,-A,-Id"), ("-Id", "-Id")] {
            #expect(try sorted(sort, arranged: 1) == sorted(other, arranged: 1_000), "\(sort)")
        }
        // Each value of the first field is sought, and the index is read backwards below it.
        #expect(try sorted("B,-A", arranged: 1) == sorted("B,-A,-Id", arranged: 1_000))
        let refusal = try #require(throws: RowRefusal.self) { try sorted("A,B", arranged: 1) }
        #expect(
            refusal
                == RowRefusal(
                    kind: .needsIndex(create: #"CREATE INDEX "Many_A_B" ON "public"."Many" ("A", "B", "Id")"#),
                    parameter: "sort",
                    sentence:
                        "The table 'Many' has more than 1 rows, and no index gives the order 'A,B'. Create one, or ask for fewer rows with a condition that an index serves."
                ))
    }

    @Test("show each answer what was committed before it")
    func fresh() throws {
        let rows = try rows()
        func count() throws -> Int? {
            let reading = try rows.begin()
            defer { reading.end() }
            return try item("/Note", in: reading)?.count
        }
        func state() throws -> Int? {
            let reading = try rows.begin()
            defer { reading.end() }
            return reading.state
        }
        #expect(try count() == 2)
        let first = try #require(try state())
        try change(#"DELETE FROM "Note" WHERE "Text" = 'x'"#)
        #expect(try state() != first)
        #expect(try count() == 1)
    }

    @Test("are written by nobody who reads them")
    func readOnly() throws {
        let reader = try PostgresReader(try PostgresDatabase(address, passwordFile: nil), timeout: .seconds(5))
        let error = try #require(throws: DatabaseError.self) { try reader.run(#"DELETE FROM "Note""#) }
        #expect(error == DatabaseError(kind: .refused, reason: "cannot execute DELETE in a read-only transaction"))
    }

    @Test("end a long statement with the error of what takes its rows", arguments: [1, 10_000_000])
    func rowError(count: Int64) throws {
        let reader = try PostgresReader(try PostgresDatabase(address, passwordFile: nil), timeout: .seconds(30))
        let thrown = DatabaseError(kind: .other, reason: "no more rows, please")
        var taken = 0
        let error = #expect(throws: DatabaseError.self) {
            try reader.rows("SELECT n FROM generate_series(1, \(count)) n") { _ throws(DatabaseError) in
                taken += 1
                throw thrown
            }
        }
        #expect(error == thrown)
        #expect(taken == 1)
    }

    @Test("end a statement at its deadline, or once nobody wants the answer")
    func deadlines() throws {
        let reader = try PostgresReader(try PostgresDatabase(address, passwordFile: nil), timeout: .seconds(30))
        for (time, isWanted) in [(60, false), (0, true)] {
            reader.setDeadline(.now + .seconds(time), while: { isWanted })
            let error = #expect(throws: DatabaseError.self) { try reader.run("SELECT pg_sleep(25)") }
            #expect(error?.kind == .timeout)
        }
    }

    @Test("end a statement that the server reads only after the first cancellation")
    func earlyCancellation() throws {
        let reader = try PostgresReader(try PostgresDatabase(address, passwordFile: nil), timeout: .seconds(30))
        let process = try #require(try reader.first("SELECT pg_backend_pid()::text")?[0].string.flatMap(pid_t.init))
        kill(process, SIGSTOP)
        defer { kill(process, SIGCONT) }
        let calls = Atomic(0)
        // The second call comes after the first cancellation. The process ignores it, as it has no statement yet.
        reader.setDeadline(.now + .seconds(60)) {
            if calls.add(1, ordering: .relaxed).newValue == 2 { kill(process, SIGCONT) }
            return false
        }
        let error = #expect(throws: DatabaseError.self) { try reader.run("SELECT pg_sleep(25)") }
        #expect(error?.kind == .timeout)
    }

    @Test("are read again after the server has ended the connection")
    func lost() throws {
        let rows = try rows()
        #expect(try list("/Note", in: rows).count == 2)
        try change(
            "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = '\(name)' AND pid <> pg_backend_pid()"
        )
        #expect(try list("/Note", in: rows).count == 2)
    }

    @Test("end their statements for a client that has left")
    func left() throws {
        try change(#"CREATE VIEW slow AS SELECT 1 AS id, pg_sleep(60)::text AS t"#)
        let isWanted = Atomic(true)
        let isAsked = Atomic(false)
        let reading = try rows { $0.timeout = .seconds(20) }.begin {
            if !isWanted.load(ordering: .relaxed) { isAsked.store(true, ordering: .relaxed) }
            return isWanted.load(ordering: .relaxed)
        }
        defer { reading.end() }
        let slow = try #require(try item("/slow", in: reading))
        isWanted.store(false, ordering: .relaxed)
        let refusal = #expect(throws: RowRefusal.self) { try reading.page(RowQuery(), below: slow) }
        #expect(refusal?.kind == .timeout && isAsked.load(ordering: .relaxed))
    }

    @Test("end a statement that takes too long")
    func timeout() throws {
        try change(#"CREATE VIEW slow AS SELECT 1 AS id, pg_sleep(60)::text AS t"#)
        let rows = try rows { $0.timeout = .seconds(2) }
        let refusal = try #require(throws: RowRefusal.self) { try list("/slow", in: rows) }
        #expect(
            refusal
                == RowRefusal(
                    kind: .timeout,
                    sentence: "The database needs more time for this answer than it may have. Ask for less."))
        #expect(try list("/Note", in: rows).count == 2)
        try change(#"CREATE VIEW broken AS SELECT 1 / "Id" - 1 / ("Id" - 1) AS x FROM "Artist" ORDER BY x"#)
        // Their numbers are the planner's estimates.
        #expect(try list("", in: self.rows()).map { $0.prefix { $0 != " " } }.contains("broken"))
    }

    @Test("are not served in place of a tree unless that is asked for")
    func trees() throws {
        let tree = PostgresTree(address: try PostgresAddress(address + "&tree=music"))
        try tree.beginImport(keys: nil, replaces: false).finish()
        let source = try DatabaseTables(
            postgres: address, passwordFile: nil, options: TableRows.Options(), refusesTrees: true)
        let error = try #require(throws: SourceError.self) { try source.load(replacing: nil) }
        #expect(
            "\(error)"
                == "\(address): the database has the tree 'music'; add ?tree=music to the address, or --shape tables for its tables."
        )
        let asked = try DatabaseTables(postgres: address, passwordFile: nil, options: TableRows.Options())
        #expect(try asked.load(replacing: nil).rows != nil)
    }

    @Test("are published after another program has committed")
    func published() throws {
        // A server of its own, because a commit to any database of a server counts.
        let server = try PostgresServer()
        let address = "postgres://drilldown@/trees?host=\(server.folder)"
        let place = TablesPlace.postgres(try PostgresDatabase(address, passwordFile: nil))
        let commits = place.makeCommits(TableRows.Options())
        #expect(!commits.takeCommit(at: .now, isAsked: true))
        try Self.connection(to: server, database: "trees").run("CREATE TABLE \"New\" (id int PRIMARY KEY)")
        // Without being asked, it looks four times a second.
        var now = ContinuousClock.now
        func wait() -> Duration? {
            var waits = WaitSet()
            commits.addWaits(to: &waits)
            return waits.deadline.map { $0 - now }
        }
        #expect(!commits.takeCommit(at: now - .seconds(10)))
        #expect(commits.takeCommit(at: now + .seconds(10)))
        #expect((wait() ?? .zero) >= .milliseconds(250))
        #expect(!commits.takeCommit(at: .now, isAsked: true))
        #expect(!commits.isAway)
        // A server that is away is news, and so is its return.
        try Self.connection(to: server, database: "postgres").run(
            "ALTER DATABASE trees ALLOW_CONNECTIONS false; SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = 'trees'"
        )
        #expect(commits.takeCommit(at: .now, isAsked: true) && commits.isAway)
        #expect(!commits.takeCommit(at: .now, isAsked: true) && commits.isAway)
        for pause in [2, 4, 5, 5] {
            now = .now
            #expect(!commits.takeCommit(at: now + .seconds(60)))
            let rest = (wait() ?? .zero) - (.now - now)
            #expect((wait() ?? .zero) >= .seconds(pause) && rest <= .seconds(pause))
        }
        try Self.connection(to: server, database: "postgres").run("ALTER DATABASE trees ALLOW_CONNECTIONS true")
        #expect(commits.takeCommit(at: .now, isAsked: true) && !commits.isAway)
        #expect(!commits.takeCommit(at: .now, isAsked: true) && !commits.isAway)
    }

    @Test("are warned about where a key or an index is missing")
    func warnings() throws {
        let source = try DatabaseTables(postgres: address, passwordFile: nil, options: TableRows.Options())
        #expect(
            try source.load(replacing: nil).warnings.map(\.warning.message) == [
                #"no index finds the records that refer to a record of 'Artist'; create one with CREATE INDEX "Album_Artist" ON "public"."Album" ("Artist")"#,
                #"no index finds the records that refer to a record of 'Artist'; create one with CREATE INDEX "Album_Guest" ON "public"."Album" ("Guest")"#,
                "the table has no key, so only its first records are shown; give it a primary key",
                "the table has no key, so only its first records are shown; give it a primary key",
            ])
    }
}

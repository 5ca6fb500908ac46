import Bytes
import DatabaseTrees
import Levels
import Testing
import TreeSources

@testable import DatabaseTables
@testable import Levels
@testable import TestSupport

/// Views that cannot be read, and queries that look alike.
@Suite("The tables of a SQLite file with odd content") struct TableFaultTests {
    private let scratch: ScratchFolder
    private let path: String

    init() throws {
        scratch = try ScratchFolder()
        path = scratch("Odd.db")
        try change("CREATE TABLE Note (Text TEXT); INSERT INTO Note VALUES ('x'), ('y'), ('z')")
    }

    private func change(_ sql: String) throws {
        try SQLiteConnection(path: path, for: .create).execute(sql)
    }

    /// The keys of a page, with the numbers of rows below.
    private func page(_ query: RowQuery = RowQuery(), of path: String, in rows: TableRows) throws -> [String] {
        let reading = try rows.begin()
        defer { reading.end() }
        var keys: [String] = []
        try reading.page(query, below: try #require(try item(path, in: reading))).forEachRow {
            keys.append("\(String(utf8: $0.key)) \($0.count)")
        }
        return keys
    }

    @Test("give hints by their columns, whichever fields the rows show")
    func hints() throws {
        let reading = try TableRows(path: path, options: TableRows.Options()).begin()
        defer { reading.end() }
        var query = RowQuery()
        query.order.sort = try RowOrder("text,Text")
        query.fields = .named(FieldNames([Array("Txet".utf8)]))
        let item = try #require(try item("Note", in: reading))
        let page = try reading.page(query, below: item)
        #expect(
            FieldHints.sentences(for: query, below: item, on: page) == [
                "No row has 'text'; did you mean 'Text'?", "No row has 'Txet'; did you mean 'Text'?",
            ])
    }

    @Test("are all shown if a view cannot be read, or not in time")
    func views() throws {
        try change(
            """
            CREATE VIEW Broken AS SELECT Text FROM Note WHERE abs(-9223372036854775807 - rowid) > 0;
            CREATE VIEW Slow AS WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n) SELECT count(*) AS c FROM n;
            """)
        let rows = TableRows(path: path, options: TableRows.Options())
        #expect(try page(of: "", in: rows) == ["Broken 1", "Note 3", "Slow 1"])
    }

    @Test("share a time in which their views are counted")
    func countedViews() throws {
        for number in 10..<30 {
            try change(
                """
                CREATE VIEW Slow\(number) AS WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n)
                  SELECT count(*) AS c FROM n
                """)
        }
        var options = TableRows.Options()
        options.timeout = .seconds(60)
        let reading = try #require(try TableRows(path: path, options: options).begin() as? TableReading)
        defer { reading.end() }
        var keys: [String] = []
        try reading.page(RowQuery(), below: try #require(try item("", in: reading))).forEachRow { row in
            keys.append("\(String(utf8: row.key)) \(row.count)")
        }
        #expect(keys == ["Note 3"] + (10..<30).map { "Slow\($0) 1" })
        // Ten views took a twentieth of a second each; for the others, nothing was left.
        #expect(try reading.database.briefTime <= .zero)
    }

    @Test("show the first page of a view whose records take long to be counted")
    func firstPage() throws {
        // Each record takes a moment.
        try change(
            """
            CREATE TABLE Part (Id INTEGER PRIMARY KEY, Name TEXT);
            WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n LIMIT 50000)
              INSERT INTO Part SELECT i, 'p' || i FROM n;
            CREATE VIEW Heavy AS SELECT Id, Name FROM Part AS p WHERE p.Id < (
              WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n LIMIT 20000) SELECT count(*) + 50000 FROM n
              WHERE i <> p.Id)
            """)
        var options = TableRows.Options()
        options.timeout = .seconds(60)
        options.reference = DatabaseReference(table: "Heavy", key: ["Id"])
        let rows = TableRows(path: path, options: options)
        let first = try rows.page("") { $0.page.limit = 2 }
        #expect((first.numbers.count, first.count, first.isEstimate, first.next != nil) == (2, 3, true, true))
        let second = try rows.page("") { ($0.page.limit, $0.page.after) = (2, first.next) }
        #expect((second.numbers.count, second.start, second.count, second.isEstimate) == (2, 2, 5, true))
    }

    @Test("suggest keys without running a view")
    func suggestions() throws {
        try change(
            """
            CREATE VIEW Slow AS WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n) SELECT count(*) AS c FROM n
            """)
        var options = TableRows.Options()
        options.timeout = .seconds(2)
        let reading = try TableRows(path: path, options: options).begin()
        defer { reading.end() }
        for (path, keys) in [("/Sloww", ["Note 0", "Slow 0"]), ("/Slow/x", []), ("/Note/x", ["1 0", "2 0", "3 0"])] {
            guard case .missing(let nearest, _) = try reading.find(try ItemPath(path.utf8Span.span)) else {
                Issue.record("\(path) is found")
                continue
            }
            var query = RowQuery()
            query.countsBelow = false
            var found: [String] = []
            do throws(RowRefusal) {
                try reading.page(query, below: nearest).forEachRow {
                    found.append("\(String(utf8: $0.key)) \($0.count)")
                }
            } catch {
                #expect(error.sentence == "The records of 'Slow' may take long to be found.")
            }
            #expect(found == keys)
        }
    }

    @Test("are left out if SQLite cannot read them, with a warning")
    func unreadableViews() throws {
        try change(
            """
            CREATE VIEW Old AS SELECT Missing FROM Note; CREATE VIEW Unsafe AS SELECT load_extension(Text) AS x FROM Note;
            """)
        let source = DatabaseTables(sqlite: path, name: "sqlite:Odd.db", options: TableRows.Options())
        let warnings = try source.load(replacing: nil).warnings
        #expect(
            warnings.map(\.warning.message) == [
                "the database cannot read it, so it is left out: no such column: Missing",
                "the database cannot read it, so it is left out: unsafe use of load_extension()",
                "the table has no key, so its rowid names its records, which VACUUM may change; give it a primary key",
            ])
        #expect(warnings.map(\.warning.path) == ["/Old", "/Unsafe", "/Note"])
    }

    @Test("have the records of each query, however much two queries look alike")
    func similarQueries() throws {
        let long = String(repeating: "x", count: 100)
        try change("DELETE FROM Note; INSERT INTO Note VALUES ('\(long)AAA'), ('\(long)BBB'), ('b; sort Text')")
        let rows = TableRows(path: path, options: TableRows.Options())
        var query = RowQuery()
        query.search = long + "AAA"
        #expect(try page(query, of: "/Note", in: rows) == ["1 0"])
        query.search = long + "BBB"
        #expect(try page(query, of: "/Note", in: rows) == ["2 0"])
        query = RowQuery()
        query.conditions = [try #require(RowCondition("Text:b; sort Text"))]
        #expect(try page(query, of: "/Note", in: rows) == ["3 0"])
        query.conditions = [try #require(RowCondition("Text:b"))]
        query.order.sort = try RowOrder("Text")
        #expect(try page(query, of: "/Note", in: rows) == [])
    }

    @Test("are shown without data that exceed the limit for values; longer text, or text that a view makes, is refused")
    func hugeValues() throws {
        try change(
            """
            CREATE TABLE Photo (Id INTEGER PRIMARY KEY, Body BLOB, Name TEXT, Note TEXT);
            INSERT INTO Photo VALUES (1, zeroblob(300000), 'a', 'short'), (2, x'00', 'b', printf('%.300000c', 'x'));
            CREATE VIEW Large AS SELECT hex(zeroblob(150000)) AS Body, Id FROM Photo;
            CREATE VIEW Seen AS SELECT Id, Body FROM Photo;
            """)
        var options = TableRows.Options()
        options.mostValueBytes = 100_000
        let rows = TableRows(path: path, options: options)
        func shown(_ path: String, _ field: String) throws -> [String?] {
            let reading = try rows.begin()
            defer { reading.end() }
            var query = RowQuery()
            query.fields = .named(FieldNames([Array(field.utf8)]))
            var refusals: [String?] = []
            try reading.page(query, below: try #require(try item(path, in: reading))).forEachRow {
                refusals.append($0.refusal)
            }
            return refusals
        }
        let advice = "more than the 4096 that are shown here; the detail shows up to 1048576."
        #expect(try shown("/Photo", "Body") == ["'Body' has 300000 bytes, \(advice)", nil])
        #expect(try shown("/Seen", "Id") == [nil, nil])
        for (path, field) in [("/Photo", "Note"), ("/Large", "Body")] {
            let refusal = #expect(throws: RowRefusal.self) { try shown(path, field) }
            #expect(
                refusal?.sentence
                    == "A value for this answer is too large to be read. Ask for other fields, or change the view.")
        }
    }

    @Test("that cannot be read say why, without the words of the database")
    func refusals() {
        let sentences: [(DatabaseError.Kind, String)] = [
            (.timeout, "The database needs more time for this answer than it may have. Ask for less."),
            (.busy, "Another program holds the lock of the database. Try again later."),
            (.away, "The database cannot be read at the moment. Try again later."),
            (.noSpace, "The database cannot be read at the moment. Try again later."),
            (.readOnly, "The database cannot be read at the moment. Try again later."),
            (.tooLarge, "A value for this answer is too large to be read. Ask for other fields, or change the view."),
            (.refused, "The database refuses to read this; its log has the reason."),
            (.other, "The database cannot be read; its file may be damaged."),
        ]
        for (kind, sentence) in sentences {
            let refusal = RowRefusal(DatabaseError(kind: kind, reason: "secret"))
            #expect(refusal == RowRefusal(kind: kind == .timeout ? .timeout : .unreadable, sentence: sentence))
        }
    }

    @Test("are read no longer than the time for an answer, even if each record takes few steps")
    func deadline() throws {
        let connection = try SQLiteConnection(path: path, for: .read)
        connection.setDeadline(.now - .seconds(1))
        var count = 0
        let failure = #expect(throws: DatabaseError.self) {
            try connection.rows("WITH n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n LIMIT 20) SELECT i FROM n") { _ in
                count += 1
            }
        }
        #expect(failure?.kind == .timeout)
        #expect(count == 1)
    }

    @Test("are grouped by the first letters of all titles, even of odd ones")
    func oddTitles() throws {
        try change(
            """
            CREATE TABLE Odd (Id INTEGER PRIMARY KEY, Name); CREATE INDEX Odd_Name ON Odd (Name, Id);
            INSERT INTO Odd (Name) VALUES (1), (2), (''), (''), (''), ('abc'), ('xyz'), ('éa'), ('?x'), ('!'), (x'01'), (x'02'),
              (NULL), (NULL), (CAST(x'FF41' AS TEXT)), (CAST(x'FFFF' AS TEXT)), (CAST(x'8041' AS TEXT)), (CAST(x'C3' AS TEXT)),
              (CAST(x'C328' AS TEXT)), (CAST(x'F48FBFBF41' AS TEXT));
            """)
        var options = TableRows.Options()
        options.arrangedRows = 3
        let rows = TableRows(path: path, options: options)
        for limit in [1, 7, 100] {
            var query = RowQuery()
            query.order.group = .initial
            query.page.limit = limit
            var keys: [Int?] = []
            var sections: [String] = []
            repeat {
                let reading = try rows.begin()
                defer { reading.end() }
                let page = try reading.page(query, below: try #require(try item("/Odd", in: reading)))
                page.forEachRow { keys.append(Int(String(utf8: $0.key))) }
                sections = page.sections.map { "\($0.title ?? "none") \($0.count)" }
                query.page.after = page.next
            } while query.page.after != nil && keys.count < 30
            #expect(sections == ["A 1", "E 1", "X 1", "# 17"])
            #expect(keys.prefix(3) == [6, 8, 7])
            #expect(keys.compactMap(\.self).sorted() == Array(1...20))
        }
    }

    @Test("are read to the end, however long their values are", arguments: [1, 1_000])
    func longValues(arranged: Int) throws {
        try change(
            """
            CREATE TABLE Long (Name TEXT PRIMARY KEY, Body TEXT);
            WITH n(i) AS (VALUES (1), (2), (3), (4), (5))
            INSERT INTO Long SELECT i || printf('%.60000c', 'n'), i || printf('%.60000c', 'b') FROM n;
            CREATE INDEX Long_Body ON Long (Body, Name);
            """)
        var options = TableRows.Options()
        options.arrangedRows = arranged
        let rows = TableRows(path: path, options: options)
        for order in [nil, "Body", "-Body"] {
            var query = RowQuery()
            query.order.sort = try order.map { try RowOrder($0) }
            query.page.limit = 2
            var keys: [Character?] = []
            repeat {
                let reading = try rows.begin()
                defer { reading.end() }
                let page = try reading.page(query, below: try #require(try item("/Long", in: reading)))
                page.forEachRow {
                    keys.append(String(utf8: $0.key).first)
                    let length = $0.title.count
                    #expect(length == 4_096)
                }
                query.page.after = page.next
                if case .supplied(let bytes) = page.next { #expect(bytes.count < 6_000) }
            } while query.page.after != nil && keys.count < 10
            #expect(keys == (order == "-Body" ? ["5", "4", "3", "2", "1"] : ["1", "2", "3", "4", "5"]))
        }
    }

    @Test("refuse a cursor of another query, however much it looks alike")
    func similarCursors() throws {
        let reading = try TableRows(path: path, options: TableRows.Options()).begin()
        defer { reading.end() }
        let note = try #require(try item("/Note", in: reading))
        var query = RowQuery()
        query.conditions = [try #require(RowCondition("Text>a; where Text>b"))]
        query.page.limit = 1
        query.page.after = try reading.page(query, below: note).next
        #expect(query.page.after != nil)
        query.conditions = [try #require(RowCondition("Text>a")), try #require(RowCondition("Text>b"))]
        #expect(throws: RowRefusal.self) { try reading.page(query, below: note) }
    }

    @Test("are published when the file has gone or has come back, but not because it is locked")
    func away() throws {
        let commits = TablesPlace.file(path).makeCommits(TableRows.Options())
        var now = ContinuousClock.now
        /// Whether news is taken, and whether the file is away.
        func look() -> [Bool] {
            now += .seconds(10)
            return [commits.takeCommit(at: now), commits.isAway]
        }
        let other = try SQLiteConnection(path: path, for: .write)
        try other.execute("BEGIN EXCLUSIVE; DELETE FROM Note")
        #expect(look() == [false, false])
        try other.execute("COMMIT")
        #expect([look(), look()] == [[true, false], [false, false]])
        try scratch.rename("Odd.db", "Away.db")
        #expect([look(), look()] == [[true, true], [false, true]])
        try scratch.rename("Away.db", "Odd.db")
        #expect([look(), look()] == [[true, false], [false, false]])
    }

    // MARK: Texts that are not in the usual order, page by page

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

    @Test(
        "have sections by first letters with texts that are not UTF-8",
        arguments: [
            ("FF41", ["1", "2", "3", "4", "5"]), ("8041", ["1", "2", "3", "4", "5"]),
            ("C341", ["1", "2", "3", "4", "5"]), ("C3A9FF", ["1", "2", "3", "5", "4"]),
            ("F48FBFBF", ["1", "2", "3", "4", "5"]), ("ED9FBF", ["1", "2", "3", "4", "6", "5"]),
        ])
    func invalidInitials(bytes: String, keys: [String]) throws {
        // A letter follows the last character before the surrogates.
        let last = bytes == "ED9FBF" ? ", ('\u{FF41}')" : ""
        try addWords("('a'), ('b'), ('é'), ('z'), (CAST(x'\(bytes)' AS TEXT))\(last)")
        #expect(try self.keys("/Word", by: { $0.order.group = .initial }) == keys)
    }

    @Test(
        "have all records on their pages if only the column of the key ignores case",
        arguments: [
            "CREATE TABLE Name (A TEXT NOT NULL COLLATE NOCASE); CREATE UNIQUE INDEX Name_A ON Name (A COLLATE BINARY)",
            "CREATE TABLE Name (A TEXT NOT NULL COLLATE NOCASE, PRIMARY KEY (A COLLATE BINARY))",
            "CREATE TABLE Name (A TEXT NOT NULL COLLATE NOCASE, PRIMARY KEY (A COLLATE BINARY)) WITHOUT ROWID",
        ])
    func collations(table: String) throws {
        try change("\(table); INSERT INTO Name VALUES ('a'), ('A'), ('b'), ('B')")
        #expect(try keys("/Name") == ["A", "B", "a", "b"])
        #expect(try keys("/Name", arranged: 100) == ["A", "B", "a", "b"])
    }
}

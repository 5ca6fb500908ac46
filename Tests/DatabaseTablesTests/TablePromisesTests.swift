import Bytes
import DatabaseTrees
import Levels
import Testing
import TreeSources

@testable import DatabaseTables
@testable import Levels
@testable import TestSupport

/// Promises of the manual about tables, each in both kinds of database.
@Suite("The tables of a database of either kind") struct TablePromisesTests {
    let scratch: ScratchFolder

    init() throws { scratch = try ScratchFolder() }

    private static let words = """
        CREATE TABLE word (id integer PRIMARY KEY, name text, size integer);
        INSERT INTO word VALUES (1, 'b', 2), (2, 'a', 1), (3, 'c', 1)
        """

    /// The ways to ask for rows that need an index in a large table.
    private static let arrangements: [(parameter: String, ask: @Sendable (inout RowQuery) throws -> Void)] = [
        ("sort", { $0.order.sort = try RowOrder("name") }), ("q", { $0.search = "a" }),
        ("where", { $0.conditions = [try #require(RowCondition("name>a"))] }),
        ("group", { $0.order.group = .field(RowField("size")) }), ("group", { $0.order.group = .initial }),
    ]

    @Test("are arranged up to the limit, and need an index above it", arguments: TestedTables.Kind.allCases)
    func arrangedRows(kind: TestedTables.Kind) throws {
        let tables = try TestedTables(kind, in: scratch, Self.words)
        for (parameter, ask) in Self.arrangements {
            for limit in [3, 4] {
                #expect(try !tables.rows(arranged: limit).keys("/word", ask).isEmpty, "\(parameter), limit \(limit)")
            }
            let refusal = try #require(throws: RowRefusal.self) { try tables.rows(arranged: 2).keys("/word", ask) }
            guard case .needsIndex = refusal.kind else { throw refusal }
            #expect(refusal.parameter == parameter)
        }
    }

    @Test("are sorted once the proposed index exists, and until it is dropped", arguments: TestedTables.Kind.allCases)
    func proposedIndex(kind: TestedTables.Kind) throws {
        let tables = try TestedTables(kind, in: scratch, Self.words)
        let rows = tables.rows(arranged: 1)
        /// The sorted keys, or the statement that makes the missing index.
        func sorted() throws -> String {
            do {
                return try rows.keys("/word") { $0.order.sort = try RowOrder("name") }.joined(separator: ", ")
            } catch let refusal as RowRefusal {
                guard case .needsIndex(let create?) = refusal.kind else { throw refusal }
                return create
            }
        }
        for _ in 0..<2 {
            try tables.change(try sorted())
            #expect(try sorted() == "2 0, 1 0, 3 0")
            try tables.change("DROP INDEX \"word_name\"")
        }
    }

    @Test("have sections in the order of any index that has them", arguments: TestedTables.Kind.allCases)
    func sectionsByIndex(kind: TestedTables.Kind) throws {
        let tables = try TestedTables(
            kind, in: scratch,
            // PostgreSQL does not use an index on a column that was changed before, while older transactions run.
            Self.words + "; CREATE INDEX word_size ON word (size, name, id); UPDATE word SET name = 'd' WHERE id = 2")
        let page = try tables.rows(arranged: 1).page("/word") { $0.order.group = .field(RowField("size")) }
        var keys: [String] = []
        page.forEachRow { keys.append(String(utf8: $0.key)) }
        #expect(keys == ["3", "2", "1"])
        // No record is without a size.
        #expect(page.sections.map { "\($0.title ?? "none") \($0.count)" } == ["1 2", "2 1"])
    }

    @Test(
        "have no key in an index over a part of the records, or over expressions", arguments: TestedTables.Kind.allCases
    )
    func partialIndexes(kind: TestedTables.Kind) throws {
        let tables = try TestedTables(
            kind, in: scratch,
            """
            CREATE TABLE part (a text NOT NULL, b text NOT NULL);
            CREATE UNIQUE INDEX part_a ON part (a) WHERE b = 'x'; CREATE UNIQUE INDEX part_b ON part (lower(a || b));
            INSERT INTO part VALUES ('p', 'x'), ('p', 'y'), ('q', 'y');
            CREATE TABLE whole (a text, b text NOT NULL); CREATE UNIQUE INDEX whole_a ON whole (a);
            INSERT INTO whole VALUES ('p', 'x'), (NULL, 'y'), (NULL, 'z');
            """)
        let positions = kind == .sqlite ? ["1 0", "2 0", "3 0"] : ["0 0", "1 0", "2 0"]
        #expect(try tables.rows().keys("/part") == positions)
        #expect(try tables.rows().keys("/whole") == positions)
        try tables.change("CREATE UNIQUE INDEX part_all ON part (b, a); CREATE UNIQUE INDEX whole_b ON whole (b)")
        #expect(try tables.rows().keys("/part") == ["x,p 0", "y,p 0", "y,q 0"])
        #expect(try tables.rows().keys("/whole") == ["x 0", "y 0", "z 0"])
    }

    @Test("keep the values of a column of any type in a strict table")
    func strictTables() throws {
        let tables = try TestedTables(
            .sqlite, in: scratch,
            """
            CREATE TABLE loose (id INTEGER PRIMARY KEY, value ANY) STRICT; CREATE INDEX loose_value ON loose (value, id);
            INSERT INTO loose VALUES (1, 5), (2, '5'), (3, '05'), (4, x'35')
            """)
        for arranged in [2, 1_000] {
            let keys = try tables.rows(arranged: arranged).keys("/loose") {
                $0.conditions = [try #require(RowCondition("value:5"))]
            }
            #expect(keys == ["1 0", "2 0"], "\(arranged)")
        }
    }

    @Test("are refused at once if they wait for no lock")
    func noPatience() throws {
        let tables = try TestedTables(.sqlite, in: scratch, Self.words)
        let rows = tables.rows { $0.timeout = .zero }
        let other = try SQLiteConnection(path: scratch("Tested.db"))
        try other.execute("BEGIN EXCLUSIVE")
        let begun = ContinuousClock.now
        let refusal = #expect(throws: RowRefusal.self) { try rows.keys("/word") }
        #expect(refusal?.sentence == "Another program holds the lock of the database. Try again later.")
        // SQLite itself would wait for five seconds.
        #expect(ContinuousClock.now - begun < .seconds(4))
    }

    // MARK: Estimates

    /// A table with records below one of them and beside them; the numbers are counted exactly up to 100,000.
    private func crowd(_ kind: TestedTables.Kind, _ count: Int) throws -> TestedTables {
        try TestedTables(
            kind, in: scratch,
            """
            \(kind == .postgres ? "SET session_replication_role = replica;" : "")
            CREATE TABLE item (id integer PRIMARY KEY, above integer REFERENCES item);
            CREATE TABLE mark (id integer PRIMARY KEY, item integer REFERENCES item);
            CREATE INDEX item_above ON item (above, id);
            INSERT INTO item VALUES (1, NULL), (2, 1); INSERT INTO mark VALUES (1, 2); ANALYZE;
            WITH RECURSIVE n(i) AS (SELECT 3 UNION ALL SELECT i + 1 FROM n WHERE i < \(count + 1))
            INSERT INTO item SELECT i, 1 FROM n;
            WITH RECURSIVE n(i) AS (SELECT 2 UNION ALL SELECT i + 1 FROM n WHERE i < \(count))
            INSERT INTO mark SELECT i, 2 FROM n;
            """)
    }

    @Test(
        "have exact numbers of up to 100,000 records, and mark larger ones as estimates",
        arguments: TestedTables.Kind.allCases, [100_000, 100_001])
    func estimates(kind: TestedTables.Kind, count: Int) throws {
        let rows = try crowd(kind, count).rows(arranged: 1) { $0.treeColumns = ["item": "above"] }
        let mark = count > 100_000 ? "~" : ""
        #expect(try rows.keys("/item") == ["1 \(mark)\(count + 1)"])
        #expect(try rows.keys("/item/1") { $0.page.limit = 1 } == ["2 1"])
        #expect(try rows.keys("/item/1/2") == ["mark \(mark)\(count)"])
        let page = try rows.page("/item/1/2/mark") { $0.page.limit = 1 }
        #expect((page.count, page.isEstimate) == (count, count > 100_000))
    }

    @Test(
        "have at least the rows that a page shows, however low the estimate is", arguments: TestedTables.Kind.allCases)
    func lowEstimates(kind: TestedTables.Kind) throws {
        let rows = try crowd(kind, 100_010).rows(arranged: 1)
        func page(_ start: Int, _ limit: Int) throws -> RowPage {
            try rows.page("/mark") { ($0.page.start, $0.page.limit) = (RowOffset(clamping: start), limit) }
        }
        for start in [100_000, 100_001, 100_005] {
            let page = try page(start, 3)
            #expect((page.start, page.numbers.count, page.isEstimate) == (start, 3, true))
            #expect(page.count >= start + 4 && page.next != nil)
        }
        let last = try page(100_007, 3)
        #expect((last.start, last.numbers.count, last.count) == (100_007, 3, 100_010) && last.next == nil)
        #expect(try page(100_010, 3).numbers.isEmpty)
        let far = try page(400_000, 3)
        #expect(far.numbers.isEmpty && far.count < 400_000)
    }

    // MARK: Drill columns

    @Test("have the records of all values that are one text below it", arguments: TestedTables.Kind.allCases)
    func equalTexts(kind: TestedTables.Kind) throws {
        let one = kind == .sqlite ? "'1'" : "1"
        let tables = try TestedTables(
            kind, in: scratch,
            """
            CREATE TABLE tool (id integer PRIMARY KEY, name text, number \(kind == .sqlite ? "" : "integer"));
            INSERT INTO tool (id, number) VALUES (1, 1), (2, \(one)), (3, 2), (4, 2);
            UPDATE tool SET name = 'e\u{301}'; UPDATE tool SET name = '\u{E9}' WHERE id > 2; UPDATE tool SET name = '' WHERE id = 4;
            INSERT INTO tool VALUES (5, NULL, NULL)
            """)
        func rows(_ column: String) -> TableRows {
            var reference = DatabaseReference()
            (reference.table, reference.drillColumns) = ("tool", [column])
            return tables.rows { $0.reference = reference }
        }
        #expect(try rows("name").keys("") == ["\u{E9} 3", "(none) 2"])
        #expect(try rows("name").keys("/e\u{301}") == ["1 0", "2 0", "3 0"])
        #expect(try rows("name").keys("/(none)") == ["4 0", "5 0"])
        #expect(try rows("number").keys("") == ["1 2", "2 2", "(none) 1"])
        #expect(try rows("number").keys("/1") == ["1 0", "2 0"])
    }

    /// The keys of a level, perhaps after the proposed index was made.
    private func drilled(_ rows: TableRows, _ path: String, in tables: TestedTables) throws -> (
        create: String?, [String]
    ) {
        do { return (nil, try rows.keys(path)) } catch let refusal as RowRefusal {
            guard case .needsIndex(let create?) = refusal.kind, refusal.parameter == nil else { throw refusal }
            try tables.change(create)
            return (create, try rows.keys(path))
        }
    }

    @Test(
        "have the values of drill columns of a large table once the proposed indexes exist",
        arguments: TestedTables.Kind.allCases)
    func drilledLargeTable(kind: TestedTables.Kind) throws {
        let tables = try TestedTables(
            kind, in: scratch,
            """
            CREATE TABLE tool (id integer PRIMARY KEY, kind text \(kind == .sqlite ? "COLLATE NOCASE" : ""), size integer);
            WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 200)
            INSERT INTO tool SELECT i, CASE i % 5 WHEN 0 THEN 'A' WHEN 1 THEN 'a' WHEN 2 THEN 'b' WHEN 3 THEN '' END, i % 3 FROM n;
            """)
        var reference = DatabaseReference()
        (reference.table, reference.drillColumns) = ("tool", ["kind", "size"])
        let (small, large) = (
            tables.rows { $0.reference = reference }, tables.rows(arranged: 10) { $0.reference = reference }
        )
        let collated = kind == .sqlite ? #" COLLATE "BINARY""# : ""
        let table = kind == .sqlite ? #""tool""# : #""public"."tool""#
        for (path, create) in [
            ("", #"CREATE INDEX "tool_kind" ON \#(table) ("kind"\#(collated), "id")"#),
            ("/a", #"CREATE INDEX "tool_kind_size" ON \#(table) ("kind"\#(collated), "size", "id")"#), ("/b", nil),
            ("/a/1", nil),
        ] {
            let found = try drilled(large, path, in: tables)
            #expect(found.create == create, "\(path)")
            let keys = found.1.map { String($0.prefix { $0 != " " }) }
            #expect(try Set(keys) == Set(small.keys(path).map { String($0.prefix { $0 != " " }) }), "\(path)")
        }
        #expect(try Set(large.keys("")) == ["(none) ~1", "A 3", "a 3", "b 3"])
        // No index gives the values of records with NULL or an empty text.
        let refusal = try #require(throws: RowRefusal.self) { try large.keys("/(none)") }
        #expect(refusal.kind == .needsIndex(create: nil))
        #expect(try small.keys("") == ["a 3", "b 3", "(none) 3", "A 3"])
        #expect(try large.read("/a/1") { reading, item in try reading.detail(of: item).children.count } == 14)
        reference.drillColumns = ["id"]
        #expect(try tables.rows(arranged: 10) { $0.reference = reference }.keys("/7") == ["7 0"])
        try tables.change(
            """
            WITH RECURSIVE n(i) AS (SELECT 201 UNION ALL SELECT i + 1 FROM n WHERE i < 1000) INSERT INTO tool SELECT i, 'c', 0 FROM n
            """)
        #expect(try tables.rows(arranged: 10) { $0.reference = reference }.page("").count == 1_000)
        try tables.change("INSERT INTO tool (id) VALUES (1001)")
        #expect(
            throws: RowRefusal(
                kind: .needsIndex(create: nil), sentence: "'id' has more than 1000 values; drill by another field.")
        ) { try tables.rows(arranged: 10) { $0.reference = reference }.keys("") }
    }

    // MARK: Views without a key

    /// A view of 25 records; in PostgreSQL, it counts its runs.
    private static let views = """
        CREATE VIEW runs AS WITH RECURSIVE n(i) AS (SELECT 0 UNION ALL SELECT i + 1 FROM n WHERE i < 24)
        SELECT 'record ' || i AS name, i % 5 AS size, i / 5 AS shelf FROM n
        """
    private static let countedView = """
        CREATE VIEW runs AS WITH run AS MATERIALIZED (
          SELECT set_config('test.runs', (coalesce(nullif(current_setting('test.runs', true), ''), '0')::int + 1)::text, false))
        SELECT 'record ' || i AS name, i % 5 AS size FROM run, generate_series(0, 24) i ORDER BY i
        """

    @Test(
        "without a key have the same pages and details in the first answer and later",
        arguments: TestedTables.Kind.allCases)
    func viewWithoutKey(kind: TestedTables.Kind) throws {
        let tables = try TestedTables(kind, in: scratch, Self.views)
        let kept = tables.rows()
        for rows in [tables.rows(), kept, kept] {
            let page = try rows.page("/runs") { ($0.page.start, $0.page.limit) = (RowOffset(clamping: 7), 3) }
            #expect((page.start, page.count, page.itemCount, page.isEstimate) == (7, 25, 25, false))
            #expect(try rows.keys("/runs") { ($0.page.after, $0.page.limit) = (page.next, 2) } == ["10 0", "11 0"])
            #expect(
                try tables.rows().keys("/runs") { ($0.page.after, $0.page.limit) = (page.next, 2) } == ["10 0", "11 0"])
            let last = try rows.page("/runs") { ($0.page.start, $0.page.limit) = (RowOffset(clamping: 22), 3) }
            #expect(last.next == nil && last.numbers.count == 3)
            #expect(try rows.keys("/runs") { $0.page.start = RowOffset(clamping: 26) } == [])
            #expect(
                try rows.keys("/runs") { ($0.order.sort, $0.page.limit) = (try RowOrder("-size,name"), 3) }
                    == ["14 0", "19 0", "24 0"])
            // Records that are equal in the order stay in the order of the view.
            var (keys, next): ([String], RowBookmark?) = ([], nil)
            repeat {
                let page = try rows.page("/runs") {
                    ($0.order.sort, $0.page.after, $0.page.limit) = (try RowOrder("-shelf"), next, 1)
                }
                page.forEachRow { keys.append(String(utf8: $0.key)) }
                next = page.next
            } while next != nil && keys.count < 30
            #expect(keys == (0..<25).map { "\(20 - $0 / 5 * 5 + $0 % 5)" })
            let filtered = try rows.page("/runs") { $0.conditions = [try #require(RowCondition("size:9"))] }
            #expect((filtered.count, filtered.itemCount) == (0, 25))
            try rows.read("/runs") { reading, item in
                let detail = try reading.detail(of: item)
                #expect((detail.item.count, detail.children.count) == (25, 25))
                #expect(detail.children.first.map { $0.level.title($0.row) } == "record 0")
                #expect(detail.children.last.map { $0.level.title($0.row) } == "record 24")
            }
            for position in [0, 7, 24] {
                try rows.read("/runs/\(position)") { reading, item in
                    let detail = try reading.detail(of: item)
                    #expect((detail.position, detail.count, detail.item.count) == (position, 25, 0))
                    #expect(
                        detail.previous.map { $0.level.title($0.row) }
                            == (position == 0 ? nil : "record \(position - 1)"))
                    #expect(
                        detail.next.map { $0.level.title($0.row) } == (position == 24 ? nil : "record \(position + 1)"))
                }
            }
        }
    }

    @Test("without a key are run once for a page or a detail")
    func runsOfView() throws {
        let tables = try TestedTables(.postgres, in: scratch, Self.countedView)
        /// The number of runs for an answer of a new server.
        func runs(_ path: String, _ answer: (TableReading, Item) throws -> Void) throws -> String? {
            try tables.rows().read(path) { reading, item in
                try answer(reading, item)
                return try reading.database.connection.first("SELECT current_setting('test.runs', true)")?[0].string
            }
        }
        #expect(try runs("/runs") { _ = try $0.page(RowQuery(), below: $1) } == "1")
        #expect(try runs("/runs") { _ = try $0.page(RowQuery(limit: 3), below: $1) } == "1")
        #expect(try runs("/runs") { _ = try $0.detail(of: $1) } == "1")
        // The record is read with its fields, the others with their titles.
        #expect(try runs("/runs/3") { _ = try $0.detail(of: $1) } == "2")
        // The order is found first, and is kept. The page is then read with its fields.
        #expect(try runs("/runs") { _ = try $0.page(RowQuery(sort: "-size"), below: $1) } == "2")
    }

    // MARK: A file

    @Test("are published after another file has taken the place of the file")
    func replacedFile() throws {
        func make(_ name: String, _ title: String) throws {
            try SQLiteConnection(path: scratch(name), for: .create)
                .execute(
                    "CREATE TABLE word (id integer PRIMARY KEY, name text); INSERT INTO word VALUES (1, '\(title)')")
        }
        try make("Tested.db", "old")
        let options = TableRows.Options()
        let commits = TablesPlace.file(scratch("Tested.db")).makeCommits(options)
        let rows = TableRows(path: scratch("Tested.db"), options: options)
        func title() throws -> String {
            try rows.read("/word/1") { _, item in item.own.level.title(item.own.row) }
        }
        // Always so late that the file is looked at.
        var now = ContinuousClock.now
        func isTaken() -> Bool {
            now += .seconds(10)
            return commits.takeCommit(at: now)
        }
        #expect(try title() == "old")
        #expect(!isTaken())
        for name in ["new", "newer"] {
            try make("\(name).db", name)
            try scratch.rename("\(name).db", "Tested.db")
            #expect(isTaken())
            #expect(!isTaken())
            #expect(try title() == name)
        }
        // At most ten commits are reported in a second.
        for (milliseconds, isReported) in [(10_000, true), (10_099, false), (10_100, true)] {
            try SQLiteConnection(path: scratch("Tested.db")).execute("UPDATE word SET id = id + 1")
            #expect(commits.takeCommit(at: now + .milliseconds(milliseconds), isAsked: true) == isReported)
        }
    }
}

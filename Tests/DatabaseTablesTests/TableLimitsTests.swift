import Bytes
import DatabaseTrees
import Levels
import Testing
import TreeSources

@testable import DatabaseTables
@testable import Levels
@testable import TestSupport

/// The limits of tables, each at its last value and one beyond it.
@Suite("The limits of tables") struct TableLimitsTests {
    private let scratch: ScratchFolder

    init() throws { scratch = try ScratchFolder() }

    // MARK: What is kept

    private static func name(_ number: Int, of table: String? = nil) -> ListName {
        ListName(
            records: "FROM \(identifier: table ?? "t")", part: "\(number)", query: nil, isOfTable: table != nil)
    }

    @Test("keep results of a state until there are too many, of counts in whole tables all")
    func knownState() throws {
        let count = RecordCount(number: 7, isEstimate: false)
        for (added, isKept) in [(1_023, true), (1_024, false)] {
            let known = KnownState()
            for number in 0...added { known.keep(count, as: Self.name(number)) }
            #expect((known.count(Self.name(0)) != nil) == isKept)
            #expect(known.count(Self.name(added)) == count)
            for number in 0...added { known.keep(count, as: Self.name(number, of: "t")) }
            #expect(known.count(Self.name(0, of: "t")) == count)
        }
        for (added, isKept) in [(63, true), (64, false)] {
            let known = KnownState()
            var counted = 0
            for number in Array(0...added) + [0] {
                _ = try known.runs(Self.name(number)) {
                    counted += 1
                    return []
                }
            }
            #expect(counted == added + (isKept ? 1 : 2))
        }
    }

    @Test("keep the longest samples of eight orders")
    func samples() {
        func samples(_ count: Int, isComplete: Bool = false) -> RankSamples {
            RankSamples(values: Array(repeating: [.null], count: count), isComplete: isComplete)
        }
        let known = KnownState()
        for (added, kept) in [
            (samples(2), 2), (samples(1), 2), (samples(3), 3), (samples(3, isComplete: true), 3),
            (samples(1, isComplete: true), 1),
        ] {
            known.keep(added, as: Self.name(0))
            #expect(known.ranks[Self.name(0)]?.values.count == kept)
        }
        for number in 1...7 { known.keep(samples(1), as: Self.name(number)) }
        known.keep(samples(2), as: Self.name(7))
        #expect(known.ranks.count == 8)
        known.keep(samples(1), as: Self.name(8))
        #expect(known.ranks.keys.map(\.part) == ["8"])
    }

    @Test("keep the latest four arrangements, and none of more than 32 MiB")
    func arrangements() throws {
        func arranged(_ bytes: Int) throws -> ArrangedRecords {
            var packer = RowPacker()
            packer.beginRow(key: [UInt8]().span, title: [UInt8](repeating: 65, count: bytes).span)
            let level = try packer.packed()
            return ArrangedRecords(rows: ArrangedRows(level: level, by: RowQuery()), level: level)
        }
        let known = KnownState()
        /// The numbers of the arrangements that are made for answers with the arrangements of some numbers.
        func made(_ numbers: [Int], bytes: Int = 1) throws -> [Int] {
            var made: [Int] = []
            for number in numbers {
                _ = try known.arrangement(Self.name(number)) { () throws(DatabaseError) in
                    made.append(number)
                    do { return try arranged(bytes) } catch { throw .outOfMemory }
                }
            }
            return made
        }
        #expect(try made([0, 1, 2, 3, 0, 1, 2, 3]) == [0, 1, 2, 3])
        #expect(try made([4, 1, 2, 3, 4, 0]) == [4, 0])
        #expect(try made([5, 5, 6, 5], bytes: 17 << 20) == [5, 6, 5])
        #expect(try made([7, 7], bytes: 33 << 20) == [7, 7])
    }

    @Test("keep eight connections, which are used again")
    func connections() throws {
        try TestedTables(.sqlite, in: scratch, "CREATE TABLE t (id INTEGER PRIMARY KEY)").change("SELECT 1")
        let pool = TableRows(path: scratch("Tested.db"), options: TableRows.Options()).pool
        let first = try (0..<9).map { _ in try pool.take() }
        for database in first { pool.giveBack(database) }
        let again = try (0..<9).map { _ in try pool.take() }
        #expect(again.count { one in first.contains { $0 === one } } == 8)
    }

    @Test("count anew in each state that no other connection knows")
    func unsharedStates() throws {
        let tables = try TestedTables(.sqlite, in: scratch, "CREATE TABLE t (id INTEGER PRIMARY KEY)")
        let options = TableOptions()
        let database = OpenDatabase(
            try SQLiteTables(path: scratch("Tested.db"), options: options), options: options, states: KnownStates())
        for number in 0...2 {
            try database.begin(until: .now + .seconds(60))
            #expect(try database.count(RecordList(database.catalogue.tables[0]), upTo: 9).number == number)
            database.end()
            try tables.change("INSERT INTO t VALUES (\(number))")
        }
    }

    // MARK: Numbers of records

    @Test("are in counts: a list with more records has an estimate", arguments: TestedTables.Kind.allCases)
    func counts(kind: TestedTables.Kind) throws {
        let tables = try TestedTables(
            kind, in: scratch,
            """
            CREATE TABLE box (id integer PRIMARY KEY); INSERT INTO box VALUES (1);
            CREATE TABLE thing (id integer PRIMARY KEY, box integer REFERENCES box);
            WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 50)
            INSERT INTO thing SELECT i, CASE WHEN i <= 5 THEN 1 END FROM n;
            CREATE INDEX few ON thing (box) WHERE box IS NOT NULL; ANALYZE
            """)
        let reading = try TableReading(rows: tables.rows())
        defer { reading.end() }
        let database = try reading.database
        let thing = try #require(database.catalogue.tables.last)
        let below = database.catalogue.list(
            of: try #require(thing.references.first), to: RecordIdentity(columns: ["id"], values: [.integer(1)]))
        for (list, limit, number, isEstimate) in [
            (RecordList(thing), 50, 50, false), (RecordList(thing), 49, 50, true), (RecordList(thing), 3, 50, true),
            (below, 5, 5, false), (below, 4, 5, true), (below, 3, 4, true),
        ] {
            let count = try database.count(list, upTo: limit)
            #expect(count == RecordCount(number: number, isEstimate: isEstimate), "up to \(limit)")
        }
    }

    @Test("are twice the exact numbers in PostgreSQL, because its estimates may be too high")
    func estimates() throws {
        let tables = try TestedTables(
            .postgres, in: scratch,
            "CREATE TABLE t (id int PRIMARY KEY); INSERT INTO t VALUES (1), (2); ANALYZE t")
        for (rows, isEstimate) in [(200_000, false), (200_001, true)] {
            try tables.change("UPDATE pg_class SET reltuples = \(rows) WHERE relname = 't'")
            let page = try tables.rows(arranged: 1).page("/t")
            #expect((page.numbers.count, page.isEstimate) == (2, isEstimate), "\(rows)")
        }
    }

    @Test("are 10,000 records that only positions name", arguments: TestedTables.Kind.allCases)
    func positions(kind: TestedTables.Kind) throws {
        let tables = try TestedTables(
            kind, in: scratch,
            """
            CREATE VIEW v AS WITH RECURSIVE n(i) AS (SELECT 0 UNION ALL SELECT i + 1 FROM n WHERE i < 10001)
            SELECT i, 'n' || i AS name FROM n
            """)
        let start = RowOffset(clamping: 9_998)
        // In PostgreSQL, the records of a table without a key have only positions, too.
        if kind == .postgres { try tables.change("CREATE TABLE w AS SELECT * FROM v") }
        for name in kind == .postgres ? ["v", "w"] : ["v"] {
            let kept = tables.rows()
            for rows in [tables.rows(), kept, kept] {
                let page = try rows.page("/\(name)") { ($0.page.start, $0.page.limit) = (start, 5) }
                #expect((page.count, page.numbers.count, page.next == nil) == (10_000, 2, true))
                #expect(
                    page.refusal
                        == "The rows of '\(name)' have no key, so only their positions name them, and at most 10000 are shown; give the table a primary key, or name the columns of a key with 'Key'."
                )
                let last = try rows.keys("/\(name)") { ($0.order.sort, $0.page.limit) = (try RowOrder("-i"), 1) }
                #expect(last == ["9999 0"])
                #expect(try rows.read("/\(name)/9999") { $1.own.level.title($1.own.row) } == "n9999")
                #expect(try item("/\(name)/10000", in: rows.begin()) == nil)
            }
        }
    }

    @Test("are 100 warnings of a load", arguments: ["CREATE TABLE t", "CREATE VIEW t"])
    func warnings(create: String) throws {
        let kind = create.contains("TABLE") ? "(a)" : "AS SELECT a FROM none"
        _ = try TestedTables(.sqlite, in: scratch, (0...100).map { "\(create)\($0) \(kind)" }.joined(separator: ";"))
        let source = DatabaseTables(sqlite: scratch("Tested.db"), name: "sqlite:Tested.db", options: TableOptions())
        #expect(try source.load(replacing: nil).warnings.count == 100)
    }

    // MARK: Sizes of values

    /// The names of the fields of each row.
    private func fields(_ page: RowPage, among names: [String]) -> [[String]] {
        var found: [[String]] = []
        page.forEachRow { row in
            found.append(
                names.filter {
                    FieldValue.field(named: $0.utf8Span.span, of: row.packed, in: row.bytes) != nil
                })
        }
        return found
    }

    @Test("are 4,096 bytes of a value in a row, and 1 MiB in a detail", arguments: TestedTables.Kind.allCases)
    func sizes(kind: TestedTables.Kind) throws {
        let data = kind == .sqlite ? "zeroblob(%)" : "decode(repeat('00', %), 'hex')"
        let text = kind == .sqlite ? "printf('%.%c', 'x')" : "repeat('x', %)"
        func values(_ count: Int) -> [String] {
            let (data, text) = (data.replacing("(%", with: "(\(count)"), text.replacing(".%", with: ".\(count)"))
            return [data.replacing(", %", with: ", \(count)"), text.replacing(", %", with: ", \(count)")]
        }
        var rows: [String] = []
        for count in [4_096, 4_097, 1 << 20, 1 << 20 + 1] {
            for (column, value) in values(count).enumerated() {
                rows.append("(\(rows.count), \(column == 0 ? value : "NULL"), \(column == 1 ? value : "NULL"))")
            }
        }
        rows.append("(8, \(values(4_097)[0]), \(values(4_097)[1]))")
        let tables = try TestedTables(
            kind, in: scratch,
            """
            CREATE TABLE t (id integer PRIMARY KEY, d \(kind == .sqlite ? "" : "bytea"), x text, name integer);
            INSERT INTO t (id, d, x) VALUES \(rows.joined(separator: ", "))
            """)
        let page = try tables.rows().page("/t") { $0.fields = .all }
        #expect(fields(page, among: ["d", "x"]) == [["d"], ["x"], [], [], [], [], [], [], []])
        var refusals: [String?] = []
        page.forEachRow { refusals.append($0.refusal) }
        func refusal(_ number: Int, _ size: Int, _ advice: String) -> String {
            "'\(number % 2 == 0 ? "d" : "x")' has \(size) bytes, more than the \(advice)."
        }
        let advice = "4096 that are shown here; the detail shows up to 1048576"
        #expect(
            refusals == [nil, nil] + (2..<8).map { refusal($0, [4_097, 1 << 20, 1 << 20 + 1][$0 / 2 - 1], advice) }
                + [refusal(8, 4_097, advice)])
        for number in 0..<8 {
            let detail = try tables.rows().read("/t/\(number)") { try $0.detail(of: $1) }
            let wanted = number < 6 ? nil : refusal(number, 1 << 20 + 1, "1048576 that are shown here")
            #expect(detail.children.refusal == wanted)
        }
    }

    @Test("are of values that rows show without being asked", arguments: TestedTables.Kind.allCases)
    func shortValues(kind: TestedTables.Kind) throws {
        let long = String(repeating: "x", count: FieldSelection.longestShortText)
        let (json, data) = kind == .sqlite ? ("text", "x'00'") : ("json", "'\\x00'")
        let tables = try TestedTables(
            kind, in: scratch,
            """
            CREATE TABLE t (id integer PRIMARY KEY, title text, a text, n real, d \(kind == .sqlite ? "" : "bytea"), j \(json));
            INSERT INTO t VALUES (1, 'one', '\(long)', 1.5, \(data), NULL), (2, '', '\(long)x', NULL, NULL, '7');
            CREATE TABLE u (id integer PRIMARY KEY, title real, a text);
            INSERT INTO u VALUES (1, 1.5, ''), (2, NULL, NULL)
            """)
        let names = ["id", "title", "a", "n", "d", "j"]
        #expect(try fields(tables.rows().page("/t"), among: names) == [["id", "a", "n"], ["id", "title", "j"]])
        #expect(try fields(tables.rows().page("/u"), among: names) == [["id", "a"], ["id"]])
        guard kind == .postgres else { return }
        try tables.change("UPDATE t SET j = '{\"a\": 1}'")
        #expect(try fields(tables.rows().page("/t"), among: ["j"]) == [[], []])
        #expect(try fields(tables.rows().page("/t") { $0.fields = .all }, among: ["j", "d"]) == [["j", "d"], ["j"]])
    }

    // MARK: Cursors

    @Test("are those of a cursor, whose bytes may be cut anywhere")
    func cursors() throws {
        let values: [DatabaseValue] = [
            .null, .integer(.min), .real(-0.5), .text("é"), .data([]), .text(""), .data([0, 255]), .integer(.max),
        ]
        for section in [nil, 0, UInt64.max] {
            let cursor = PageCursor(
                shape: .max, position: RowOffset.largest, row: 128, values: values,
                mark: ArrangedRows.Mark(orderKey: [1, 2], section: section))
            guard case .supplied(let bytes) = cursor.bookmark else { return }
            let read = try #require(PageCursor(bytes))
            #expect((read.shape, read.position, read.row) == (.max, RowOffset.largest, 128))
            #expect(read.values == values && read.mark.orderKey == [1, 2] && read.mark.section == section)
            // A part is malformed, or is a cursor with fewer values.
            let counts = (0..<bytes.count).map { PageCursor(Array(bytes.prefix($0)))?.values.count }
            #expect(counts.compactMap(\.self) == Array(0..<values.count))
        }
        let start = [UInt8](repeating: 0, count: 10)
        #expect(PageCursor(start + [0, 1]) == nil)
        for (end, isRead) in [([0, 0], true), ([0, 2], false), ([0, 0, 5], false)] as [([UInt8], Bool)] {
            #expect((PageCursor(start + end) != nil) == isRead, "\(end)")
        }
    }

    @Test("are the queries of a cursor: it is one of another list for each other query")
    func queries() throws {
        let tables = try TestedTables(
            .sqlite, in: scratch,
            "CREATE TABLE t (id INTEGER PRIMARY KEY, name TEXT); INSERT INTO t (name) VALUES ('xa'), ('xb'), ('xc')")
        var queries = [
            RowQuery(), try RowQuery(where: "name>a"), try RowQuery(where: "name>b"), try RowQuery(sort: "name"),
            try RowQuery(sort: "-name"), try RowQuery(group: "name"), try RowQuery(sort: "name", group: "name"),
        ]
        for (search, fields) in [("x", nil), ("x", .all), ("", .all)] as [(String, SearchedFields?)] {
            var query = RowQuery()
            if search.isEmpty {
                query.alternatives = [try #require(RowCondition("name>a")), try #require(RowCondition("name>b"))]
            } else {
                (query.search, query.searchedFields) = (search, fields)
            }
            queries.append(query)
        }
        let rows = tables.rows()
        for query in queries {
            let next = try rows.page("/t") {
                $0 = query
                $0.page.limit = 1
            }.next
            #expect(next != nil)
            for other in queries {
                func page() throws -> RowPage {
                    try rows.page("/t") {
                        $0 = other
                        $0.page.after = next
                    }
                }
                if other == query {
                    #expect(try page().numbers.count == 2)
                } else {
                    #expect(throws: PageCursor.foreign, "\(query), \(other)") { try page() }
                }
            }
        }
    }
}

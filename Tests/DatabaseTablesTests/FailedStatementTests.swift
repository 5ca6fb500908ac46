import Bytes
import DatabaseTrees
import Levels
import TestSources
import Testing
import TreeSources

@testable import DatabaseTables
@testable import DatabaseTrees
@testable import Levels
@testable import TestSupport

/// A connection that fails at one of its calls, or at one of the rows that it reads.
private final class FailingConnection: TableConnection {
    private let inner: any TableConnection
    private var left: Int
    private(set) var hasFailed = false
    static let error = DatabaseError(kind: .away, reason: "the connection is cut")

    init(_ inner: any TableConnection, at number: Int) { (self.inner, left) = (inner, number) }

    private func step() throws(DatabaseError) {
        left -= 1
        guard left != 0 else {
            hasFailed = true
            throw Self.error
        }
    }

    var isCurrent: Bool { inner.isCurrent }

    func begin(
        until deadline: ContinuousClock.Instant, while isWanted: @escaping @Sendable () -> Bool
    ) throws(DatabaseError) -> DatabaseState {
        try step()
        return try inner.begin(until: deadline, while: isWanted)
    }

    func end() { inner.end() }

    func readCatalogue(_ options: TableOptions) throws(DatabaseError) -> Catalogue {
        try step()
        return try inner.readCatalogue(options)
    }

    func rows(_ sql: SQL, _ body: (ResultRow) throws(DatabaseError) -> Void) throws(DatabaseError) {
        try step()
        try inner.rows(sql) { (row) throws(DatabaseError) in
            try step()
            try body(row)
        }
    }

    func plan(of sql: SQL, combinesIndexes: Bool) throws(DatabaseError) -> StatementPlan {
        try step()
        return try inner.plan(of: sql, combinesIndexes: combinesIndexes)
    }

    func briefly<Result>(
        within limit: Duration?, _ body: () throws(DatabaseError) -> Result
    ) throws(DatabaseError) -> Result? { try inner.briefly(within: limit, body) }

    func estimate(_ table: Table) throws(DatabaseError) -> Int {
        try step()
        return try inner.estimate(table)
    }

    func indexes(of table: Table) throws(DatabaseError) -> [[Int]] {
        try step()
        return try inner.indexes(of: table)
    }

    func hasRelation(named name: String, beside table: Table) throws(DatabaseError) -> Bool {
        try step()
        return try inner.hasRelation(named: name, beside: table)
    }
}

@Suite("An answer during which a statement fails") struct FailedStatementTests {
    private let scratch: ScratchFolder
    private let path: String

    init() throws {
        scratch = try ScratchFolder()
        path = scratch("Shop.db")
        try SQLiteConnection(path: path, for: .create).execute(
            """
            CREATE TABLE box (id INTEGER PRIMARY KEY, name TEXT); INSERT INTO box VALUES (1, 'one'), (2, 'two');
            CREATE TABLE thing (a TEXT, b INTEGER, kind TEXT, size INTEGER, box REFERENCES box, PRIMARY KEY (a, b));
            CREATE INDEX thing_kind ON thing (kind, size, a, b); CREATE INDEX thing_size ON thing (size, a, b);
            CREATE INDEX thing_box ON thing (box);
            INSERT INTO thing VALUES ('a', 1, 'x', 2, 1), ('a', NULL, 'x', 1, 1), ('a', NULL, 'y', NULL, 1), ('b', 2, 'y', 2, 2),
              (NULL, 3, NULL, 1, 1), ('c', 1, 'x', 3, 2);
            CREATE TABLE part (id TEXT PRIMARY KEY NOT NULL, whole TEXT REFERENCES part);
            CREATE TABLE use (id INTEGER PRIMARY KEY, part TEXT REFERENCES part);
            INSERT INTO part VALUES ('car', NULL), ('door', 'car'), ('use', 'car'), ('knob', 'door'); INSERT INTO use VALUES (1, 'car');
            CREATE VIEW names AS SELECT name FROM box;
            CREATE TABLE many (id INTEGER PRIMARY KEY);
            WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 10010) INSERT INTO many SELECT i FROM n
            """)
    }

    private static func text(_ step: Item.Step?) -> String { step.map { $0.level.title($0.row) } ?? "nil" }

    /// The rows of a page, or without a query the parts of a detail.
    private static func answer(_ path: String, _ query: RowQuery?, of rows: TableRows) throws -> [String] {
        let reading = try rows.begin()
        defer { reading.end() }
        let item = try #require(try item(path, in: reading))
        guard let query else {
            let detail = try reading.detail(of: item)
            return [
                text(detail.item.own), text(detail.previous), text(detail.next), text(detail.children.first),
                text(detail.children.last),
                "\(detail.count) \(detail.children.count) \(String(describing: detail.links))",
            ]
        }
        let page: RowPage
        do throws(RowRefusal) { page = try reading.page(query, below: item) } catch {
            guard case .needsIndex(let create) = error.kind else { throw error }
            return [create ?? "no index helps"]
        }
        var lines = ["\(page.start) \(page.count) \(page.sections.map(\.title)) \(page.itemCount ?? -1)"]
        page.forEachRow { lines.append("\(String(utf8: $0.key)) \(String(utf8: $0.title)) \($0.count)") }
        return lines
    }

    /// Fails each statement and each row in turn: the answer is refused for that, until it needs no further statement and is
    /// whole.
    private func check(_ options: TableOptions, _ name: String, _ answer: (TableRows) throws -> [String]) throws {
        let whole = try answer(TableRows(path: path, options: options))
        for number in 1... {
            let rows = TableRows(path: path, options: options)
            let connection = FailingConnection(try SQLiteTables(path: path, options: options), at: number)
            rows.pool.giveBack(OpenDatabase(connection, options: options, states: KnownStates()))
            do {
                let found = try answer(rows)
                try #require(!connection.hasFailed, "\(name), statement \(number)")
                #expect(found == whole, "\(name)")
                return
            } catch let refusal as RowRefusal {
                try #require(refusal == RowRefusal(FailingConnection.error), "\(name), statement \(number)")
            } catch let error as SourceError {
                try #require(error.reason == FailingConnection.error.reason, "\(name), statement \(number)")
            }
        }
    }

    @Test("is refused, whichever statement it is", arguments: [1, 1_000])
    func refused(arranged: Int) throws {
        var options = TableOptions()
        (options.arrangedRows, options.treeColumns) = (arranged, ["part": "whole"])
        var cases: [(String, RowQuery?)] = [
            ("", RowQuery()), ("/thing", try RowQuery(limit: 2)), ("/thing", try RowQuery(sort: "kind,size", limit: 3)),
            ("/thing", try RowQuery(sort: "-size")), ("/thing", try RowQuery(where: "kind:x")),
            ("/thing", try RowQuery(where: "kind:x", "a:c")), ("/thing", try RowQuery(where: "size>0")),
            ("/thing", try RowQuery(group: "size")), ("/thing", try RowQuery(sort: "a", group: "size")),
            ("/box/1", RowQuery()), ("/box/1/thing", try RowQuery(limit: 1)), ("/part", RowQuery()),
            ("/part/car", RowQuery()),
            ("/part/car", try RowQuery(limit: 2)), ("/names", RowQuery()), ("/names", try RowQuery(limit: 1)),
        ]
        for (path, query) in cases where query?.page.limit != nil {
            // The page after it.
            guard var next = query else { continue }
            next.page.after = try TableRows(path: self.path, options: options).page(path) { $0 = next }.next
            cases.append((path, next))
        }
        var far = try RowQuery(limit: 1)
        far.page.start = RowOffset(clamping: 10_005)
        cases.append(("/many", far))
        let details = [
            "", "/thing", "/thing/a,1", "/thing/a,~3,2", "/thing/~3,3", "/box/1", "/box/1/thing", "/box/1/thing/a,1",
            "/part/car",
            "/part/car/door", "/part/car/door/knob", "/part/car/use~2", "/part/car/use~2/1", "/names", "/names/1",
        ]
        for (path, query) in cases + details.map({ ($0, nil) }) {
            try check(options, "\(path) \(query.map { "\($0)" } ?? "detail")") { try Self.answer(path, query, of: $0) }
        }
        try check(options, "load") { [path] rows in
            try DatabaseTables(sqlite: path, name: "sqlite:Shop.db", options: options).load(rows, patience: .zero)
                .warnings
                .map(\.warning.message)
        }
    }

    @Test("whose connection to PostgreSQL breaks is refused, or whole")
    func cut() throws {
        let tables = try TestedTables(
            .postgres, in: scratch,
            """
            CREATE TABLE box (id int PRIMARY KEY, name text); INSERT INTO box VALUES (1, 'one'), (2, 'two');
            CREATE TABLE thing (id int PRIMARY KEY, size int, box int REFERENCES box); CREATE INDEX ON thing (size, id);
            CREATE INDEX ON thing (box); INSERT INTO thing SELECT i, i % 3, 1 + i % 2 FROM generate_series(1, 9) i;
            CREATE VIEW names AS SELECT name FROM box
            """)
        let server = try PostgresServer.shared.get()
        func rows(through folder: String) throws -> TableRows {
            var options = TableOptions()
            options.arrangedRows = 2
            let address = tables.address.replacing(server.folder, with: folder)
            return TableRows(.postgres(try PostgresDatabase(address, passwordFile: nil)), options: options)
        }
        let cases: [(String, RowQuery?)] = [
            ("", RowQuery()), ("/thing", try RowQuery(sort: "-size")), ("/thing", try RowQuery(where: "size:1")),
            ("/box/1/thing", nil), ("/names", RowQuery()),
        ]
        for (path, query) in cases {
            let whole = try Self.answer(path, query, of: rows(through: server.folder))
            for number in 1... {
                let way = try CutServer(to: server, at: number)
                do {
                    let found = try Self.answer(path, query, of: rows(through: way.folder))
                    try #require(found == whole, "\(path), message \(number)")
                    guard way.hasCut else { break }
                } catch let refusal as RowRefusal {
                    try #require(
                        way.hasCut && refusal.kind == .unreadable, "\(path), message \(number): \(refusal.sentence)")
                }
            }
        }
    }

    @Test("with conditions, an order and drill columns of its own is refused, too", arguments: [4, 1_000])
    func ofItems(arranged: Int) throws {
        var options = TableOptions()
        options.arrangedRows = arranged
        let drilled = DatabaseReference(table: "thing", drillColumns: ["kind", "size"])
        let arrangedItem = DatabaseReference(table: "box", conditions: ["id>0"], order: "-name")
        for (reference, paths) in [(drilled, ["", "/x", "/x/1", "/x/1/a,~3,2"]), (arrangedItem, ["", "/1"])] {
            options.reference = reference
            for path in paths {
                for query in [nil, RowQuery()] {
                    try check(options, "\(path) \(query == nil ? "detail" : "page")") {
                        try Self.answer(path, query, of: $0)
                    }
                }
            }
        }
    }
}

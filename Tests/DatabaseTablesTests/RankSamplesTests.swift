import Bytes
import DatabaseTrees
import Testing

@testable import DatabaseTables
@testable import Levels
@testable import TestSupport

/// Pages in the middle of a large table.
@Suite("The samples of an order") struct RankSamplesTests {
    private let scratch: ScratchFolder
    private let rows: TableRows
    private var options = TableRows.Options()
    private static let count = 25_000

    /// Records whose keys have gaps; no index orders them by serial number.
    init() throws {
        scratch = try ScratchFolder()
        try SQLiteConnection(path: scratch("Large.db"), for: .create).execute(
            """
            CREATE TABLE Owner (Id INTEGER PRIMARY KEY);
            CREATE TABLE Thing (Id INTEGER PRIMARY KEY, Size INTEGER NOT NULL, Weight INTEGER, Owner REFERENCES Owner,
              Serial INTEGER NOT NULL);
            CREATE INDEX Thing_Size ON Thing (Size, Id);
            CREATE INDEX Thing_Weight ON Thing (Weight, Id);
            CREATE INDEX Thing_Owner ON Thing (Owner);
            INSERT INTO Owner VALUES (1), (2);
            WITH n(i) AS (SELECT 0 UNION ALL SELECT i + 1 FROM n LIMIT \(Self.count))
              INSERT INTO Thing SELECT i * 3, i % 7, nullif(i % 5, 0), 1, -i FROM n;
            """)
        options.arrangedRows = 1
        rows = TableRows(path: scratch("Large.db"), options: options)
    }

    /// The keys of a page of three rows, with the number of samples that are kept then.
    private func page(
        at start: Int, of path: String = "/Thing", sort: String? = nil, in rows: TableRows? = nil
    ) throws -> (keys: [String], samples: Int) {
        let reading = try TableReading(rows: rows ?? self.rows)
        defer { reading.end() }
        guard case .found(let item) = try reading.find(try ItemPath(path.utf8Span.span)) else { return ([], 0) }
        var query = RowQuery()
        query.page.start = RowOffset(clamping: start)
        query.page.limit = 3
        query.order.sort = try sort.map { try RowOrder($0) }
        let page = try reading.page(query, below: item)
        var keys: [String] = []
        page.forEachRow { keys.append(String(utf8: $0.key)) }
        #expect(page.start == start)
        #expect((page.next == nil) == (start + 3 >= Self.count))
        return (keys, try reading.database.known.ranks.values.map(\.values.count).max() ?? 0)
    }

    /// The keys of all records in an order, as the test knows them.
    private static func keys(
        by precedes: ((Int, Int) -> Bool)? = nil
    ) -> [String] {
        let numbers = Array(0..<count)
        return (precedes.map { numbers.sorted(by: $0) } ?? numbers).map { "\($0 * 3)" }
    }

    private static let starts = [0, 9_999, 10_000, 10_001, 12_345, 20_999, 21_000, 24_998, 24_999, 25_000, 40_000]

    @Test("find the rows that stepping finds")
    func places() throws {
        let orders: [(sort: String?, keys: [String])] = [
            (nil, Self.keys()),
            ("Size", Self.keys { ($0 % 7, $0) < ($1 % 7, $1) }),
            ("-Size", Self.keys { ($0 % 7, $0) > ($1 % 7, $1) }),
        ]
        for (sort, keys) in orders {
            for start in Self.starts {
                let found = try page(at: start, sort: sort).keys
                #expect(found == Array(keys.dropFirst(start).prefix(3)), "\(sort ?? "key") at \(start)")
            }
        }
    }

    @Test("are read up to the place, once, and again after a commit")
    func kept() throws {
        #expect(try page(at: 9_999).samples == 0)
        #expect(try page(at: 12_345).samples == 49)
        #expect(try page(at: 10_000).samples == 49)
        #expect(try page(at: 24_000).samples == 96)
        #expect(try page(at: 40_000).samples == 100)
        try SQLiteConnection(path: scratch("Large.db"), for: .write).execute("DELETE FROM Owner WHERE Id = 2")
        #expect(try page(at: 0).samples == 0)
    }

    @Test("give the position of a page after a record, also when records have come and gone since")
    func positions() throws {
        /// The position of the page that a cursor leads to, and its first key.
        func page(after bookmark: RowBookmark?) throws -> (start: Int, key: String, next: RowBookmark?) {
            var options = options
            options.arrangedRows = 100_000
            let reading = try TableReading(rows: TableRows(path: scratch("Large.db"), options: options))
            defer { reading.end() }
            guard case .found(let item) = try reading.find(try ItemPath("/Thing".utf8Span.span)) else {
                return (-1, "", nil)
            }
            var query = RowQuery()
            query.page.limit = 1
            if let bookmark { query.page.after = bookmark } else { query.page.start = RowOffset(clamping: 12_345) }
            let page = try reading.page(query, below: item)
            var key = ""
            page.forEachRow { key = String(utf8: $0.key) }
            return (page.start, key, page.next)
        }
        func change(_ sql: String) throws {
            try SQLiteConnection(path: scratch("Large.db"), for: .write).execute(sql)
        }
        let first = try page(after: nil)
        #expect((first.start, first.key) == (12_345, "37035"))
        #expect(try page(after: first.next).start == 12_346)
        try change("DELETE FROM Thing WHERE Id < 6000")
        #expect(try page(after: first.next).start == 10_346)
        try change("DELETE FROM Thing WHERE Id < 36000")
        #expect(try page(after: first.next).start == 346)
        try change("INSERT INTO Thing SELECT Id - 36000, Size, Weight, Owner, Serial FROM Thing WHERE Id < 72000")
        let last = try page(after: first.next)
        #expect((last.start, last.key) == (12_346, "37038"))
    }

    @Test("are not read of an order with NULL or one that is sorted")
    func others() throws {
        let (weights, samples) = try page(at: 12_000, sort: "Weight")
        let keys = Self.keys { (($0 + 4) % 5, $0) < (($1 + 4) % 5, $1) }
        #expect(weights == Array(keys.dropFirst(12_000).prefix(3)))
        #expect(samples == 0)
        #expect(try page(at: 12_000, of: "/Owner/1/Thing").keys == Array(Self.keys().dropFirst(12_000).prefix(3)))
        var options = options
        options.reference = DatabaseReference(table: "Thing", key: ["Serial"])
        let (serials, sorted) = try page(at: 24_990, of: "", in: TableRows(path: scratch("Large.db"), options: options))
        #expect(serials == ["-9", "-8", "-7"])
        #expect(sorted == 0)
        // An index finds the records, but not in their order.
        options.reference?.drillColumns = ["Owner"]
        let (owned, sought) = try page(at: 24_990, of: "/1", in: TableRows(path: scratch("Large.db"), options: options))
        #expect(owned == serials)
        #expect(sought == 0)
    }
}

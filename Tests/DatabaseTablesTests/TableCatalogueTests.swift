import Bytes
import DatabaseTrees
import Levels
import Testing
import TreeSources

@testable import DatabaseTables
@testable import TestSupport

/// What the catalogue of a database says about its tables.
@Suite("The catalogue of tables") struct TableCatalogueTests {
    private let scratch: ScratchFolder

    init() throws { scratch = try ScratchFolder() }

    @Test(
        "gives a column of SQLite the affinity of its declared type",
        arguments: [
            ("INT", .integer), ("bigint", .integer), ("CHARINT", .integer), ("FLOATING POINT", .integer),
            ("VARCHAR(9)", .text), ("clob", .text), ("TEXT BLOB", .text), ("", .none), ("BLOB", .none),
            ("REAL BLOB", .none), ("REAL", .real), ("FLOAT", .real), ("DOUBLE PRECISION", .real),
            ("DECIMAL(10,5)", .numeric), ("STRING", .numeric), ("DATE", .numeric), ("ANY", .numeric),
        ] as [(String, Affinity)])
    func affinities(declared: String, affinity: Affinity) {
        #expect(Affinity(declared: declared, isStrict: false) == affinity)
        #expect(Affinity(declared: declared, isStrict: true) == (declared == "ANY" ? .none : affinity))
    }

    @Test("has the tables of users, by folded name and then by code point", arguments: TestedTables.Kind.allCases)
    func names(kind: TestedTables.Kind) throws {
        let own =
            kind == .sqlite
            ? "CREATE TABLE c (id INTEGER PRIMARY KEY AUTOINCREMENT); CREATE VIRTUAL TABLE d USING fts5(x); ANALYZE"
            : "CREATE TABLE c (id int); CREATE TEMPORARY TABLE x (id int); CREATE TABLE \"A\" (id int); CREATE TABLE d (x int)"
        let tables = try TestedTables(
            kind, in: scratch,
            """
            CREATE TABLE a (id integer PRIMARY KEY); CREATE TABLE "B" (id integer PRIMARY KEY); INSERT INTO a VALUES (1);
            CREATE INDEX b_id ON "B" (id); \(own)
            """)
        let names = try tables.rows().keys("").map { String($0.prefix { $0 != " " }) }
        #expect(names == (kind == .sqlite ? [] : ["A"]) + ["a", "B", "c", "d"])
        #expect(TablesPlace.file("Shop.db").title == Array("Shop.db".utf8))
    }

    @Test(
        "has the key with the fewest columns, in their order, and foreign keys to it",
        arguments: TestedTables.Kind.allCases)
    func keys(kind: TestedTables.Kind) throws {
        let tables = try TestedTables(
            kind, in: scratch,
            """
            CREATE TABLE pair (a text NOT NULL, b text NOT NULL, PRIMARY KEY (b, a)); INSERT INTO pair VALUES ('x', 'y'), ('w', 'z');
            CREATE TABLE part (id integer PRIMARY KEY, b text, a text, FOREIGN KEY (b, a) REFERENCES pair);
            INSERT INTO part VALUES (1, 'y', 'x'), (2, 'y', NULL);
            CREATE TABLE many (a text NOT NULL, b text NOT NULL, c text NOT NULL, d text NOT NULL);
            CREATE UNIQUE INDEX many_1 ON many (a, b); CREATE UNIQUE INDEX many_2 ON many (d);
            CREATE UNIQUE INDEX many_3 ON many (c); INSERT INTO many VALUES ('a', 'b', 'c', 'd');
            """)
        let rows = tables.rows()
        #expect(try rows.keys("/pair") == ["y,x 1", "z,w 1"])
        #expect(try rows.keys("/pair/y,x/part") == ["1 0"])
        #expect(try rows.keys("/many") == ["d 0"])
        func links(_ path: String) throws -> [RecordLinks.Link]? {
            try rows.read(path) { try $0.detail(of: $1).links?.references }
        }
        let path = ["pair", "y,x"].map { Array($0.utf8) }
        #expect(try links("/part/1") == [RecordLinks.Link(name: "b,a", title: path[1], path: path)])
        #expect(try links("/part/2") == [])
        // The rowid may only follow a key with NULL.
        for path in ["/pair/y,x,1", "/pair/y", "/many/d,1", "/part/1,1"] {
            #expect(try item(path, in: rows.begin()) == nil, "\(path)")
        }
    }

    @Test(
        "warns of foreign keys that no index begins with, in any order of their columns",
        arguments: TestedTables.Kind.allCases)
    func foreignKeysWithoutIndex(kind: TestedTables.Kind) throws {
        let columns = "(x integer, y integer, id integer"
        let tables = try TestedTables(
            kind, in: scratch,
            """
            CREATE TABLE pair (a integer NOT NULL, b integer NOT NULL, PRIMARY KEY (a, b));
            CREATE TABLE c1 \(columns) PRIMARY KEY, FOREIGN KEY (x, y) REFERENCES pair); CREATE INDEX i1 ON c1 (y, x, id);
            CREATE TABLE c2 \(columns) PRIMARY KEY, FOREIGN KEY (x, y) REFERENCES pair); CREATE INDEX i2 ON c2 (x, id, y);
            CREATE TABLE c3 \(columns), PRIMARY KEY (x, y, id), FOREIGN KEY (x, y) REFERENCES pair);
            CREATE TABLE c4 (id integer PRIMARY KEY REFERENCES c1);
            """)
        let reading = try TableReading(rows: tables.rows())
        defer { reading.end() }
        let name = kind == .sqlite ? #""c2""# : #""public"."c2""#
        let warnings = try reading.database.warnings().map { "\($0.path): \($0.message)" }
        #expect(
            warnings.filter { $0.contains("index") } == [
                #"/c2: no index finds the records that refer to a record of 'pair'; create one with CREATE INDEX "c2_x_y" ON \#(name) ("x", "y")"#
            ])
    }

    // MARK: Orders

    @Test("gives the order and the collation that a large table has", arguments: TestedTables.Kind.allCases)
    func orders(kind: TestedTables.Kind) throws {
        let collate = kind == .sqlite ? "COLLATE NOCASE" : "COLLATE \"C\""
        let tables = try TestedTables(
            kind, in: scratch,
            """
            CREATE TABLE word (id integer PRIMARY KEY, name text \(collate), size integer);
            CREATE INDEX word_name ON word (name, id); CREATE INDEX word_size ON word (size, id);
            INSERT INTO word VALUES (1, 'b', 2), (2, 'a', 1), (3, 'c', 1)
            """)
        let collation = kind == .sqlite ? "NOCASE" : nil
        let cases: [(RowQuery, [String], String?)] = [
            (RowQuery(), ["id"], nil), (try RowQuery(sort: "-id"), ["-id"], nil),
            (try RowQuery(sort: "name"), ["name", "id"], collation),
            (try RowQuery(sort: "-name"), ["-name", "-id"], collation),
            (try RowQuery(sort: "Title"), ["Title", "id"], collation), (try RowQuery(sort: "Key"), ["Key", "id"], nil),
            (try RowQuery(where: "size>0"), ["size", "id"], nil),
            (try RowQuery(group: "size"), ["id"], nil), (try RowQuery(sort: "name", group: "size"), [], nil),
        ]
        for (query, fields, collation) in cases where !fields.isEmpty {
            let order = RowPage.IndexOrder(fields: fields, collation: collation)
            #expect(try tables.rows(arranged: 2).page("/word") { $0 = query }.order == order, "\(query)")
            #expect(try tables.rows(arranged: 3).page("/word") { $0 = query }.order == nil, "\(query)")
        }
    }

    @Test(
        "has records without a key in the order of the table, whichever fields are shown",
        arguments: TestedTables.Kind.allCases)
    func orderWithoutKey(kind: TestedTables.Kind) throws {
        let sql: [TestedTables.Kind: String] = [
            .sqlite: """
            CREATE TABLE base (name text, filler text); CREATE INDEX base_name ON base (name);
            WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 2000)
            INSERT INTO base SELECT 9999 - i, printf('%.99c', 'x') FROM n;
            CREATE VIEW log AS SELECT name, filler FROM base
            """,
            .postgres: """
            CREATE TABLE log (name text NOT NULL, filler bytea); ALTER TABLE log ALTER filler SET STORAGE PLAIN;
            INSERT INTO log SELECT (9999 - i)::text, decode(repeat('00', 1500), 'hex') FROM generate_series(1, 2000) i;
            CREATE INDEX ON log (name)
            """,
        ]
        let tables = try TestedTables(kind, in: scratch, try #require(sql[kind]))
        if kind == .postgres { try tables.change("VACUUM ANALYZE log") }
        // An index alone has the titles, but in its own order.
        var titles: [String] = []
        try tables.rows().page("/log") { ($0.fields, $0.page.limit) = (.named(FieldNames([])), 3) }
            .forEachRow { titles.append(String(utf8: $0.title)) }
        #expect(titles == ["9998", "9997", "9996"])
    }

    @Test("has neighbours of records with NULL in their keys")
    func neighbours() throws {
        let rows = try TestedTables(
            .sqlite, in: scratch,
            """
            CREATE TABLE word (a TEXT, b INTEGER, PRIMARY KEY (a, b));
            INSERT INTO word VALUES ('x', 1), ('x', NULL), (NULL, 2), (NULL, 2), ('y', 3)
            """
        ).rows()
        let keys = ["x,1", "x,~3", "y,3", "~3,2,3", "~3,2,4"]
        func title(_ step: Item.Step?) -> String? { step.map { $0.level.title($0.row) } }
        for (number, key) in keys.enumerated() {
            let detail = try rows.read("/word/\(key)") { try $0.detail(of: $1) }
            #expect(title(detail.previous) == (number > 0 ? keys[number - 1] : nil))
            #expect(title(detail.next) == (number < 4 ? keys[number + 1] : nil))
        }
        #expect(try title(rows.read("/word") { try $0.detail(of: $1) }.children.last) == keys[4])
    }

    @Test("continues after a record that is gone", arguments: TestedTables.Kind.allCases, [1, 9])
    func goneRecord(kind: TestedTables.Kind, arranged: Int) throws {
        let tables = try TestedTables(
            kind, in: scratch,
            """
            CREATE TABLE word (id integer PRIMARY KEY, size integer); CREATE INDEX word_size ON word (size, id);
            INSERT INTO word VALUES (1, 1), (2, 1), (3, 1), (4, 2), (5, 1)
            """)
        let rows = tables.rows(arranged: arranged)
        let next = try rows.page("/word") { $0 = try RowQuery(sort: "size", limit: 2) }.next
        try tables.change("DELETE FROM word WHERE id IN (1, 2); INSERT INTO word VALUES (0, 1)")
        let keys = try rows.keys("/word") {
            $0 = try RowQuery(sort: "size")
            $0.page.after = next
        }
        #expect(keys == ["3 0", "5 0", "4 0"])
    }

    @Test("continues with the next section if that of the last record is gone", arguments: TestedTables.Kind.allCases)
    func goneSection(kind: TestedTables.Kind) throws {
        let tables = try TestedTables(
            kind, in: scratch,
            """
            CREATE TABLE word (id integer PRIMARY KEY, kind text); CREATE INDEX word_kind ON word (kind, id);
            INSERT INTO word VALUES (1, 'b'), (2, 'b'), (3, 'a')
            """)
        let rows = tables.rows(arranged: 1)
        let next = try rows.page("/word") { $0 = try RowQuery(group: "kind", limit: 1) }.next
        try tables.change("DELETE FROM word WHERE id = 3")
        let page = try rows.page("/word") {
            $0 = try RowQuery(group: "kind")
            $0.page.after = next
        }
        #expect((page.start, page.numbers.count, page.count) == (0, 2, 2))
    }

    /// The keys of the first page by a grouping, and the sections with their numbers of rows.
    private func grouped(_ group: String, _ sql: String) throws -> [[String]] {
        let rows = try TestedTables(.sqlite, in: scratch, sql).rows(arranged: 1)
        let page = try rows.page("/word") { $0 = try RowQuery(group: group) }
        var keys: [String] = []
        page.forEachRow { keys.append(String(utf8: $0.key)) }
        return [keys, page.sections.map { "\($0.title ?? "none") \($0.count)" }]
    }

    @Test("has one section for data and NULL")
    func sectionOfData() throws {
        let found = try grouped(
            "value",
            """
            CREATE TABLE word (id integer PRIMARY KEY, value); CREATE INDEX word_value ON word (value, id);
            INSERT INTO word (value) VALUES (NULL), (x'02'), (x'01'), ('a')
            """)
        #expect(found == [["4", "3", "2", "1"], ["a 1", "none 3"]])
    }

    @Test("has sections by first letters in either case if an index ignores it")
    func caselessInitials() throws {
        let found = try grouped(
            "initial",
            """
            CREATE TABLE word (id integer PRIMARY KEY, name text COLLATE NOCASE);
            CREATE INDEX word_name ON word (name, id);
            INSERT INTO word (name) VALUES ('Zip'), ('abd'), ('Abc'), ('zoo'), ('_x'), ('[y')
            """)
        #expect(found == [["3", "2", "1", "4", "6", "5"], ["A 2", "Z 2", "# 2"]])
    }

    @Test("refuses to look through too many records for a condition", arguments: TestedTables.Kind.allCases)
    func tooManyRecords(kind: TestedTables.Kind) throws {
        let tables = try TestedTables(
            kind, in: scratch,
            """
            CREATE TABLE word (id integer PRIMARY KEY, name text, size integer);
            CREATE INDEX word_size ON word (size, id); INSERT INTO word VALUES (1, 'b', 2), (2, 'a', 1), (3, 'c', 1)
            """)
        var (searched, either) = (try RowQuery(where: "size>0"), try RowQuery(group: "size"))
        searched.search = "a"
        either.alternatives = [try #require(RowCondition("size>1")), try #require(RowCondition("size:1"))]
        for (query, parameter) in [
            (try RowQuery(where: "size>0", "name~a"), "where"), (try RowQuery(where: "size>0", group: "size"), "where"),
            (searched, "where"), (either, "any"),
        ] {
            let sentence =
                "More than 2 records of 'word' may meet the condition, which are too many to be looked through; add another condition."
            #expect(throws: RowRefusal(kind: .needsIndex(create: nil), parameter: parameter, sentence: sentence)) {
                try tables.rows(arranged: 2).keys("/word") { $0 = query }
            }
        }
    }

    @Test("finds the values and the order of a table in partitions by their indexes")
    func partitions() throws {
        let tables = try TestedTables(
            .postgres, in: scratch,
            """
            CREATE TABLE year (id int PRIMARY KEY, size int) PARTITION BY RANGE (id);
            CREATE TABLE year_1 PARTITION OF year FOR VALUES FROM (1) TO (50);
            CREATE TABLE year_2 PARTITION OF year FOR VALUES FROM (50) TO (99);
            CREATE INDEX ON year (size, id); INSERT INTO year SELECT i, 98 - i FROM generate_series(1, 98) i
            """)
        for (query, keys) in [
            (try RowQuery(sort: "size", limit: 2), ["98", "97"]), (try RowQuery(where: "size:7"), ["91"]),
            (try RowQuery(group: "size", limit: 2), ["98", "97"]),
        ] {
            let found = try tables.rows(arranged: 1).keys("/year") { $0 = query }
            #expect(found == keys.map { $0 + " 0" }, "\(query)")
        }
    }

    @Test("proposes names of indexes that are free and short enough", arguments: TestedTables.Kind.allCases)
    func indexNames(kind: TestedTables.Kind) throws {
        let (name, taken) = (String(repeating: "n", count: 57), kind == .sqlite ? "T_A" : "t_a")
        let tables = try TestedTables(
            kind, in: scratch,
            """
            CREATE TABLE t (id integer PRIMARY KEY, a integer, \(name)1 integer, \(name)2 integer); INSERT INTO t (id) VALUES (1), (2);
            CREATE TABLE \(taken) (id integer PRIMARY KEY)
            """)
        let short = "t_" + name.prefix(54)
        for (column, index) in [("a", "t_a_2"), (name + "1", short), (name + "2", short + "_2")] {
            let refusal = try #require(throws: RowRefusal.self) {
                try tables.rows(arranged: 1).keys("/t") { $0.order.sort = try RowOrder(column) }
            }
            guard case .needsIndex(let create?) = refusal.kind else { throw refusal }
            #expect(create.hasPrefix("CREATE INDEX \"\(index)\" ON "))
            try tables.change(create)
        }
    }

    @Test("refuses sections of a large table that no index gives")
    func sections() throws {
        let sql = """
            CREATE TABLE mixed (id integer PRIMARY KEY, name text, size @); INSERT INTO mixed VALUES (1, 'a', 1), (2, 'b', '1');
            CREATE TABLE texts (id text PRIMARY KEY NOT NULL, name text); INSERT INTO texts VALUES ('a', 'b'), ('c', 'd');
            CREATE INDEX mixed_size ON mixed (size, id); CREATE INDEX mixed_name ON mixed (name, id)
            """
        let sqlite = try TestedTables(.sqlite, in: scratch, sql.replacing("@", with: ""))
        let postgres = try TestedTables(.postgres, in: scratch, sql.replacing("@", with: "integer"))
        let large = "is too large to be grouped by"
        for (tables, path, query, sentence) in [
            (sqlite, "/mixed", try RowQuery(group: "nope"), "'mixed' \(large) 'nope', which is not a column."),
            (
                sqlite, "/mixed", try RowQuery(group: "size"),
                "'size' has values of several types with the same text; group by another field."
            ),
            (sqlite, "/texts", try RowQuery(group: "initial"), "'texts' \(large) the first letters of its keys."),
            (postgres, "/mixed", try RowQuery(group: "initial"), "'mixed' \(large) the first letters of its titles."),
            (
                sqlite, "/mixed", try RowQuery(sort: "-size", group: "initial"),
                "The table 'mixed' has more than 1 rows, and no index gives the letters of the titles in this order. Ask for fewer rows with a condition that an index serves."
            ),
        ] {
            #expect(throws: RowRefusal(kind: .needsIndex(create: nil), parameter: "group", sentence: sentence)) {
                try tables.rows(arranged: 1).keys(path) { $0 = query }
            }
        }
        #expect(
            try sqlite.rows(arranged: 1).keys("/mixed") { $0 = try RowQuery(sort: "Title", group: "initial") }
                == ["1 0", "2 0"])
    }
}

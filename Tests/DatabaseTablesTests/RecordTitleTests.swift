import Bytes
import DatabaseTrees
import Levels
import TestSources
import Testing

@testable import DatabaseTables
@testable import Levels
@testable import TestSupport

/// The titles of records, and the titles of other records in their place.
@Suite("The titles of records", .timeLimit(.minutes(1)))
struct RecordTitleTests {
    let scratch: ScratchFolder

    init() throws { scratch = try ScratchFolder() }

    @Test(
        "are chosen by the names and the types of columns",
        arguments: TestedTables.Kind.allCases,
        [
            ("a text, display_name text, Label text", "label"),
            ("a text, page_title text, fullname text", "page_title"), ("\"Name\" text, \"TITLE\" text", "title"),
            ("Title text, given_name text, \"Family-Name\" text", "given_name Family-Name"),
            ("name integer, title_id text, note text", "name"), ("type text, kind_id text, note text", "note"),
            ("first_name text, company text", "first_name"), ("n integer, type text", ""),
        ])
    func choice(kind: TestedTables.Kind, choice: (columns: String, title: String)) throws {
        let tables = try TestedTables(kind, in: scratch, "CREATE TABLE t (id integer PRIMARY KEY, \(choice.columns))")
        let titles = try tables.rows().read("/t") { reading, _ in
            let table = try reading.catalogue.tables[0]
            return table.title.parts.compactMap(\.column).map { table.columns[$0].name.lowercased() }
        }
        #expect(titles.joined(separator: " ") == choice.title.lowercased())
    }

    /// Tracks on lists, with their makers, and a line about a track that has no title of its own.
    private static let music = """
        CREATE TABLE maker (id integer PRIMARY KEY, first_name text, last_name text);
        CREATE TABLE track (id integer PRIMARY KEY, name text, maker integer REFERENCES maker, best integer);
        CREATE TABLE list (id integer PRIMARY KEY, label text);
        CREATE TABLE entry (track integer REFERENCES track, list integer REFERENCES list, PRIMARY KEY (list, track));
        CREATE TABLE sale (id integer PRIMARY KEY, track integer REFERENCES track, list integer REFERENCES list);
        CREATE TABLE refund (id integer PRIMARY KEY, sale integer REFERENCES sale);
        CREATE TABLE twin (id integer PRIMARY KEY, other integer REFERENCES twin);
        INSERT INTO maker VALUES (1, 'Ada', 'Lovelace'), (2, NULL, 'Bach'), (3, '', NULL);
        INSERT INTO track VALUES (1, 'One', 1, 1), (2, 'Two', 2, 0), (3, NULL, NULL, NULL), (4, 'Four', 3, 1);
        INSERT INTO list VALUES (7, 'Best'), (8, NULL);
        INSERT INTO entry VALUES (1, 7), (3, 7), (2, 8);
        INSERT INTO sale VALUES (1, 1, 7), (2, 2, NULL), (3, NULL, NULL);
        INSERT INTO refund VALUES (1, 1), (2, 3); INSERT INTO twin VALUES (1, NULL), (2, 1)
        """

    private func titles(
        _ path: String, in rows: TableRows, _ change: (inout RowQuery) throws -> Void = { _ in }
    ) throws -> [String] {
        var titles: [String] = []
        try rows.page(path, change).forEachRow { titles.append(String(utf8: $0.title)) }
        return titles
    }

    @Test("are those of the records to which a record without one refers", arguments: TestedTables.Kind.allCases)
    func labels(kind: TestedTables.Kind) throws {
        let rows = try TestedTables(kind, in: scratch, Self.music).rows()
        #expect(try titles("/maker", in: rows) == ["Ada Lovelace", "Bach", "3"])
        #expect(try titles("/entry", in: rows) == ["Best · One", "Best", "Two"])
        #expect(try titles("/list/7/entry", in: rows) == ["One", "7,3"])
        #expect(try titles("/track/1/entry", in: rows) == ["Best"])
        #expect(try titles("/sale", in: rows) == ["One · Best", "Two", "3"])
        #expect(try titles("/track/1/sale", in: rows) == ["Best"])
        #expect(try titles("/refund", in: rows) == ["One Best", "2"])
        #expect(try titles("/sale/1/refund", in: rows) == ["1"])
        #expect(try titles("/twin", in: rows) == ["1", "2"])
        let detail = try rows.read("/list/7/entry/7,1") { try $0.detail(of: $1) }
        #expect(detail.next.map { $0.level.title($0.row) } == "7,3")
        #expect(detail.links?.references.map { String(decoding: $0.title, as: UTF8.self) } == ["One", "Best"])
    }

    @Test(
        "are found in up to three steps, by foreign keys to keys, and are those of at most two records",
        arguments: TestedTables.Kind.allCases)
    func steps(kind: TestedTables.Kind) throws {
        let tables = try TestedTables(kind, in: scratch, Self.music)
        let (first, last) = (String(repeating: "x", count: 4_000), String(repeating: "y", count: 200))
        try tables.change(
            """
            CREATE TABLE three (id integer PRIMARY KEY, refund integer REFERENCES refund);
            CREATE TABLE four (id integer PRIMARY KEY, three integer REFERENCES three);
            INSERT INTO three VALUES (1, 1); INSERT INTO four VALUES (1, 1);
            CREATE TABLE trio (id integer PRIMARY KEY, track integer REFERENCES track, list integer REFERENCES list,
              maker integer REFERENCES maker); INSERT INTO trio VALUES (1, 1, 7, 1);
            CREATE TABLE pair (twin integer REFERENCES twin, list integer REFERENCES list, PRIMARY KEY (twin, list));
            INSERT INTO pair VALUES (2, 7);
            CREATE TABLE extra (id integer PRIMARY KEY REFERENCES track, note text); INSERT INTO extra VALUES (1, 'n');
            CREATE TABLE line (list integer REFERENCES list, n integer, note text, PRIMARY KEY (list, n));
            INSERT INTO line VALUES (7, 1, 'n');
            CREATE TABLE tool (tool_name text PRIMARY KEY NOT NULL, note text); INSERT INTO tool VALUES ('k', 'n');
            CREATE TABLE use (id integer PRIMARY KEY, tool text REFERENCES tool); INSERT INTO use VALUES (1, 'k');
            CREATE TABLE code (id integer PRIMARY KEY, code integer UNIQUE, name text);
            CREATE TABLE coder (id integer PRIMARY KEY, code integer REFERENCES code (code));
            INSERT INTO code VALUES (1, 5, 'c'); INSERT INTO coder VALUES (2, 5);
            INSERT INTO maker VALUES (9, '\(first)', '\(last)')
            """)
        let rows = tables.rows()
        for (path, title) in [
            ("/three/1", "One Best"), ("/four/1", "1"), ("/trio/1", "One · Best"), ("/pair/2,7", "2 · Best"),
            ("/extra/1", "n"), ("/line/7,1", "n"), ("/tool/k", "n"), ("/use/1", "n"), ("/coder/2", "2"),
            ("/maker/9", "\(first) \(last.prefix(95))"),
        ] {
            #expect(try rows.read(path) { $1.own.level.title($1.own.row) } == title, "\(path)")
        }
        #expect(try rows.page("/use") { $0.order.group = .field(RowField("tool")) }.sections.map(\.title) == ["n"])
        let links = try rows.read("/coder/2") { try $0.detail(of: $1).links?.references }
        #expect(links?.map(\.path) == [["code", "1"].map { Array($0.utf8) }])
    }

    @Test("are left out of the short values of a row", arguments: TestedTables.Kind.allCases)
    func shortValues(kind: TestedTables.Kind) throws {
        let rows = try TestedTables(kind, in: scratch, Self.music).rows()
        var names: [[String]] = []
        try rows.page("/maker") { $0.fields = .short }.forEachRow { row in
            var shown: [String] = []
            for name in ["id", "first_name", "last_name"] {
                if RowField(name).value(of: row.packed, in: row.bytes) != nil { shown.append(name) }
            }
            names.append(shown)
        }
        // The title shows no empty text, so the row does.
        #expect(names == [["id"], ["id"], ["id", "first_name"]])
    }

    @Test("of referenced records sort, filter, group and are searched", arguments: TestedTables.Kind.allCases)
    func labelFields(kind: TestedTables.Kind) throws {
        let tables = try TestedTables(kind, in: scratch, Self.music)
        let rows = tables.rows()
        func keys(_ change: (inout RowQuery) throws -> Void) throws -> [String] {
            try rows.keys("/track", change).map { String($0.prefix(1)) }
        }
        let label = RowField.named(Array("maker.title".utf8))
        #expect(try keys { $0.order.sort = try RowOrder("-maker.title") } == ["2", "1", "3", "4"])
        #expect(try keys { $0.conditions = [try #require(RowCondition("maker.title:Ada Lovelace"))] } == ["1"])
        #expect(try keys { $0.conditions = [try #require(RowCondition("!maker.title"))] } == ["3", "4"])
        let sections = try rows.page("/track") { $0.order.group = .field(label) }.sections
        #expect(sections.map(\.title) == ["Ada Lovelace", "Bach", nil])
        let large = tables.rows(arranged: 1)
        #expect {
            _ = try large.page("/track") { $0.order.sort = try RowOrder("maker.title") }
        } throws: { error in
            (error as? RowRefusal)?.sentence
                == "The table 'track' has more than 1 rows, and no index gives the order 'maker.title'. Ask for fewer rows with a condition that an index serves."
        }
    }

    @Test("of referenced records are those of the sections", arguments: TestedTables.Kind.allCases, [9, 1])
    func sections(kind: TestedTables.Kind, arranged: Int) throws {
        let tables = try TestedTables(kind, in: scratch, Self.music)
        try tables.change("CREATE INDEX by_maker ON track (maker, id)")
        func titles(_ field: String) throws -> [String?] {
            try tables.rows(arranged: arranged).page("/track") { query in
                query.order.group = .field(.named(Array(field.utf8)))
            }.sections.map(\.title)
        }
        #expect(try titles("maker") == ["Ada Lovelace", "Bach", "3", nil])
        try tables.change("UPDATE maker SET last_name = 'Byron' WHERE id = 1")
        #expect(try titles("maker") == ["Ada Byron", "Bach", "3", nil])
    }

    @Test("are made of the columns that are named", arguments: TestedTables.Kind.allCases)
    func named(kind: TestedTables.Kind) throws {
        let tables = try TestedTables(kind, in: scratch, Self.music)
        let rows = tables.rows { $0.titleColumns = ["maker": ["last_name", "first_name"], "track": ["best"]] }
        #expect(try titles("/maker", in: rows) == ["Lovelace Ada", "Bach", "3"])
        #expect(try titles("/track", in: rows) == ["1", "0", "3", "1"])
        #expect(try titles("/entry", in: rows) == ["Best · 1", "Best", "0"])
        for (named, refusal) in [
            ("nope=a", "there is no table 'nope' to be titled"),
            ("maker=nope", "the table 'maker' has no column 'nope' for its titles"),
        ] {
            let columns = try #require(TableRows.Options.titleColumns(in: named))
            let found = try tables.rows { $0.titleColumns = columns }.read("/") { reading, _ in
                try reading.catalogue.refusal
            }
            #expect(found == refusal)
        }
    }

    @Test("are named by a list of tables with their columns")
    func text() {
        let columns = TableRows.Options.titleColumns(in: "Customer=First Name,Last,Part=of=it")
        #expect(columns == ["Customer": ["First Name", "Last"], "Part": ["of=it"]])
        for text in ["", "Name", "=a", "A=", "A=b,", "A=b,A=c"] {
            #expect(TableRows.Options.titleColumns(in: text) == nil, "\(text)")
        }
    }

    @Test("are told, with the key and the references of each table", arguments: TestedTables.Kind.allCases)
    func overview(kind: TestedTables.Kind) throws {
        let tables = try TestedTables(kind, in: scratch, Self.music)
        try tables.change(
            """
            CREATE INDEX by_name ON track (name, id);
            CREATE VIEW slow AS WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n)
              SELECT count(*) AS c FROM n
            """)
        let rows = tables.rows(arranged: 3)
        let found = try rows.overview()
        #expect(
            found.map { [$0.name, $0.count, $0.key.joined(separator: " "), $0.title.joined(separator: " ")] } == [
                ["entry", "3", "list track", "list.title track.title"], ["list", "2", "id", "label"],
                ["maker", "3", "id", "first_name last_name"], ["refund", "2", "id", "sale.title"],
                ["sale", "3", "id", "track.title list.title"], ["slow", "~1", "", ""], ["track", "4", "id", "name"],
                ["twin", "2", "id", ""],
            ])
        #expect(found[0].references == ["track → track", "list → list"])
        #expect(found.map(\.unindexed) == [[], [], [], [], [], [], ["maker", "best"], []])
        let reading = try rows.read("/") { reading, _ in try reading.catalogue.reading }
        #expect(
            reading
                == "titles of the tables: 'entry' by 'list.title' and 'track.title'; 'list' by 'label'; 'maker' by 'first_name' and 'last_name'; 'refund' by 'sale.title'; 'sale' by 'track.title' and 'list.title'; 'slow' by its key; 'track' by 'name'; 'twin' by its key"
        )
    }

    @Test("of ten tables are told in a sentence, and how many more there are")
    func manyTables() throws {
        let tables = (1...12).map { "CREATE TABLE t\($0) (id integer PRIMARY KEY)" }.joined(separator: "; ")
        let rows = try TestedTables(.sqlite, in: scratch, tables).rows()
        let reading = try rows.read("/") { reading, _ in try reading.catalogue.reading }
        #expect(reading?.hasPrefix("titles of the tables: 't1' by its key; 't10' by its key; ") == true)
        #expect(reading?.hasSuffix("; 't7' by its key; and 2 more") == true)
    }
}

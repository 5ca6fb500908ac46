import Bytes
import DatabaseTrees
import Levels
import PropertyLists
import Testing
import TreeSources

@testable import DatabaseTables
@testable import Levels
@testable import TestSupport

/// Items of a document whose rows are in a SQLite file.
@Suite("An item of a document with a database") struct TableItemTests {
    private let scratch: ScratchFolder

    init() throws {
        scratch = try ScratchFolder()
        try change(
            """
            CREATE TABLE Kind (Id INTEGER PRIMARY KEY, Name TEXT);
            CREATE TABLE Tool (Code TEXT PRIMARY KEY NOT NULL, Title TEXT, Price REAL, Kind REFERENCES Kind);
            INSERT INTO Kind VALUES (1, 'Hand'), (2, 'Power');
            INSERT INTO Tool VALUES ('a', 'Axe', 30, 1), ('d', 'Drill', 90, 2), ('h', 'Hammer', 12.5, 1), ('x', 'Unknown', 1, NULL);
            """)
    }

    /// Another program's change.
    private func change(_ sql: String) throws {
        try SQLiteConnection(path: scratch("Shop.db"), for: .create).execute(sql)
    }

    /// The document with an item of these members beside its title.
    private func snapshot(_ members: String) throws -> Snapshot {
        try snapshot(
            of:
                #"{"Title":"Main","Rows":[{"Title":"Plain","Children":["p"]},{"Title":"Shop","Note":"own",\#(members)}]}"#
        )
    }

    private func snapshot(of text: String) throws -> Snapshot {
        let loaded = try document(text).load(replacing: nil)
        return Snapshot(
            document: loaded.tree.document, revision: "r-1", loadedAt: 0, composition: loaded.composition)
    }

    private func document(_ text: String, as name: String = "Main.json") throws -> PropertyListFile {
        var interpretation = Interpretation()
        interpretation.openDatabase = TableRows.opener(.init())
        return PropertyListFile(path: try scratch.write(name, text), interpretation: interpretation)
    }

    /// The keys and titles of a level below the item, with the numbers of rows below.
    private func list(_ path: String, in snapshot: Snapshot, by query: RowQuery = RowQuery()) throws -> [String] {
        let path = try ItemPath(path.utf8Span.span)
        let reading = try #require(snapshot.rowsElsewhere(at: path)).begin()
        defer { reading.end() }
        guard case .found(let item) = try reading.find(path) else { return ["nothing"] }
        var found: [String] = []
        try reading.page(query, below: item).forEachRow {
            found.append("\(String(utf8: $0.key)) \(String(utf8: $0.title)) \($0.count)")
        }
        return found
    }

    private func detail(_ path: String, in snapshot: Snapshot) throws -> ItemDetail? {
        let path = try ItemPath(path.utf8Span.span)
        let reading = try #require(snapshot.rowsElsewhere(at: path)).begin()
        defer { reading.end() }
        guard case .found(let item) = try reading.find(path) else { return nil }
        return try reading.detail(of: item)
    }

    /// The reason why the item has no rows.
    private func refusal(_ members: String) throws -> String? {
        try snapshot(members).document.child(0)?.child(1)?.refusal
    }

    @Test("has the tables as rows, and their records below")
    func tables() throws {
        let snapshot = try snapshot(#""Database":"sqlite:Shop.db""#)
        #expect(try list("/Shop", in: snapshot) == ["Kind Kind 2", "Tool Tool 4"])
        #expect(try list("/Shop/Kind/1/Tool", in: snapshot) == ["a Axe 0", "h Hammer 0"])
        #expect(snapshot.rowsElsewhere(at: try ItemPath("/Plain/p".utf8Span.span)) == nil)
        func keys(_ texts: String...) -> [[UInt8]] { texts.map { Array($0.utf8) } }
        #expect(
            try detail("/Shop/Tool/a", in: snapshot)?.links
                == RecordLinks(
                    canonical: keys("Shop", "Tool", "a"),
                    references: [.init(name: "Kind", title: Array("Hand".utf8), path: keys("Shop", "Kind", "1"))]))
        let own = try detail("/Shop", in: snapshot)
        #expect(own?.previous.map { $0.level.title($0.row) } == "Plain")
        #expect(own?.children.count == 2)
    }

    @Test("keeps its own fields, without the structure, and is not a leaf")
    func fields() throws {
        let snapshot = try snapshot(#""Database":"sqlite:Shop.db","Table":"Tool","Key":["Code"],"Where":["Price>5"]"#)
        let item = Item.Step(level: try #require(snapshot.document.child(0)), row: 1)
        item.withRow { #expect($0.count == 4 && $0.isEstimate) }
        #expect(item.level.key(1) == "Shop")
    }

    @Test("shows one table, with conditions and an order of its own")
    func table() throws {
        let dear = try snapshot(#""Database":"sqlite:Shop.db","Table":"Tool","Where":["Price>5"],"SortBy":"-Price""#)
        #expect(try list("/Shop", in: dear) == ["d Drill 0", "a Axe 0", "h Hammer 0"])
        var query = RowQuery()
        query.order.sort = .document
        #expect(try list("/Shop", in: dear, by: query) == ["a Axe 0", "d Drill 0", "h Hammer 0"])
        #expect(try detail("/Shop/x", in: dear) == nil)
        let axe = try detail("/Shop/a", in: dear)
        #expect(axe?.previous.map { $0.level.title($0.row) } == "Drill")
        #expect(axe?.next.map { $0.level.title($0.row) } == "Hammer")
        #expect(axe?.position == 1 && axe?.count == 3)
        #expect(axe?.links == RecordLinks(canonical: ["Shop", "a"].map { Array($0.utf8) }, references: []))
        try change(
            """
            CREATE TABLE Part (Id INTEGER PRIMARY KEY, Above REFERENCES Part, Size INTEGER);
            INSERT INTO Part VALUES (1, NULL, 1), (2, 1, 5), (3, 2, 5)
            """)
        // A link does not lead to a record that the item leaves out.
        let parts = try snapshot(#""Database":"sqlite:Shop.db","Table":"Part","Where":["Size>1"]"#)
        #expect(try detail("/Shop/2", in: parts)?.links?.references == [])
        #expect(
            try detail("/Shop/3", in: parts)?.links?.references.map(\.path) == [["Shop", "2"].map { Array($0.utf8) }])
        let titled = try snapshot(#""Database":"sqlite:Shop.db","Table":"Tool","TitleBy":"Price","Key":["Title"]"#)
        #expect(try list("/Shop", in: titled).first == "Axe 30.0 0")
        let both = try snapshot(#""Database":"sqlite:Shop.db","Table":"Tool","TitleBy":"Title,Price""#)
        #expect(try list("/Shop", in: both).first == "a Axe 30.0 0")
        let tables = try snapshot(#""Database":"sqlite:Shop.db","TitleBy":"Tool=Price,Code,Kind=Id""#)
        #expect(try list("/Shop/Tool", in: tables).first == "a 30.0 a 0")
        #expect(try list("/Shop/Kind", in: tables) == ["1 1 1", "2 2 1"])
    }

    @Test("has the values of columns above the records")
    func drilled() throws {
        let drilled = try snapshot(
            #""Database":"sqlite:Shop.db","Table":"Tool","DrillBy":["Kind","Price"],"Where":["Price<50"]"#)
        #expect(try list("/Shop", in: drilled) == ["1 1 2", "(none) (none) 1"])
        #expect(try list("/Shop/1", in: drilled) == ["30.0 30.0 1", "12.5 12.5 1"])
        #expect(try list("/Shop/1/12.5", in: drilled) == ["h Hammer 0"])
        #expect(try list("/Shop/2", in: drilled) == ["nothing"])
        let first = try detail("/Shop/1", in: drilled)
        #expect(first?.next.map { $0.level.title($0.row) } == "(none)")
        #expect(first?.children.count == 2)
        // The path of a record leads through values, so it is not canonical.
        #expect(try detail("/Shop/1/12.5/h", in: drilled)?.links?.canonical == nil)
        try change(
            """
            CREATE TABLE Word (Id INTEGER PRIMARY KEY, Name TEXT COLLATE NOCASE, Size);
            INSERT INTO Word VALUES (1, 'a', x'01'), (2, 'A', x'02'), (3, 'a', 'b');
            CREATE VIEW Seen AS SELECT * FROM Word
            """)
        let exact = try snapshot(#""Database":"sqlite:Shop.db","Table":"Seen","Key":["Id"],"DrillBy":["Name"]"#)
        #expect(try list("/Shop", in: exact) == ["a a 2", "A A 1"])
        #expect(try list("/Shop/A", in: exact) == ["2 A 0"])
        let data = try snapshot(#""Database":"sqlite:Shop.db","Table":"Word","DrillBy":["Size"]"#)
        #expect(try list("/Shop", in: data) == ["(data) (data) 2", "b b 1"])
    }

    @Test("has no rows once its table is gone, and never those of other tables")
    func droppedTable() throws {
        let snapshot = try snapshot(#""Database":"sqlite:Shop.db","Table":"Tool""#)
        #expect(try list("/Shop", in: snapshot).count == 4)
        try change("DROP TABLE Tool")
        for path in ["/Shop", "/Shop/Kind"] {
            #expect(
                throws: RowRefusal(
                    kind: .unreadable, sentence: "The database cannot be read; its file may be damaged.")
            ) { try list(path, in: snapshot) }
        }
    }

    @Test("may be the root of the document, or of a mounted one")
    func roots() throws {
        let root = #"{"Title":"Shop","Owner":"Eva","Database":"sqlite:Shop.db","Table":"Tool","SortBy":"-Price"}"#
        let own = try snapshot(of: root)
        #expect(try list("", in: own) == ["d Drill 0", "a Axe 0", "h Hammer 0", "x Unknown 0"])
        let axe = try detail("/a", in: own)
        #expect(axe?.links == RecordLinks(canonical: [Array("a".utf8)], references: []))
        #expect(axe?.item.titlePath == "/Axe")
        let shop = try detail("", in: own)
        #expect((shop?.position, shop?.count, shop?.children.count) == (0, 1, 4))
        _ = try document(root, as: "Tools.json")
        let mounted = try snapshot(of: #"[{"Title":"Tools","Source":"Tools.json"}]"#)
        #expect(try list("/Tools", in: mounted).first == "d Drill 0")
        #expect(try list("/Tools/x", in: mounted) == [])
    }

    @Test("has its database watched: a commit of another program publishes the document again")
    func commits() throws {
        let watcher = try document(#"[{"Title":"Shop","Database":"sqlite:Shop.db"}]"#).makeWatcher()
        _ = try watcher.load(replacing: nil)
        // Always so late that the file is looked at.
        var now = ContinuousClock.now
        func look() -> SourceReport? {
            now += .seconds(10)
            return watcher.advance(at: now)
        }
        #expect(look() == nil)
        try change("INSERT INTO Kind VALUES (3, 'New')")
        #expect(look() == .committed)
        #expect(look() == nil)
    }

    @Test("shows the rows of a query")
    func query() throws {
        let asked = try snapshot(
            #""Database":"sqlite:Shop.db","Query":"SELECT Kind AS K, count(*) AS N FROM Tool GROUP BY Kind; -- all","Key":["K"],"TitleBy":"N""#
        )
        #expect(try list("/Shop", in: asked) == ["1 2 0", "2 1 0", "~3 1 0"])
        #expect(try detail("/Shop/2", in: asked)?.item.titlePath == "/Shop/1")
        let counted = try snapshot(
            #""Database":"sqlite:Shop.db","Query":"WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n LIMIT 2) SELECT i FROM n","Key":["i"]"#
        )
        #expect(try list("/Shop", in: counted) == ["1 1 0", "2 2 0"])
    }

    @Test(
        "has an error in place of rows",
        arguments: [
            (
                #""Database":"sqlite:../Shop.db""#,
                "sqlite:../Shop.db: the path leads out of the document's folder; move the file into that folder."
            ),
            (
                #""Database":"sqlite:None.db""#,
                "sqlite:None.db: the file does not exist; name a file that exists in the document's folder."
            ),
            (
                #""Database":"sqlite:Main.json""#,
                "sqlite:Main.json: the file is not a SQLite database."
            ),
            (
                #""Database":"postgres://example.invalid/db""#,
                "postgres://example.invalid/db: the host 'example.invalid' is not one that --databases names; add it there to let documents read its databases."
            ),
            (
                #""Database":"sqlite:Shop.db","Table":"Nope""#,
                "sqlite:Shop.db: there is no table 'Nope'."
            ),
            (
                #""Database":"sqlite:Shop.db","Table":"Tool","Key":["Nope"]"#,
                "sqlite:Shop.db: 'Tool' has no column 'Nope'."
            ),
            (
                #""Database":"sqlite:Shop.db","Table":"Tool","Where":[":5"]"#,
                "sqlite:Shop.db: ':5' in 'Where' is not a condition, such as Price<10, Name:Bo or !Name."
            ),
            (
                #""Database":"sqlite:Shop.db","Table":"Tool","TitleBy":"Nope""#,
                "sqlite:Shop.db: 'Tool' has no column 'Nope'."
            ),
            (
                #""Database":"sqlite:Shop.db","TitleBy":"Name""#,
                "sqlite:Shop.db: 'TitleBy' is not a list of tables with their columns, such as Customer=FirstName,LastName,Invoice=InvoiceDate."
            ),
            (
                #""Database":"postgres:///db""#,
                "postgres:///db: the address names no host; write postgres://USER@HOST/DATABASE."
            ),
            (
                #""Database":"postgres://example.invalid/db?passfile=/etc/passwd""#,
                "postgres://example.invalid/db?passfile=/etc/passwd: a document cannot give the parameter 'passfile'."
            ),
            (
                #""Database":"sqlite:Shop.db","Query":"SELECT 1 AS a""#,
                "sqlite:Shop.db: a 'Query' needs a 'Key', an array of the columns that name a row."
            ),
        ])
    func refused(members: String, reason: String) throws { #expect(try refusal(members) == reason) }

    @Test(
        "runs no query but one SELECT that reads",
        arguments: [
            "DELETE FROM Tool RETURNING Code AS k", "ATTACH DATABASE 'Other.db' AS o", "PRAGMA user_version", "BEGIN",
            "SELECT 1 AS k; DELETE FROM Tool", "SELECT 1 AS k; SELECT 2 AS k", "EXPLAIN SELECT 1 AS k",
            "SELECT load_extension('m') AS k", "SELECT name AS k FROM pragma_database_list", "VACUUM INTO 'x'",
            "SELECT 1 AS k) AS c; DELETE FROM Tool; --", "SELEC 1", "", "-- nothing", "CREATE TABLE x (k)",
        ])
    func forbidden(query: String) throws {
        let reason = try refusal(#""Database":"sqlite:Shop.db","Query":"\#(query)","Key":["k"]"#)
        #expect(
            reason == "sqlite:Shop.db: the 'Query' must be one SELECT that only reads the tables of the database.")
    }

    @Test("is refused edits below it, and queries in the bodies of requests")
    func edits() throws {
        let snapshot = try snapshot(#""Database":"sqlite:Shop.db""#)
        func refusal(_ edit: Edit) -> String? {
            do throws(EditRefusal) {
                try edit.checkDatabases(in: snapshot)
                return nil
            } catch {
                return error.detail
            }
        }
        func path(_ text: String) throws -> ItemPath { try ItemPath(text.utf8Span.span) }
        let reading = "The rows below are in a database, which can only be read."
        #expect(refusal(.delete(try path("/Shop/Tool"))) == reading)
        #expect(refusal(.insert(.string("n"), below: try path("/Shop"), at: .last, section: nil)) == reading)
        #expect(refusal(.move(try path("/Plain/p"), below: try path("/Shop/Tool"), at: .last, section: nil)) == reading)
        #expect(refusal(.move(try path("/Shop/Tool"), below: try path("/Plain"), at: .last, section: nil)) == reading)
        #expect(refusal(.put(.string("Tool"), at: try path("/Shop/Tool"), onlyIfNew: false)) == reading)
        let fields = PropertyListValue.dictionary(PropertyListDictionary([.init(key: "Query", value: .string("q"))]))
        #expect(refusal(.patch(fields, at: try path("/Shop/Tool"))) == reading)
        let inFile = "'Query' can be written only in the file of the document."
        #expect(refusal(.patch(fields, at: try path("/Shop"))) == inFile)
        #expect(refusal(.patch(fields, at: try path("/Plain/p"))) == nil)
        #expect(refusal(.delete(try path("/Shop"))) == nil)
        #expect(refusal(.delete(try path("/Plain/p"))) == nil)
        let query = PropertyListValue.dictionary(
            PropertyListDictionary([
                .init(key: "Title", value: .string("q")), .init(key: "Database", value: .string("sqlite:Shop.db")),
                .init(key: "Query", value: .string("SELECT 1")),
            ]))
        #expect(refusal(.insert(query, below: try path("/Plain"), at: .last, section: nil)) == inFile)
    }

    @Test(
        "names only hosts that the operator allows, each of several",
        arguments: [
            ("postgres://bad/db", "bad"), ("postgres://good,bad/db", "bad"), ("postgres://bad,good/db", "bad"),
            ("postgres://good,worse,bad/db", "worse"), ("postgres://good/db?host=bad", "bad"),
            ("postgres:///db?host=good,bad", "bad"), ("postgres://bad/db?sslmode=disable&options=x", "bad"),
        ])
    func hosts(address: String, host: String) throws {
        var options = TableRows.Options()
        options.hosts = ["good", "better"]
        let open = TableRows.opener(options)
        let error = try #require(throws: SourceError.self) { try open(nil, address, DatabaseReference()) }
        #expect(
            error.reason
                == "the host '\(host)' is not one that --databases names; add it there to let documents read its databases"
        )
    }
}

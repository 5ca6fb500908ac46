import Bytes
import DatabaseTrees
import Levels
import Locking
import Testing
import Threads
import TreeSources

@testable import DatabaseTables
@testable import TestSupport

/// A shop's tables in a SQLite file.
@Suite("The tables of a SQLite file") struct TableRowsTests {
    private let scratch: ScratchFolder
    private let path: String

    init() throws {
        scratch = try ScratchFolder()
        path = scratch("Shop.db")
        try change(
            """
            CREATE TABLE Artist (Id INTEGER PRIMARY KEY, Name TEXT);
            CREATE TABLE Album (Code TEXT PRIMARY KEY, Title TEXT, Year INTEGER, Artist REFERENCES Artist, Guest REFERENCES Artist);
            CREATE INDEX Album_Year ON Album (Year, Code);
            CREATE TABLE Note (Text TEXT);
            CREATE VIEW Names AS SELECT Name FROM Artist;
            INSERT INTO Artist VALUES (1, 'Åse'), (2, NULL), (10, 'Bo');
            INSERT INTO Album VALUES ('b', 'Second', 2001, 1, NULL), ('a', 'First', NULL, 1, 10), (NULL, 'Third', 1999, 10, 1),
              (NULL, 'Fourth', NULL, 9, NULL);
            INSERT INTO Note VALUES ('x'), ('y');
            """)
    }

    /// Another program's change.
    private func change(_ sql: String) throws {
        try SQLiteConnection(path: path, for: .create).execute(sql)
    }

    private func rows(arranged: Int = 1_000_000) -> TableRows {
        var options = TableRows.Options()
        options.treeColumns = ["Part": "Whole"]
        options.arrangedRows = arranged
        return TableRows(path: path, options: options)
    }

    /// The keys of a level, page by page, with the titles and the numbers of rows below.
    private func list(
        _ path: String, by change: (inout RowQuery) throws -> Void = { _ in }, arranged: Int = 1_000_000
    ) throws -> [String] {
        var query = RowQuery()
        try change(&query)
        var found: [String] = []
        repeat {
            let reading = try rows(arranged: arranged).begin()
            defer { reading.end() }
            guard let item = try item(path, in: reading) else { return ["nothing"] }
            let page = try reading.page(query, below: item)
            #expect(page.start == found.count)
            page.forEachRow { found.append("\(String(utf8: $0.key)) \(String(utf8: $0.title)) \($0.count)") }
            (query.page.after, query.page.start) = (page.next, nil)
        } while query.page.after != nil
        return found
    }

    /// The albums in an order, one row a page.
    private func sorted(_ text: String, arranged: Int = 1_000_000) throws -> [String] {
        try list(
            "/Album",
            by: {
                $0.order.sort = try RowOrder(text)
                $0.page.limit = 1
            }, arranged: arranged)
    }

    @Test("are the first level, by name")
    func tables() throws {
        #expect(try list("") == ["Album Album 4", "Artist Artist 3", "Names Names 3", "Note Note 2"])
        #expect(try list("", by: { $0.page.limit = 1 }) == list(""))
        #expect(rows().title == Array("Shop.db".utf8))
    }

    @Test("have their records as rows in the order of the key, NULL last")
    func records() throws {
        #expect(try list("/Artist") == ["1 Åse 2", "2 2 2", "10 Bo 2"])
        #expect(try list("/Artist", by: { $0.search = "a" }) == ["1 Åse 2"])
        let albums = ["a First 0", "b Second 0", "~3,3 Third 0", "~3,4 Fourth 0"]
        #expect(try list("/Album") == albums)
        #expect(try list("/Album", by: { $0.page.limit = 1 }) == albums)
        #expect(try list("/Note") == ["1 x 0", "2 y 0"])
        #expect(try list("/Names") == ["0 Åse 0", "1 1 0", "2 Bo 0"])
    }

    @Test(
        "lead nowhere by another spelling of a key",
        arguments: [
            "/Artist/01", "/Artist/1.0", "/Artist/3", "/album", "/Album/~3", "/Artist/2/Album%20(Artist)/a", "/Note/x",
            "/Names/01", "/Names/3",
        ])
    func strangers(path: String) throws {
        #expect(try item(path, in: rows().begin()) == nil)
    }

    @Test("are read many at a time, in the order of the page", arguments: [7, 250, 1_000])
    func many(limit: Int) throws {
        try change(
            "WITH n(i) AS (SELECT 11 UNION ALL SELECT i + 1 FROM n LIMIT 300) INSERT INTO Artist SELECT i, 'A' || i FROM n"
        )
        let found = try list(
            "/Artist",
            by: {
                $0.order.sort = try RowOrder("-Id")
                $0.page.limit = limit
            })
        #expect(found == (11...310).reversed().map { "\($0) A\($0) 2" } + ["10 Bo 2", "2 2 2", "1 Åse 2"])
    }

    @Test("have a cursor that changes only with what it leads to")
    func stableCursors() throws {
        func next() throws -> RowBookmark? {
            let reading = try rows().begin()
            defer { reading.end() }
            let item = try #require(try item("/Album", in: reading))
            var query = RowQuery()
            query.order.sort = try RowOrder("-Year")
            query.page.limit = 1
            return try reading.page(query, below: item).next
        }
        let before = try next()
        #expect(before != nil)
        // Before the last record of the page in the order of the key, and after it in this order.
        try change("DELETE FROM Album WHERE Code = 'a'; INSERT INTO Album VALUES ('c', 'Fifth', NULL, 1, NULL)")
        #expect(try next() == before)
    }

    @Test(
        "are compared without their titles if a query does not look at titles",
        arguments: [
            ("Year", nil, nil, false), ("Key", nil, nil, false), (nil, "Year>2000", nil, false),
            ("Year,Title", nil, nil, true),
            (nil, "Title:First", nil, true), (nil, nil, "initial", true), (nil, nil, "Title", true),
            (nil, nil, "Year", false),
        ] as [(String?, String?, String?, Bool)])
    func titles(sort: String?, condition: String?, group: String?, looks: Bool) throws {
        var query = RowQuery()
        query.order.sort = try sort.map { try RowOrder($0) }
        query.conditions = condition.flatMap { RowCondition($0) }.map { [$0] } ?? []
        query.order.group = group.map { $0 == "initial" ? .initial : .field(RowField($0)) }
        #expect(query.looksAtTitles == looks)
        let year = [sort, condition, group].contains { $0?.contains("Year") == true }
        #expect(query.lookedAt?.contains(Array("Year".utf8)) == year)
        query.search = "a"
        #expect(query.looksAtTitles && query.lookedAt?.contains(Array("Year".utf8)) == year)
        query.searchedFields = .all
        #expect(query.lookedAt == nil)
    }

    @Test("are found by an index for a condition, and compared as before")
    func conditions() throws {
        try change("INSERT INTO Album VALUES ('d', 'Fifth', '2001', 1, NULL), ('e', 'Sixth', 2001.0, 1, NULL)")
        func albums(_ text: String) throws -> [String] {
            try list("/Album", by: { $0.conditions = [RowCondition(text)].compactMap(\.self) })
        }
        #expect(try albums("Year:2001") == ["b Second 0", "d Fifth 0", "e Sixth 0"])
        #expect(try albums("Year:2002") == [])
        #expect(try albums("Title:First") == ["a First 0"])
        try change("CREATE INDEX Album_Title ON Album (Title); INSERT INTO Album VALUES ('~f', NULL, 2003, 1, NULL)")
        #expect(try albums("Title:~0f") == ["~0f ~0f 0"])
        #expect(try albums("Key:~0f") == ["~0f ~0f 0"])
    }

    @Test("are in the order of an index if they are large")
    func indexed() throws {
        func sorted(_ text: String) throws -> [String] { try self.sorted(text, arranged: 1) }
        #expect(try sorted("Year") == ["~3,3 Third 0", "b Second 0", "a First 0", "~3,4 Fourth 0"])
        #expect(try sorted("-Year").prefix(2) == ["b Second 0", "~3,3 Third 0"])
        let refusal = try #require(throws: RowRefusal.self) { try sorted("Title") }
        #expect(
            refusal
                == RowRefusal(
                    kind: .needsIndex(create: #"CREATE INDEX "Album_Title" ON "Album" ("Title", "Code")"#),
                    parameter: "sort",
                    sentence:
                        "The table 'Album' has more than 1 rows, and no index gives the order 'Title'. Create one, or ask for fewer rows with a condition that an index serves."
                ))
    }

    @Test("meet a condition with or without an index", arguments: ["", "CREATE INDEX Item_Text ON Item (Text)"])
    func conditionsOnTexts(index: String) throws {
        try change(
            """
            CREATE TABLE Item (Id INTEGER PRIMARY KEY, Text TEXT);
            INSERT INTO Item VALUES (1, '10'), (2, '10.0'), (3, 'e' || char(0x301)), (4, 'é'), (5, 'x'); \(index)
            """)
        func items(_ text: String) throws -> [String] {
            try list("/Item", by: { $0.conditions = [RowCondition("Text:" + text)].compactMap(\.self) })
        }
        #expect(try items("10").count == 2)
        #expect(try items("é").count == 2)
        #expect(try items("x").count == 1)
        let either = ["Text:10", "Text:x"].compactMap { RowCondition($0) }
        #expect(try list("/Item", by: { $0.alternatives = either }).count == 3)
    }

    @Test("meet a condition on integers, page by page", arguments: ["", "CREATE INDEX Box_Size ON Box (Size)"])
    func conditionsOnIntegers(index: String) throws {
        try change(
            """
            CREATE TABLE Box (Id INTEGER PRIMARY KEY, Size INTEGER, Weight INTEGER);
            INSERT INTO Box VALUES (-2, 7, 1), (1, '7', 2), (2, 70, 1), (3, 7.0, 1), (4, 'x', 1), (5, NULL, 1), (6, x'37', 1),
              (10, 7, 1); \(index)
            """)
        func boxes(_ conditions: String...) throws -> [String] {
            try list(
                "/Box",
                by: {
                    $0.conditions = conditions.compactMap { RowCondition($0) }
                    $0.page.limit = 1
                })
        }
        #expect(try boxes("Size:7") == ["-2 -2 0", "1 1 0", "3 3 0", "10 10 0"])
        #expect(try boxes("Size:7.0") == boxes("Size:7"))
        #expect(try boxes("Size:7", "Weight:1") == ["-2 -2 0", "3 3 0", "10 10 0"])
        #expect(try boxes("Size:8") == [])
        #expect(try boxes("Size:x") == ["4 4 0"])
    }

    /// Two trees, a record that refers to nothing, and a circle; another table refers to each record.
    private func addParts() throws {
        try change(
            """
            CREATE TABLE Part (Id TEXT PRIMARY KEY NOT NULL, Whole REFERENCES Part, Size INTEGER);
            CREATE TABLE Order_ (Id INTEGER PRIMARY KEY, Part REFERENCES Part);
            CREATE INDEX Part_Whole ON Part (Whole);
            INSERT INTO Part VALUES ('car', NULL, 9), ('door', 'car', 3), ('Order_', 'car', 1), ('knob', 'door', 2), ('ship', NULL, 8),
              ('lost', 'none', 1), ('a', 'b', 1), ('b', 'a', 1);
            INSERT INTO Order_ VALUES (1, 'knob'), (2, 'car'), (3, 'a');
            """)
    }

    @Test("are trees by a column that refers to the record above", arguments: [1, 2, 1_000])
    func trees(limit: Int) throws {
        try addParts()
        func parts(_ path: String, sort: String? = nil) throws -> [String] {
            try list(
                path,
                by: {
                    $0.page.limit = limit
                    $0.order.sort = try sort.map { try RowOrder($0) }
                })
        }
        #expect(try parts("/Part") == ["car car 3", "ship ship 1"])
        #expect(try parts("/Part/car") == ["Order_ Order_ 1", "door door 2", "Order_~2 Order_ 1"])
        #expect(try parts("/Part/car", sort: "-Size") == ["door door 2", "Order_ Order_ 1", "Order_~2 Order_ 1"])
        #expect(try parts("/Part/car", sort: "-Title") == ["Order_ Order_ 1", "Order_~2 Order_ 1", "door door 2"])
        #expect(try parts("/Part/car/door/knob/Order_") == ["1 1 0"])
        #expect(try parts("/Part/ship/door") == ["nothing"])
        #expect(try parts("/Part/lost") == ["nothing"])
    }

    @Test("link to a record's place in its tree")
    func placesInTrees() throws {
        try addParts()
        let reading = try rows().begin()
        defer { reading.end() }
        func keys(_ texts: String...) -> [[UInt8]] { texts.map { Array($0.utf8) } }
        func links(_ path: String) throws -> RecordLinks? {
            try reading.detail(of: try #require(try item(path, in: reading))).links
        }
        #expect(
            try links("/Part/car/door/knob/Order_/1")
                == RecordLinks(
                    canonical: keys("Order_", "1"),
                    references: [
                        .init(name: "Part", title: Array("knob".utf8), path: keys("Part", "car", "door", "knob"))
                    ]))
        #expect(try links("/Order_/3") == RecordLinks(canonical: keys("Order_", "3"), references: []))
        let door = try reading.detail(of: try #require(try item("/Part/car/door", in: reading)))
        #expect(door.links?.canonical == keys("Part", "car", "door"))
        #expect(door.previous.map { $0.level.title($0.row) } == "Order_")
        #expect(door.next.map { String(utf8: $0.level.key($0.row).utf8Span.span) } == "Order_~2")
        #expect((door.count, door.children.count) == (3, 2))
        #expect(door.children.first.map { $0.level.title($0.row) } == "knob")
        #expect(door.children.last.map { $0.level.title($0.row) } == "Order_")
    }

    @Test(
        "are not served if they cannot be the trees that are asked for",
        arguments: [
            (["Song": "Album"], "there is no table 'Song' to be a tree"),
            (["Artist": "Above"], "the table 'Artist' has no column 'Above' that could refer to the record above"),
            (
                ["Note": "Text"],
                "the key of the table 'Note' is not one column, so 'Text' cannot refer to it"
            ),
        ])
    func wrongTrees(columns: [String: String], reason: String) throws {
        var options = TableRows.Options()
        options.treeColumns = columns
        let source = DatabaseTables(sqlite: path, name: "sqlite:Shop.db", options: options)
        let error = try #require(throws: SourceError.self) { try source.load(replacing: nil) }
        #expect("\(error)" == "sqlite:Shop.db: \(reason).")
    }

    @Test("show each answer what was committed before it")
    func fresh() throws {
        let rows = rows()
        func count() throws -> Int? {
            let reading = try rows.begin()
            defer { reading.end() }
            return try item("/Artist", in: reading)?.count
        }
        #expect(try count() == 3)
        try change("DELETE FROM Artist WHERE Id = 2")
        #expect(try count() == 2)
    }

    @Test("end their statements for a client that has left")
    func left() throws {
        try change(
            "WITH n(i) AS (SELECT 11 UNION ALL SELECT i + 1 FROM n LIMIT 1000) INSERT INTO Artist (Id) SELECT i FROM n")
        let isWanted = Guarded(true)
        let reading = try rows().begin { isWanted.withLock { $0 } }
        defer { reading.end() }
        let item = try #require(try item("/Artist", in: reading))
        var query = RowQuery()
        query.order.sort = try RowOrder("Name")
        isWanted.withLock { $0 = false }
        #expect(
            throws: RowRefusal(
                kind: .timeout, sentence: "The database needs more time for this answer than it may have. Ask for less."
            )
        ) {
            try reading.page(query, below: item)
        }
        isWanted.withLock { $0 = true }
        #expect(try reading.page(query, below: item).count == 1_003)
    }

    @Test("have one state until another program commits")
    func state() throws {
        let rows = rows()
        func states() throws -> [Int?] {
            let readings = [try rows.begin(), try rows.begin()]
            defer { for reading in readings { reading.end() } }
            return readings.map(\.state)
        }
        let first = try #require(try states()[0])
        #expect(try states() == [first, first])
        try change("INSERT INTO Note VALUES ('z')")
        let second = try #require(try states()[0])
        #expect(second != first)
        #expect(try states() == [second, second])
    }

    @Test("are published after another program has committed")
    func published() throws {
        let options = TableRows.Options()
        let rows = TableRows(path: path, options: options)
        let source = DatabaseTables(sqlite: path, name: "sqlite:Shop.db", options: options)
        let watcher = TablesWatcher(source: source, place: .file(path), rows: rows, patience: .zero)
        _ = try watcher.load(replacing: nil)
        func look() -> SourceReport? {
            _ = watcher.refresh()
            return watcher.advance(at: .now)
        }
        #expect(look() == .confirmed)
        try change("UPDATE Artist SET Name = 'Eva' WHERE Id = 2")
        #expect(look() == .committed)
        #expect(look() == .confirmed)
        // An answer after a load shows all commits before it.
        try change("UPDATE Artist SET Name = 'Ada' WHERE Id = 2")
        _ = try watcher.load(replacing: nil)
        // So late that the file is looked at.
        #expect(watcher.advance(at: .now + .seconds(60)) == nil)
        _ = watcher.refresh()
        var waits = WaitSet()
        watcher.addWaits(to: &waits)
        #expect(waits.deadline.map { $0 <= .now } == true)
    }
}

extension DatabaseValue {
    static func text(_ text: String) -> DatabaseValue { .text(Array(text.utf8)) }
}

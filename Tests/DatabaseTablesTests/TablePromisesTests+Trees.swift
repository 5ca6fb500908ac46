import Levels
import Testing

@testable import DatabaseTables
@testable import Levels
@testable import TestSupport

/// Tables that are trees.
extension TablePromisesTests {
    @Test("have named lists after the records below a record of a tree", arguments: TestedTables.Kind.allCases)
    func namedLists(kind: TestedTables.Kind) throws {
        let tables = try TestedTables(
            kind, in: scratch,
            """
            CREATE TABLE part (id text PRIMARY KEY NOT NULL, whole text REFERENCES part);
            CREATE TABLE use (id integer PRIMARY KEY, part text REFERENCES part);
            CREATE TABLE note (id integer PRIMARY KEY, part text REFERENCES part);
            INSERT INTO part VALUES ('car', NULL), ('door', 'car'), ('wheel', 'car'); INSERT INTO use VALUES (1, 'car')
            """)
        let rows = tables.rows { $0.treeColumns = ["part": "whole"] }
        let all = ["door 2", "wheel 2", "note 0", "use 1"]
        for (start, limit) in [(0, 9), (0, 2), (0, 3), (1, 1), (1, 2), (2, 1), (2, 2), (3, 1), (3, 2), (4, 1)] {
            for rows in [rows, tables.rows(arranged: 1) { $0.treeColumns = ["part": "whole"] }] {
                let page = try rows.page("/part/car") { ($0.page.start, $0.page.limit) = (RowOffset(start), limit) }
                let shown = all.dropFirst(start).prefix(limit)
                #expect((page.start, page.count, page.numbers.count) == (start, 4, shown.count))
                #expect((page.next != nil) == (start + limit < 4))
                let keys = try rows.keys("/part/car") { ($0.page.start, $0.page.limit) = (RowOffset(start), limit) }
                #expect(keys == Array(shown))
                guard let next = page.next else { continue }
                let rest = try rows.keys("/part/car") { $0.page.after = next }
                #expect(rest == Array(all.dropFirst(start + limit)))
            }
        }
        func around(_ path: String) throws -> [String] {
            try rows.read(path) { reading, item in
                let detail = try reading.detail(of: item)
                let titles = [detail.previous, detail.next].map { $0.map { $0.level.title($0.row) } ?? "nil" }
                return ["\(detail.position ?? -1) of \(detail.count), \(detail.children.count) below"] + titles
            }
        }
        #expect(try around("/part/car/wheel") == ["-1 of 4, 2 below", "door", "note"])
        #expect(try around("/part/car/note") == ["2 of 4, 0 below", "wheel", "use"])
        #expect(try around("/part/car/use") == ["3 of 4, 1 below", "note", "nil"])
        #expect(try around("/part/car/door/note") == ["0 of 2, 0 below", "nil", "use"])
        #expect(try around("/part/car/door/use") == ["1 of 2, 0 below", "note", "nil"])
    }

    @Test("continue after a table that is gone, and have no outline", arguments: TestedTables.Kind.allCases)
    func rootLevel(kind: TestedTables.Kind) throws {
        let names = (10..<30).map { "t\($0)" }
        let tables = try TestedTables(
            kind, in: scratch, names.map { "CREATE TABLE \($0) (id integer)" }.joined(separator: ";"))
        let rows = tables.rows()
        let cursors = try [2, 10].map { limit in try rows.page("") { $0.page.limit = limit }.next }
        // The own row of a cursor is the first to go, then as many rows before it as the cursor has.
        for (cursor, gone) in [
            (cursors[1], "t19"), (cursors[1], "t18"), (cursors[1], "t12,t13,t14,t15,t16,t17"), (cursors[0], "t11"),
            (cursors[0], "t10"),
        ] {
            for name in gone.split(separator: ",") { try tables.change("DROP TABLE \(name)") }
            let found = try rows.keys("") { ($0.page.after, $0.page.limit) = (cursor, 1) }
            #expect(found == ["t20 0"], "\(gone)")
        }
        for parameter in ["depth", "expand"] {
            var outline = OutlineOpening()
            if parameter == "depth" { outline.depth = 2 } else { outline.paths = [.root] }
            let sentence = "The rows of a database have no outline; follow their links."
            #expect(throws: RowRefusal(parameter: parameter, sentence: sentence)) {
                try rows.page("") { $0.outline = outline }
            }
        }
    }

    @Test("have records of a tree down to the depth of a document", arguments: TestedTables.Kind.allCases)
    func deepTrees(kind: TestedTables.Kind) throws {
        let depth = TreeLimits().depth
        let tables = try TestedTables(
            kind, in: scratch,
            """
            CREATE TABLE part (id integer PRIMARY KEY, whole integer);
            WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < \(depth))
            INSERT INTO part SELECT i, nullif(i - 1, 0) FROM n;
            CREATE TABLE use (id integer PRIMARY KEY, part integer REFERENCES part);
            INSERT INTO use VALUES (1, \(depth - 1)), (2, \(depth))
            """)
        let rows = tables.rows { $0.treeColumns = ["part": "whole"] }
        func path(_ count: Int) -> String { "/part" + (1...count).map { "/\($0)" }.joined() }
        func links(_ path: String) throws -> RecordLinks? { try rows.read(path) { try $0.detail(of: $1).links } }
        // The table is above the records.
        let deepest = path(depth - 1).split(separator: "/").map { Array($0.utf8) }
        #expect(try links(path(depth - 1))?.canonical == deepest)
        #expect(try links("/use/1")?.references.map(\.path) == [deepest])
        #expect(try links("/use/2")?.references == [])
        let reading = try rows.begin()
        defer { reading.end() }
        #expect(try item(path(depth), in: reading) == nil)
    }
}

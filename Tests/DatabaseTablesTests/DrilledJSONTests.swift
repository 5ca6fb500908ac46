import Bytes
import DatabaseTrees
import Levels
import PropertyLists
import Testing

@testable import DatabaseTables
@testable import Levels
@testable import TestSupport

/// Values of columns of JSON, which are rows below a record as they are below an item of a document.
@Suite("Columns of JSON", .timeLimit(.minutes(1)))
struct DrilledJSONTests {
    let scratch: ScratchFolder

    init() throws { scratch = try ScratchFolder() }

    private func shops(_ kind: TestedTables.Kind) throws -> TestedTables {
        let type = kind == .sqlite ? "Json" : "jsonb"
        // PostgreSQL adds a space. The last character has two bytes.
        let most = (64 << 10) - (kind == .sqlite ? 15 : 16)
        let (long, longer) = (String(repeating: "x", count: most), String(repeating: "x", count: most + 1))
        return try TestedTables(
            kind, in: scratch,
            """
            CREATE TABLE shop (id integer PRIMARY KEY, name text, data \(type), tags \(type));
            CREATE TABLE data (id integer PRIMARY KEY, shop integer REFERENCES shop);
            INSERT INTO shop VALUES
              (1, 'One', '[{"id": 7, "title": "Pen", "parts": [{"name": "cap"}, {"name": "ink", "no": null}]}, {"id": 9, "title": "Ink"}]', '["a"]'),
              (2, 'Two', '{"north": {"n": 1}, "south": {"n": 2}, "none": null}', '{"a": 1}'),
              (3, 'Three', '7', NULL), (4, 'Four', '[{"name":"\(longer)é"}]', '[[{"deep": 1}]]'),
              (5, 'Five', '[{"name":"\(long)é"}]', NULL);
            INSERT INTO data VALUES (1, 1), (2, 1)
            """)
    }

    private func titles(_ path: String, in rows: TableRows, sort: String? = nil) throws -> [String] {
        var titles: [String] = []
        try rows.page(path) { $0.order.sort = try sort.map { try RowOrder($0) } }.forEachRow { row in
            titles.append("\(String(utf8: row.title)) \(row.count)")
        }
        return titles
    }

    @Test(
        "have rows for maps and lists, before the lists of what refers to the record",
        arguments: TestedTables.Kind.allCases)
    func rows(kind: TestedTables.Kind) throws {
        let rows = try shops(kind).rows()
        #expect(try titles("/shop", in: rows) == ["One 2", "Two 2", "Three 1", "Four 1", "Five 2"])
        #expect(try titles("/shop", in: rows, sort: "-id") == ["Five 2", "Four 1", "Three 1", "Two 2", "One 2"])
        #expect(try rows.keys("/shop/1") == ["data~2 2", "data 2"])
        #expect(try titles("/shop/1", in: rows) == ["data 2", "data 2"])
        #expect(try titles("/shop/1/data~2", in: rows) == ["Pen 1", "Ink 0"])
        #expect(try titles("/shop/1/data~2/7/parts", in: rows) == ["cap 0", "ink 0"])
        #expect(try titles("/shop/1/data~2", in: rows, sort: "-id") == ["Ink 0", "Pen 1"])
        #expect(try titles("/shop/2/data~2", in: rows) == ["north 0", "south 0"])
        #expect(try titles("/shop/3", in: rows) == ["data 0"])
        #expect(try titles("/shop/4", in: rows) == ["data 0"])
        #expect(try titles("/shop/1/data", in: rows) == ["1 0", "2 0"])
    }

    @Test("have details with their fields and neighbours", arguments: TestedTables.Kind.allCases)
    func details(kind: TestedTables.Kind) throws {
        let rows = try shops(kind).rows()
        func detail(_ path: String) throws -> ItemDetail { try rows.read(path) { try $0.detail(of: $1) } }
        func shown(_ names: [String], of detail: ItemDetail) -> [String] {
            detail.item.own.withRow { row in
                var shown: [String] = []
                for name in names {
                    if RowField(name).value(of: row.packed, in: row.bytes) != nil { shown.append(name) }
                }
                return shown
            }
        }
        let names = ["id", "name", "data", "tags"]
        #expect(shown(names, of: try detail("/shop/1")) == ["id", "name", "tags"])
        #expect(shown(names, of: try detail("/shop/3")) == ["id", "name", "data"])
        let list = try detail("/shop/1/data~2")
        #expect((list.position, list.count, list.children.count) == (0, 2, 2))
        #expect(list.next.map { $0.level.key($0.row) } == "data")
        let ink = try detail("/shop/1/data~2/9")
        #expect((ink.position, ink.count, ink.children.count, ink.item.depth) == (1, 2, 0, 4))
        #expect(ink.previous.map { $0.level.title($0.row) } == "Pen")
        #expect(shown(["id", "title"], of: ink) == ["id", "title"])
        let pen = try detail("/shop/1/data~2/7")
        #expect(pen.children.first.map { $0.level.key($0.row) } == "parts")
        guard case .missing(let nearest, let number) = try rows.find(ItemPath("/shop/1/data~2/8".utf8Span.span)) else {
            Issue.record("an element is found that is not there")
            return
        }
        #expect((nearest.depth, number) == (3, 3))
    }

    @Test("are searched with all that is below", arguments: TestedTables.Kind.allCases)
    func search(kind: TestedTables.Kind) throws {
        let page = try shops(kind).rows().page("/shop/1/data~2") { $0.search = "ink" }
        let hits = page.numbers.map { number in
            page.rows(above: number).map { $0.level.title($0.row) }
        }
        #expect(hits == [["Pen", "parts"], []])
    }

    @Test("have paths in conditions, if they are fields")
    func paths() throws {
        let rows = try shops(.postgres).rows()
        #expect(try rows.keys("/shop") { $0.conditions = [try #require(RowCondition("tags.a:1"))] } == ["2 2"])
    }

    @Test("of a tree and of records without keys are fields")
    func fields() throws {
        let tables = try shops(.sqlite)
        try tables.change(
            """
            CREATE TABLE tree (id integer PRIMARY KEY, up integer REFERENCES tree, data JSON);
            INSERT INTO tree VALUES (1, NULL, '[{"a": 1}]'); CREATE VIEW shown AS SELECT data FROM tree
            """)
        let rows = tables.rows { $0.treeColumns = ["tree": "up"] }
        #expect(try titles("/tree", in: rows) == ["1 0"])
        #expect(try titles("/shown", in: rows) == ["0 0"])
    }

    @Test(
        "have rows below a record, or are fields",
        arguments: [
            (#"[{"a":1}]"#, true), (#"[1,{}]"#, true), ("[]", false), ("[1,[{}]]", false), ("{}", false),
            (#"{"a":[],"b":{}}"#, true), (#"{"a":[],"b":1}"#, false), ("1", false),
        ])
    func shapes(json: String, holdsRows: Bool) throws {
        #expect(try PropertyListValue(json: Array(json.utf8)).holdsRows == holdsRows)
    }
}

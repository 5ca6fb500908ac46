import Bytes
import Levels
import Testing

@testable import DatabaseTables
@testable import Levels
@testable import TestSupport

/// The links of rows to what they refer to.
extension TablePromisesTests {
    /// Sales refer to records by an integer, by a text, by two columns, to other sales, and to records that are missing.
    private static func sales(_ kind: TestedTables.Kind) -> String {
        // The second foreign key of a column leads to the record that the first one misses.
        let keys = [
            "(buyer) REFERENCES buyer", "(seller) REFERENCES seller", "(before) REFERENCES sale",
            "(seller) REFERENCES shop",
        ]
        let isSQLite = kind == .sqlite
        // A reference to a missing record is made before PostgreSQL knows of the foreign key.
        let inside = isSQLite ? keys.map { ", FOREIGN KEY \($0)" }.joined() : ""
        let later = isSQLite ? "" : keys.map { "; ALTER TABLE sale ADD FOREIGN KEY \($0) NOT VALID" }.joined()
        return """
            CREATE TABLE buyer (id text \(isSQLite ? "COLLATE NOCASE" : "") PRIMARY KEY NOT NULL, name text);
            CREATE TABLE seller (id integer PRIMARY KEY, name text);
            CREATE TABLE place (land text NOT NULL, town text NOT NULL, name text, PRIMARY KEY (land, town));
            CREATE TABLE sale (id integer PRIMARY KEY, title text, buyer text, seller \(isSQLite ? "text" : "bigint"),
              land text, town text, before integer, FOREIGN KEY (land, town) REFERENCES place\(inside));
            INSERT INTO buyer VALUES ('a', 'Ada'), ('b', NULL); INSERT INTO seller VALUES (1, 'One'), (2, 'Two');
            INSERT INTO place VALUES ('x', 'y', 'Here');
            CREATE TABLE shop (id integer PRIMARY KEY, name text); INSERT INTO shop VALUES (1, 'First'), (7, 'Seventh');
            INSERT INTO sale VALUES (1, 'i', 'a', '1', 'x', 'y', NULL), (2, 'h', 'b', '2', NULL, 'y', 1),
              (3, 'g', 'lost', '7', 'x', 'y', 1), (4, 'f', NULL, NULL, NULL, NULL, 3), (5, 'e', 'A', '1', NULL, NULL, 9)
            \(later)
            """
    }

    @Test("give rows the links that their details have", arguments: TestedTables.Kind.allCases)
    func linksOfRows(kind: TestedTables.Kind) throws {
        let tables = try TestedTables(kind, in: scratch, Self.sales(kind))
        try tables.change(
            "CREATE INDEX by_title ON sale (title, id); CREATE INDEX by_before ON sale (before, title, id)")
        for (trees, path) in [([:], "/sale"), (["sale": "before"], "/sale"), (["sale": "before"], "/sale/1")] {
            for (arranged, sort) in [(9, nil), (9, "title"), (1, nil), (1, "title")] {
                let rows = tables.rows(arranged: arranged) { $0.treeColumns = trees }
                let page = try rows.page(path) { $0.order.sort = try sort.map { try RowOrder($0) } }
                #expect(page.numbers.count > 0)
                for number in page.numbers {
                    var key = ""
                    page.withRow(number) { key = String(utf8: $0.key) }
                    let links = try rows.read("\(path)/\(key)") { try $0.detail(of: $1).links }
                    #expect(
                        page.references?.links(ofRow: number) == links?.references,
                        "\(path)/\(key), \(arranged), \(sort ?? "")")
                }
            }
        }
        let page = try tables.rows().page("/sale")
        func link(_ name: String, _ title: String, _ path: String...) -> RecordLinks.Link {
            RecordLinks.Link(name: name, title: Array(title.utf8), path: path.map { Array($0.utf8) })
        }
        let here = link("land,town", "Here", "place", "x,y")
        let first = page.references?.links(ofRow: 0).sorted { $0.name < $1.name }
        #expect(first == [link("buyer", "Ada", "buyer", "a"), here, link("seller", "One", "seller", "1")])
        let second = page.references?.links(ofRow: 1).sorted { $0.name < $1.name }
        #expect(
            second == [
                link("before", "i", "sale", "1"), link("buyer", "b", "buyer", "b"),
                link("seller", "Two", "seller", "2"),
            ])
        let third = page.references?.links(ofRow: 2).sorted { $0.name < $1.name }
        #expect(third == [link("before", "i", "sale", "1"), here, link("seller", "Seventh", "shop", "7")])
    }

    @Test("give rows the links of the columns that they show", arguments: TestedTables.Kind.allCases)
    func linksOfShownColumns(kind: TestedTables.Kind) throws {
        let tables = try TestedTables(kind, in: scratch, Self.sales(kind))
        func names(_ fields: FieldSelection) throws -> [String] {
            try tables.rows().page("/sale") { $0.fields = fields }.references?.links(ofRow: 0).map(\.name).sorted()
                ?? []
        }
        #expect(try names(.short) == ["buyer", "land,town", "seller"])
        #expect(try names(.all) == ["buyer", "land,town", "seller"])
        #expect(try names(.named(FieldNames(["seller", "land"].map { Array($0.utf8) }))) == ["seller"])
        #expect(try names(.named(FieldNames([]))) == [])
    }

    @Test("show a row anew once the record to which it refers has another title", arguments: TestedTables.Kind.allCases)
    func changedLinks(kind: TestedTables.Kind) throws {
        let tables = try TestedTables(kind, in: scratch, Self.sales(kind))
        let before = try tables.rows().page("/sale")
        try tables.change("UPDATE buyer SET name = 'Eve' WHERE id = 'a'")
        let after = try tables.rows().page("/sale")
        #expect(
            before.numbers.map { before.hasRow($0, readAs: $0, of: after) } == [
                false, true, true, true, kind == .postgres,
            ])
    }
}

import Bytes
import DatabaseTrees
import Levels
import Testing

@testable import DatabaseTables
@testable import Levels
@testable import TestSupport

/// Searches that an index of texts answers, in tables that are too large to be looked through.
@Suite("A search in a large table", .timeLimit(.minutes(1)))
struct TextSearchTests {
    let scratch: ScratchFolder

    init() throws { scratch = try ScratchFolder() }

    private static let songs = """
        CREATE TABLE song (id integer PRIMARY KEY, name text, maker text, size integer);
        INSERT INTO song VALUES (1, 'Back in Black', 'Young', 1), (2, 'Hunchback', 'Bo', 2),
          (3, 'A "back" seat', 'Ada', 3), (4, '100% {pure}', 'Back_Bach', 4), (5, NULL, 'Back Älskar', 5)
        """
    /// Indexes of words over both texts, and of the parts of words over the names alone.
    private static let words: [TestedTables.Kind: String] = [
        .sqlite: """
        CREATE VIRTUAL TABLE "song words" USING fts5(maker, name, content='song', content_rowid=id);
        INSERT INTO "song words" ("song words") VALUES ('rebuild')
        """,
        .postgres: """
        ALTER TABLE song ADD words tsvector
          GENERATED ALWAYS AS (to_tsvector('simple'::regconfig, coalesce(name, '') || ' ' || maker)) STORED;
        CREATE INDEX ON song USING gin (words)
        """,
    ]
    private static let parts: [TestedTables.Kind: String] = [
        .sqlite: """
        CREATE VIRTUAL TABLE parts USING fts5(name, content=song, content_rowid=[id], tokenize = "trigram");
        INSERT INTO parts (parts) VALUES ('rebuild')
        """,
        .postgres: "CREATE EXTENSION pg_trgm; CREATE INDEX ON song USING gin (name gin_trgm_ops)",
    ]

    private func tables(_ kind: TestedTables.Kind, with index: [TestedTables.Kind: String]) throws -> TestedTables {
        let tables = try TestedTables(kind, in: scratch, Self.songs)
        try tables.change(try #require(index[kind]))
        return tables
    }

    /// The keys of the hits, or the refusal.
    private func hits(
        _ text: String, in fields: String? = nil, of rows: TableRows,
        _ change: (inout RowQuery) throws -> Void = { _ in }
    ) throws -> String {
        do {
            return try rows.keys("/song") { query in
                query.search = text
                query.searchedFields = fields.flatMap { SearchedFields($0) }
                try change(&query)
            }.map { String($0.prefix(1)) }.joined(separator: " ")
        } catch let refusal as RowRefusal {
            return refusal.sentence
        }
    }

    private static let refusal =
        "The table 'song' has more than 4 rows, and no index finds a text in its records. Ask for fewer rows with a condition that an index serves."

    @Test("finds the beginnings of words by an index of words", arguments: TestedTables.Kind.allCases)
    func words(kind: TestedTables.Kind) throws {
        let rows = try tables(kind, with: Self.words).rows(arranged: 4)
        #expect(try hits("back", of: rows) == "1 3")
        #expect(try hits("ba", of: rows) == "1 3")
        #expect(try hits("BACK IN b", of: rows) == "1")
        #expect(try hits("in back", of: rows) == "")
        #expect(try hits("in", of: rows) == "1")
        #expect(try hits("back", in: "maker", of: rows) == "4 5")
        #expect(try hits("back", in: "*", of: rows) == "1 3 4 5")
        #expect(try hits("back", in: "Title,maker", of: rows) == "1 3 4 5")
        #expect(try hits("pure} \" OR back* NOT x", of: rows) == "")
        #expect(try hits("a \"back\" s", of: rows) == "3")
        #expect(try hits("back\0 x", of: rows) == "")
        #expect(try hits("%", of: rows) == Self.refusal)
        let size = try #require(RowCondition("size>1"))
        #expect(try hits("back", of: rows) { $0.conditions = [size] } == "3")
        #expect(try hits("back", in: "*", of: rows) { $0.order.sort = try RowOrder("-size") } == "5 4 3 1")
        if kind == .sqlite {
            #expect(try hits("back", in: "size", of: rows) == Self.refusal)
            #expect(try hits("back", in: "Key", of: rows) == Self.refusal)
        }
    }

    @Test("finds texts within words by an index of trigrams", arguments: TestedTables.Kind.allCases)
    func parts(kind: TestedTables.Kind) throws {
        let tables = try tables(kind, with: Self.parts)
        let rows = tables.rows(arranged: 4)
        #expect(try hits("BACK", of: rows) == "1 3 2")
        #expect(try hits("ack in B", of: rows) == "1")
        #expect(try hits("0% {", of: rows) == "4")
        #expect(try hits("_0% {", of: rows) == "")
        #expect(try hits("k\" s", of: rows) == "3")
        #expect(try hits("unc", of: rows) == "2")
        #expect(try hits("ba", of: rows) == Self.refusal)
        for fields in ["maker", "Title,maker"] { #expect(try hits("back", in: fields, of: rows) == Self.refusal) }
        #expect(try hits("oung", in: "*", of: rows) == "")
        try tables.change(
            kind == .postgres
                ? "CREATE INDEX ON song USING gin (maker gin_trgm_ops)"
                : """
                CREATE VIRTUAL TABLE more USING fts5(name, maker, content=song, content_rowid=id, tokenize=trigram);
                INSERT INTO more (more) VALUES ('rebuild')
                """)
        #expect(try hits("oung", in: "*", of: rows) == "1")
    }

    @Test("finds the records of a table of FTS5 with texts of its own")
    func textTable() throws {
        let tables = try TestedTables(
            .sqlite, in: scratch,
            """
            CREATE VIRTUAL TABLE memo USING fts5(name, about);
            INSERT INTO memo VALUES ('Back one', 'x'), ('other', 'back'), ('Hunchback', 'y')
            """)
        let rows = tables.rows(arranged: 1)
        #expect(try rows.keys("/memo") { $0.search = "back" } == ["1 0"])
        let all = try rows.page("/") { $0.search = "back" }
        #expect((all.numbers.count, all.refusal) == (1, nil))
    }

    @Test("looks through all records of a smaller table", arguments: TestedTables.Kind.allCases)
    func small(kind: TestedTables.Kind) throws {
        let rows = try tables(kind, with: Self.words).rows(arranged: 5)
        #expect(try hits("back", of: rows) == "1 3 2")
        #expect(try hits("älskar", in: "maker", of: rows) == "5")
    }

    @Test("is refused if the index finds too many records", arguments: TestedTables.Kind.allCases)
    func tooMany(kind: TestedTables.Kind) throws {
        let rows = try tables(kind, with: Self.words).rows(arranged: 1)
        #expect(
            try hits("back", of: rows)
                == "More than 1 records of 'song' may contain the text, which are too many to be looked through; ask for a longer text."
        )
    }

    @Test("of all tables finds the records of those with an index", arguments: TestedTables.Kind.allCases)
    func root(kind: TestedTables.Kind) throws {
        let tables = try tables(kind, with: Self.words)
        try tables.change(
            "CREATE TABLE back (id integer PRIMARY KEY, song integer REFERENCES song); INSERT INTO back VALUES (1, 1)")
        let rows = tables.rows(arranged: 4)
        func page(_ start: Int?, _ limit: Int?, after: RowBookmark? = nil) throws -> RowPage {
            try rows.page("/") { query in
                query.search = "back"
                (query.page.start, query.page.limit) = (start.map(RowOffset.init(clamping:)), limit)
                query.page.after = after
            }
        }
        func shown(_ page: RowPage) -> [String] {
            page.numbers.map { number in
                var row = ""
                page.withRow(number) { row = "\(String(utf8: $0.title)) \($0.count)" }
                let above = page.rows(above: number).map {
                    String(decoding: $0.level.title($0.row).utf8, as: UTF8.self)
                }
                return (above + [row]).joined(separator: "/")
            }
        }
        let all = try page(nil, nil)
        #expect(shown(all) == ["back 1", "song/Back in Black 1", "song/A \"back\" seat 1"])
        #expect((all.count, all.next == nil, all.refusal) == (3, true, nil))
        let first = try page(nil, 1)
        #expect(shown(first) == ["back 1"])
        #expect(shown(try page(nil, 1, after: first.next)) == ["song/Back in Black 1"])
        let last = try page(1, 9)
        #expect(shown(last) == ["song/Back in Black 1", "song/A \"back\" seat 1"])
        let few = try tables.rows(arranged: 1).page("/") { $0.search = "back" }
        #expect(shown(few) == ["back 1"])
        #expect(few.refusal?.hasPrefix("More than 1 records of 'song' may contain the text") == true)
        let more = (10..<25).map { "(\($0), 'back \($0)', '', 1)" }.joined(separator: ", ")
        try tables.change("INSERT INTO song (id, name, maker, size) VALUES \(more)")
        if kind == .sqlite { try tables.change(#"INSERT INTO "song words" ("song words") VALUES ('rebuild')"#) }
        // The table, and the first ten records of the other one.
        #expect(try tables.rows(arranged: 99).page("/") { $0.search = "back" }.numbers.count == 11)
    }

    @Test(
        "uses the columns and the options of a table of FTS5",
        arguments: [
            ("CREATE VIRTUAL TABLE t USING fts5(a, \"b, c\" UNINDEXED, [d e], content='it''s')", ["a", "d e"]),
            ("create virtual table if not exists t using FTS5 ( a , content = \"x=y\" )", ["a"]),
            ("CREATE VIRTUAL TABLE t USING fts4(a)", nil), ("CREATE TABLE t (a)", nil),
        ])
    func declaration(sql: String, columns: [String]?) {
        let declaration = TextIndex.Declaration(sql)
        #expect(declaration?.columns == columns)
        if sql.contains("it''s") { #expect(declaration?.options == ["content": "it's"]) }
        if sql.contains("x=y") { #expect(declaration?.options == ["content": "x=y"]) }
    }
}

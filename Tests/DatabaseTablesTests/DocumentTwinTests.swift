import Bytes
import DatabaseTrees
import Levels
import Testing
import TreeSources

@testable import DatabaseTables
@testable import Levels
@testable import TestSupport

/// Two tables, and a document with the same rows on the same paths.
@Suite("Tables answer as a document with the same rows") struct DocumentTwinTests {
    private let scratch: ScratchFolder
    private let document: TreeRows

    /// A record; without `size`, `kind` or `box`, the column is NULL.
    private struct Thing {
        let title: String
        let size: Int?
        let kind, box: String?

        init(_ title: String, _ size: Int?, _ kind: String?, _ box: String?) {
            (self.title, self.size, self.kind, self.box) = (title, size, kind, box)
        }

        var json: String {
            let members = [
                size.map { #""size":\#($0)"# }, kind.map { #""kind":"\#($0)""# }, box.map { #""box":"\#($0)""# },
            ]
            return "{" + ([#""Title":"\#(title)""#] + members.compactMap(\.self)).joined(separator: ",") + "}"
        }

        var sql: String {
            let texts = [kind, box].map { $0.map { "'\($0)'" } ?? "NULL" }.joined(separator: ", ")
            return "('\(title)', \(size.map { "\($0)" } ?? "NULL"), \(texts))"
        }
    }

    private static let things = [
        Thing("ant", 3, "x", "a"), Thing("bee", 1, nil, "a"), Thing("cat", nil, "y", "b"), Thing("cow", 3, "y", nil),
        Thing("dog", 2, "x", "a"), Thing("elk", nil, nil, "b"), Thing("fox", 2, "x", "a"), Thing("gnu", 5, "z", nil),
        Thing("hen", 3, "x", "b"), Thing("jay", nil, "x", "a"), Thing("kea", 2, "y", "a"), Thing("yak", -4, nil, "b"),
    ]
    private static let boxes = ["a", "b", "c"]

    init() throws {
        scratch = try ScratchFolder()
        let rows = Self.boxes.map { box in
            let things = Self.things.filter { $0.box == box }.map(\.json).joined(separator: ",")
            return #"{"Title":"\#(box)","Children":[{"Title":"thing","Children":[\#(things)]}]}"#
        }
        let all = [("box", rows), ("thing", Self.things.map(\.json))].map { title, rows in
            #"{"Title":"\#(title)","Children":[\#(rows.joined(separator: ","))]}"#
        }
        let path = try scratch.write("Twin.json", "[\(all.joined(separator: ","))]")
        document = TreeRows(
            document: try PropertyListFile(path: path).load(replacing: nil).tree.document,
            arrangements: ArrangementCache(bytes: 0))
    }

    private func tables(_ kind: TestedTables.Kind) throws -> TestedTables {
        let orders = [
            #""Title""#, #"size, "Title""#, #"kind, "Title""#, #"kind, size, "Title""#,
            #"kind, size DESC, "Title" DESC"#,
        ]
        let indexes = (orders + orders.map { "box, " + $0 }).enumerated().map { "CREATE INDEX i\($0) ON thing (\($1))" }
        return try TestedTables(
            kind, in: scratch,
            """
            CREATE TABLE box ("Title" text PRIMARY KEY NOT NULL);
            CREATE TABLE thing ("Title" text PRIMARY KEY NOT NULL, size integer, kind text, box text REFERENCES box);
            \(indexes.joined(separator: "; "));
            INSERT INTO box VALUES \(Self.boxes.map { "('\($0)')" }.joined(separator: ", "));
            INSERT INTO thing VALUES \(Self.things.map(\.sql).joined(separator: ", "))
            """)
    }

    // MARK: Answers as texts

    /// The pages of a level, each as its position, its rows with the numbers of rows below, and the number of all rows; then
    /// the sections.
    ///
    /// - Parameter isEstimate: whether the number of all rows is shown as an estimate: on each page but the last, only as
    ///   being larger than the rows shown so far.
    private func pages(
        _ path: String, _ query: RowQuery, of source: any RowSource, isEstimate: Bool = false
    ) throws -> [String] {
        var query = query
        var lines: [String] = []
        repeat {
            let reading = try source.begin()
            defer { reading.end() }
            let page = try reading.page(query, below: try #require(try item(path, in: reading)))
            var rows: [String] = []
            page.forEachRow { rows.append("\(String(utf8: $0.key)) \($0.count)") }
            let end = page.start + rows.count
            let count = isEstimate && page.next != nil ? page.count > end ? "more" : "too few" : "\(page.count)"
            lines.append("\(page.start): \(rows.joined(separator: ", ")) of \(count)")
            if page.isEstimate != (isEstimate && !(source is TreeRows)) { lines.append("estimate: \(page.isEstimate)") }
            if query.order.group != nil {
                lines += page.sections.enumerated().map { "\($1.title ?? "nil") \(page.sections.rows($0))" }
            }
            (query.page.after, query.page.start) = (page.next, nil)
        } while query.page.after != nil
        return lines
    }

    private static func text(_ step: Item.Step?) -> String { step.map { $0.level.title($0.row) } ?? "nil" }

    /// The details of an item and of the rows below it. The position is left out if a table does not know it.
    private func details(_ path: String, of source: any RowSource, withPositions: Bool) throws -> [String] {
        let reading = try source.begin()
        defer { reading.end() }
        var keys: [String] = []
        try reading.page(RowQuery(), below: try #require(try item(path, in: reading)))
            .forEachRow { keys.append(String(utf8: $0.key)) }
        return try [path.isEmpty ? "/" : path, "\(path)/nothing"].map { path in
            try item(path == "/" ? "" : path, in: reading).map { "\(path) \($0.count)" } ?? "no \(path)"
        }
            + keys.map { key in
                let detail = try reading.detail(of: try #require(try item("\(path)/\(key)", in: reading)))
                let children = detail.children
                return
                    "\(key) \(detail.item.count) at \(withPositions ? "\(detail.position ?? -1)" : "") of \(detail.count) after \(Self.text(detail.previous)) before \(Self.text(detail.next)) above \(children.count): \(Self.text(children.first)) to \(Self.text(children.last))"
            }
    }

    // MARK: Tests

    /// Queries that an index serves, too. The key is turned round with the last field of an index.
    private static func queries() throws -> [RowQuery] {
        let sorts = [
            "Title", "-Title", "Key", "-Key", "size", "-size,-Title", "kind", "-kind,-Title", "kind,size",
            "-kind,-size,-Title", "kind,-size,-Title", "size,Title",
        ]
        let conditions = [
            "size:3", "size:2", "size:7", "size>2", "size<2", "size>1.5", "size:2.0", "kind:y", "kind:w", "kind>x",
            "size>=3", "size<=2", "size>=1.5", "size<=1.5", "!size", "!kind", "kind!x&size:2", "size", "kind!~x&size:3",
            "?size:1&?size:5", "?kind:z&?size:1", "kind:y&?size:2&?size:3", "size:3&?kind:y&?box:b", "?size:9&?kind:w",
            "size:2&?kind!~x&?box:a", "size:2&?size>2&?kind:y", "?size:x&?kind:y",
            "kind:x&size>2", "kind:x&size:2", "Title:cow", "Title>hen", "Key:cow", "kind:x&Title>dog", "size:3&kind:x",
            "size:x",
        ]
        return try sorts.map { try RowQuery(sort: $0) }
            + conditions.map { texts in
                var query = RowQuery()
                for text in texts.split(separator: "&") {
                    let condition = try #require(RowCondition(String(text.drop { $0 == "?" })))
                    if text.first == "?" {
                        query.alternatives.append(condition)
                    } else {
                        query.conditions.append(condition)
                    }
                }
                return query
            } + [RowQuery(), RowQuery(group: "kind"), RowQuery(sort: "size", group: "kind")]
    }

    @Test("on each page, in memory or by an index", arguments: TestedTables.Kind.allCases, [3, 1_000])
    func pages(kind: TestedTables.Kind, arranged: Int) throws {
        let tables = try tables(kind).rows(arranged: arranged)
        for var query in try Self.queries() {
            for path in ["/thing", "/box/a/thing"] {
                let count = try document.page(query, below: try #require(try item(path, in: document))).count
                let isEstimate = arranged < count && !query.conditions.isEmpty
                var wanted = query
                if isEstimate, query.conditions[0].relation != .equal {
                    // An index that finds a range of values gives their order; below a record, that of the key may be given.
                    guard path == "/thing" else { continue }
                    wanted.order.sort = try RowOrder(query.conditions[0].field.name)
                }
                for (start, limit) in [(nil, 1), (nil, 4), (nil, 12), (1, 3), (3, 1), (5, 3), (11, 2)]
                where start ?? 0 < count {
                    query.page.limit = limit
                    query.page.start = start.map { RowOffset(clamping: $0) }
                    wanted.page = query.page
                    #expect(
                        try pages(path, query, of: tables, isEstimate: isEstimate)
                            == pages(path, wanted, of: document, isEstimate: isEstimate), "\(path) \(query)")
                }
            }
        }
    }

    @Test("in each detail", arguments: TestedTables.Kind.allCases, [3, 1_000])
    func details(kind: TestedTables.Kind, arranged: Int) throws {
        let tables = try tables(kind).rows(arranged: arranged)
        for path in ["", "/box", "/box/a", "/box/a/thing", "/box/c/thing", "/thing"] {
            let hasPositions = path == "" || path == "/box/a"
            #expect(
                try details(path, of: tables, withPositions: hasPositions)
                    == details(path, of: document, withPositions: hasPositions))
        }
    }
}

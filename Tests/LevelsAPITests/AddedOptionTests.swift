import Bytes
import Foundation
import Levels
import PropertyLists
import Testing
import TreeStore

@testable import LevelsAPI

/// The option that the manual adds as an example (Architecture).
extension QueryOption {
    fileprivate static let every = QueryOption(
        name: "every", grammar: "1*DIGIT", example: "2", summary: "Only every second row, or every third, and so on.",
        excludes: ["depth", "expand"]
    ) { value, values throws(Problem) in
        guard let distance = Int(value), distance > 0 else {
            throw .badParameter("every", detail: "'every' must be a number from 1 on, not '\(quoted: value)'.")
        }
        values.rows.rearrangements.append(AnyRowRearrangement(EveryNthRow(distance: distance)))
    }
}

private struct EveryNthRow: RowRearrangement {
    let distance: Int

    var description: String { "every \(distance)" }

    func apply(to listing: inout Listing) {
        listing.arrange(Array(stride(from: 0, to: listing.count, by: distance)))
    }
}

@Suite("A rearrangement") struct ArrangedListingTests {
    private static let options = QueryOptions(QueryOptions.level.all + [.every])

    private struct Page: Decodable {
        struct Row: Decodable { let title: String }
        let count: Int
        let rows: [Row]
        let next: String?
    }

    private static func query(_ text: String) throws -> (rows: RowQuery, linked: [Query.Parameter]) {
        let query = try Query(text: text.utf8Span.span, options: options)
        var values = QueryValues()
        try query.readAnswer(into: &values)
        return (values.rows, query.linked)
    }

    private static func page(_ snapshot: Snapshot, _ text: String, _ store: ArrangementCache) throws -> Page {
        let (rows, linked) = try query(text)
        let answer = try LevelAnswer(
            item: Item(rootOf: snapshot.document), query: rows,
            source: snapshot.source(at: .root, arrangements: store), linked: linked)
        var writer = JSONPropertyListWriter.init()
        _ = try answer.write(to: &writer)
        let body = try writer.body()
        return try JSONDecoder().decode(Page.self, from: Data(Array(copying: body.span)))
    }

    @Test("is applied after a condition and before an order, on all pages, kept or not", arguments: [0, 1 << 20])
    func pages(bytes: Int) throws {
        let titles = (0..<900).map { "row \($0 * 7919 % 1_000)" }
        let snapshot = try Desk.snapshot("[\(titles.map { "\"\($0)\"" }.joined(separator: ","))]")
        let store = ArrangementCache(bytes: bytes)
        let found = titles.filter { $0.contains("1") }
        for distance in [2, 3] {
            let expected = stride(from: 0, to: found.count, by: distance).map { found[$0] }
            for (order, sorted) in [("", expected), ("&sort=Title", expected.sorted())] {
                var seen: [String] = []
                var next: String? = "limit=10&where=Title~1&every=\(distance)\(order)"
                while let text = next {
                    let page = try Self.page(snapshot, text, store)
                    #expect(page.count == expected.count)
                    seen += page.rows.map(\.title)
                    next = page.next?.split(separator: "?").last.map(String.init)
                }
                #expect(seen == sorted, "\(distance)\(order)")
            }
        }
    }

    @Test("is part of what a query asks")
    func queries() throws {
        #expect(try Self.query("every=2").rows == Self.query("every=2").rows)
        #expect(try Self.query("every=2").rows != Self.query("every=3").rows)
        #expect(try Self.query("every=2").rows.description == "every 2")
    }
}

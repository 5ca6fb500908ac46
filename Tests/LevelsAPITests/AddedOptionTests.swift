import Bytes
import Foundation
import Levels
import PropertyLists
import Testing
import TreeStore

@testable import LevelsAPI

/// The option that the manual adds as an example (Architecture).
extension QueryOption {
    fileprivate static let below = QueryOption(
        name: "below", grammar: "1*DIGIT", example: "20", summary: "Only the rows whose price is less than a number.",
        excludes: ["depth", "expand"]
    ) { value, values throws(Problem) in
        guard let price = Int(value), let condition = RowCondition("Price<\(price)") else {
            throw .badParameter("below", detail: "'below' must be a whole number, not '\(quoted: value)'.")
        }
        values.rows.conditions.append(condition)
    }
}

@Suite("An added query option") struct AddedOptionTests {
    private static let options = QueryOptions(QueryOptions.level.all + [.below])

    private struct Page: Decodable {
        struct Row: Decodable { let title: String }
        let count: Int
        let rows: [Row]
        let next: String?
    }

    private static func query(_ text: String) throws -> (rows: RowQuery, follow: FollowLink) {
        let query = try Query(text: text.utf8Span.span, options: options)
        var values = QueryValues()
        try query.readAnswer(into: &values)
        return (values.rows, FollowLink(options: LinkedOptions(query), format: .json))
    }

    private static func page(_ snapshot: Snapshot, _ text: String, _ store: ArrangementCache) throws -> Page {
        let (rows, follow) = try query(text)
        let answer = try LevelAnswer(
            item: Item(rootOf: snapshot.document), query: rows,
            source: snapshot.source(at: .root, arrangements: store), follow: follow, under: "")
        var writer = JSONPropertyListWriter.init()
        _ = try answer.write(to: &writer)
        let body = try writer.body()
        return try JSONDecoder().decode(Page.self, from: Data(Array(copying: body.span)))
    }

    @Test("is applied after a condition and before an order, on all pages, kept or not", arguments: [0, 1 << 20])
    func pages(bytes: Int) throws {
        let titles = (0..<900).map { "row \($0 * 7919 % 1_000)" }
        let items = titles.enumerated().map { #"{"Title":"\#($1)","Price":\#($0 % 4)}"# }
        let snapshot = try Desk.snapshot("[\(items.joined(separator: ","))]")
        let store = ArrangementCache(bytes: bytes)
        for price in [2, 3] {
            let expected = titles.enumerated().filter { $1.contains("1") && $0 % 4 < price }.map(\.element)
            for (order, sorted) in [("", expected), ("&sort=Title", expected.sorted())] {
                var seen: [String] = []
                var next: String? = "limit=10&where=Title~1&below=\(price)\(order)"
                while let text = next {
                    let page = try Self.page(snapshot, text, store)
                    #expect(page.count == expected.count)
                    seen += page.rows.map(\.title)
                    next = page.next?.split(separator: "?").last.map(String.init)
                }
                #expect(seen == sorted, "\(price)\(order)")
            }
        }
    }

    @Test("is part of what a query asks")
    func queries() throws {
        #expect(try Self.query("below=2").rows == Self.query("below=2").rows)
        #expect(try Self.query("below=2").rows != Self.query("below=3").rows)
        #expect(try Self.query("below=2").rows.description == "where Price<2")
    }
}

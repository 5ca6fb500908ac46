import Bytes
import Foundation
import HTTPServer
import Levels
import PropertyLists
import Testing

@testable import LevelsAPI
@testable import TestDocuments

/// Answers whose rows are sorted, filtered, divided and taken from several levels, against plain arrays.
@Suite("An arranged listing") struct ArrangedListingTests {
    private static let queries = [
        "order=up", "order=down", "keep=a", "keep=a&order=down", "divide=initial", "order=down&divide=initial",
        "keep=b&divide=initial", "hits=a", "hits=b&order=up", "hits=a&keep=c&divide=initial",
        "hits=e&keep=z",
    ]
    /// The queries whose rows are in one level, so that keys alone identify changes.
    private static let queriesOfOneLevel = queries.filter { !$0.contains("hits") }

    @Test("shows on all its pages together the rows of plain arrays", arguments: queries)
    func pages(_ query: String) throws {
        for seed in 0..<5 as Range<UInt64> {
            var generator = SeededGenerator(seed: seed)
            let items = PlainItem.random(depth: 2, using: &generator)
            let snapshot = try Desk.snapshot(PlainItem.document(items))
            let expected = PlainListing(items, query)
            var rows: [[String: Any]] = []
            var next: String? = "limit=\(1 + generator.below(6))&\(query)"
            while let query = next {
                let page = try Self.page(snapshot, query)
                #expect(page["count"] as? Int == expected.rows.count, "seed \(seed)")
                #expect(page["start"] as? Int == rows.count, "seed \(seed)")
                #expect(page["sections"] as? NSArray == expected.sections as NSArray, "seed \(seed)")
                rows += try #require(page["rows"] as? [[String: Any]])
                next = Self.query(of: page["next"] as? String)
            }
            #expect(rows.map(Self.withoutVersion) as NSArray == expected.json as NSArray, "seed \(seed)")
        }
    }

    @Test("misses and repeats no row that stays while others come and go between its pages", arguments: queries)
    func changingPages(_ query: String) throws {
        for seed in 0..<5 as Range<UInt64> {
            var generator = SeededGenerator(seed: seed)
            var items = PlainItem.random(depth: 2, using: &generator)
            var seen: [String] = []
            var staying = PlainListing(items, query).paths
            var next: String? = "limit=\(3 + generator.below(3))&\(query)"
            while let query = next {
                let page = try Self.page(Desk.snapshot(PlainItem.document(items)), query)
                seen += try #require(page["rows"] as? [[String: Any]]).compactMap { $0["href"] as? String }.map(
                    Self.path)
                next = Self.query(of: page["next"] as? String)
                items = Self.changed(items, lastSeen: seen.last, using: &generator)
                let now = Set(PlainListing(items, query).paths)
                staying.removeAll { !now.contains($0) }
            }
            let known = Set(staying)
            #expect(seen.filter(known.contains) == staying, "seed \(seed)")
        }
    }

    @Test("of then, with the changes since, is the listing of now", arguments: queriesOfOneLevel)
    func since(_ query: String) throws {
        for seed in 0..<8 as Range<UInt64> {
            var generator = SeededGenerator(seed: seed)
            let before = PlainItem.random(depth: 2, using: &generator)
            let after = Self.edited(before, using: &generator)
            let page = generator.one(in: 2) ? "limit=\(1 + generator.below(8))&\(query)" : query
            let old = try Self.answer(try Desk.snapshot(PlainItem.document(before)), page)
            let new = try Self.answer(try Desk.snapshot(PlainItem.document(after)), page)
            let (copy, version) = try Self.object(old)
            let (whole, newVersion) = try Self.object(new)
            let since = String(EntityTag.of(version).dropFirst().dropLast())
            let change = LevelChange(since: since, from: old, to: new)
            let delta = try Self.object(LevelDelta(answer: new, change: change, version: newVersion)).object
            #expect(delta["since"] as? String == since)
            #expect(try DeltaTests.applied(delta, to: copy) == whole as NSDictionary, "seed \(seed)")
        }
    }

    @Test("differs from another by the fewest steps that lead to it", arguments: queriesOfOneLevel)
    func difference(_ query: String) throws {
        for seed in 0..<8 as Range<UInt64> {
            var generator = SeededGenerator(seed: seed)
            let before = PlainItem.random(depth: 2, using: &generator)
            let after = Self.edited(before, using: &generator)
            let paths = (PlainListing(before, query).paths, PlainListing(after, query).paths)
            let difference = RowsDifference(
                from: try Self.answer(try Desk.snapshot(PlainItem.document(before)), query).page,
                to: try Self.answer(try Desk.snapshot(PlainItem.document(after)), query).page)
            let common = Set(paths.0).intersection(paths.1)
            #expect(difference.removed.map { paths.0[$0] } == paths.0.filter { !common.contains($0) })
            #expect(difference.inserted.map { paths.1[$0] } == paths.1.filter { !common.contains($0) })
            #expect(difference.kept.map { paths.0[$0.old] } == paths.1.filter { common.contains($0) })
            #expect(difference.kept.map { paths.1[$0.new] } == paths.1.filter { common.contains($0) })
            let moved = Set(difference.moved.map { paths.1[$0] })
            let staying = common.subtracting(moved)
            #expect(paths.0.filter(staying.contains) == paths.1.filter(staying.contains), "seed \(seed)")
        }
    }

    @Test("is written as a property list too")
    func propertyList() throws {
        let snapshot = try Desk.snapshot(#"[{"Title":"a","Children":["ab"]}]"#)
        let answer = try Self.answer(snapshot, "hits=b&format=plist")
        var writer = XMLPropertyListWriter.init()
        _ = try answer.write(to: &writer)
        let body = try writer.body()
        let text = String(decoding: Array(copying: body.span), as: UTF8.self)
        #expect(text.contains("<key>href</key>\n\t\t\t<string>/detail/a/ab</string>"))
        #expect(text.contains("<key>trail</key>\n\t\t\t<array>\n\t\t\t\t<string>a</string>\n\t\t\t</array>"))
    }

    // MARK: Asking

    private static func answer(_ snapshot: Snapshot, _ text: String) throws -> LevelAnswer {
        let query = try Query(text: text.utf8Span.span, options: .arranging)
        var values = QueryValues()
        try query.readAnswer(into: &values)
        return try LevelAnswer(
            item: Item(rootOf: snapshot.document), query: values.rows,
            source: snapshot.source(at: .root, arrangements: ArrangementCache(bytes: 0)),
            linked: query.linked)
    }

    private static func page(_ snapshot: Snapshot, _ text: String) throws -> [String: Any] {
        try object(answer(snapshot, text)).object
    }

    private static func object(_ answer: some ItemAnswer) throws -> (object: [String: Any], version: ContentHash) {
        var writer = JSONPropertyListWriter.init()
        let version = try answer.write(to: &writer).version
        let body = try writer.body()
        let data = Data(Array(copying: body.span))
        return (try #require(try JSONSerialization.jsonObject(with: data) as? [String: Any]), version)
    }

    private static func query(of link: String?) -> String? { link?.split(separator: "?").last.map(String.init) }

    private static func path(of href: String) -> String {
        // Both names have six letters.
        String(href.dropFirst(8))
    }

    private static func withoutVersion(_ row: [String: Any]) -> [String: Any] { row.filter { $0.key != "version" } }

    // MARK: Changing

    /// A row more at the top and one anywhere, and the row gone that was seen last, if it is a leaf.
    private static func changed(
        _ items: [PlainItem], lastSeen: String?, using generator: inout SeededGenerator
    ) -> [PlainItem] {
        var items = items
        items.removeAll { $0.title == lastSeen && $0.children.isEmpty }
        for place in [0, generator.below(items.count + 1)] {
            let item = PlainItem(title: PlainItem.title(using: &generator), number: 0, children: [])
            // One of the same title as the row that went would be that row, moved.
            let isNew = item.title != lastSeen && !items.contains { $0.title == item.title }
            if isNew { items.insert(item, at: min(place, items.count)) }
        }
        return items
    }

    /// The same items with others among them, in another order, some with other fields and children.
    private static func edited(_ items: [PlainItem], using generator: inout SeededGenerator) -> [PlainItem] {
        var items = items.filter { _ in !generator.one(in: 5) }
        if generator.one(in: 3) { items.shuffle(using: &generator) }
        for index in items.indices {
            if generator.one(in: 5) { items[index].number += 1 }
            if generator.one(in: 5) { items[index].children = edited(items[index].children, using: &generator) }
        }
        for item in PlainItem.random(depth: 1, using: &generator)
        where !items.contains(where: { $0.title == item.title }) {
            items.insert(item, at: generator.below(items.count + 1))
        }
        return items
    }
}

/// The expected content of an arranged listing.
private struct PlainListing {
    private(set) var rows: [PlainRow]
    private(set) var sections: [[String: Any]] = []
    private let isTrail: Bool

    init(_ items: [PlainItem], _ query: String) {
        let options = Dictionary(
            uniqueKeysWithValues: query.split(separator: "&").map { part in
                (part.prefix { $0 != "=" }, part.drop { $0 != "=" }.dropFirst())
            })
        isTrail = options["hits"] != nil
        let all = PlainRow.flattened(items)
        rows = isTrail ? all : all.filter { $0.path.count == 1 }
        if let letter = options["hits"] { rows = rows.filter { $0.title.contains(letter) } }
        if let letter = options["keep"] { rows = rows.filter { $0.title.contains(letter) } }
        if let order = options["order"] { sort(order) }
        divide(isWanted: options["divide"] != nil)
    }

    private mutating func sort(_ order: Substring) {
        let places = rows.indices.sorted { one, other in
            let titles = (rows[one].title, rows[other].title)
            return titles.0 == titles.1 ? one < other : (titles.0 < titles.1) == (order == "up")
        }
        rows = places.map { rows[$0] }
    }

    private mutating func divide(isWanted: Bool) {
        let letters = isWanted ? Set(rows.map { String($0.title.prefix(1)) }).sorted() : []
        var divided: [PlainRow] = []
        for letter in letters {
            let part = rows.filter { $0.title.hasPrefix(letter) }
            sections.append(["title": letter, "index": letter, "start": divided.count, "count": part.count])
            divided += part
        }
        if letters.isEmpty {
            sections = [["title": NSNull(), "index": NSNull(), "start": 0, "count": rows.count]]
        } else {
            rows = divided
        }
    }

    var paths: [String] { rows.map { $0.path.joined(separator: "/") } }

    var json: [[String: Any]] {
        rows.map { row in
            var json: [String: Any] = [
                "key": row.title, "title": row.title, "leaf": row.item.children.isEmpty,
                "count": row.item.children.count, "href": row.href, "fields": ["Tag": row.item.number],
            ]
            if isTrail { json["trail"] = Array(row.path.dropLast()) }
            return json
        }
    }
}

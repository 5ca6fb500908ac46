import Bytes
import Testing

@testable import Levels
@testable import TestDocuments

/// Searches of trees, against a plain one that looks at every title.
@Suite struct ItemSearchTests {
    /// Parts so small that trees of a few items have many of them.
    private static let small = SearchPlan.Sizes(largest: 4, leastItems: 2, mostItems: 5)

    private static func level(seed: UInt64) throws -> (Level, RandomDocument) {
        var random = RandomDocument(seed: seed, .xml)
        while true {
            let document = random.document()
            if let level = Item(rootOf: try document.tree().document).level { return (level, random) }
        }
    }

    private static func hits(_ text: String, in level: Level, _ texts: SearchTexts, isRanked: Bool = true) throws
        -> [PlainSearch.Hit]
    {
        let search = try #require(ItemSearch(text: text, isRanked: isRanked))
        var listing = Listing(level)
        listing.search(search, texts: texts)
        return PlainSearch.hits(of: listing)
    }

    @Test(
        "The hits in random trees are those of the plain search, before and after edits", arguments: [0, 300, 1 << 20])
    func random(budget: Int) throws {
        for seed in 0..<20 as Range<UInt64> {
            var (level, random) = try Self.level(seed: seed)
            let texts = SearchTexts(bytes: budget, sizes: Self.small)
            var document = random.document()
            for _ in 0..<4 {
                for text in ["a", "t", "tw", "\u{E9}", "1", " ", "/", "a b", "ss", "it"] + [random.text()] {
                    guard !PlainSearch.folded(text).isEmpty else { continue }
                    for isRanked in [true, false] {
                        let found = try Self.hits(text, in: level, texts, isRanked: isRanked)
                        #expect(
                            found == PlainSearch.hits(of: text, in: level, isRanked: isRanked), "\(text), seed \(seed)")
                    }
                }
                #expect(texts.cost <= budget)
                document = random.edited(document)
                if let edited = Item(rootOf: try document.tree().document).level { level = edited }
            }
        }
    }

    @Test(
        "A title is found by its folded text, and ranked by where it is",
        arguments: [
            ("a", ["\u{E4}pfel", "\u{C4}", "b a", "\u{E9}-A", "ba"]),
            ("ss", ["Stra\u{DF}e"]), ("s", ["Stra\u{DF}e", "So\u{17F}"].sorted().reversed()),
            ("stras", ["Stra\u{DF}e"]),
            ("f", ["\u{FB01}n"]), ("i", ["I\u{307}x", "\u{FB01}n"]), ("FIN", ["\u{FB01}n"]),
            ("\u{131}", ["\u{131}x"]), ("\u{3C3}", ["\u{391}\u{3A3}", "\u{3B1}\u{3C2}"]),
            ("1", ["x_1", "x\u{B2}1", "a1", "\u{661}1"]),
        ] as [(String, [String])])
    func folding(text: String, titles: [String]) throws {
        let level = try #require(
            Item(rootOf: try Document.tree(#"[\#(titles.map { "\"\($0)\"" }.joined(separator: ","))]"#).document).level)
        let found = try Self.hits(text, in: level, SearchTexts(bytes: 0)).map(\.title)
        #expect(found == PlainSearch.hits(of: text, in: level).map(\.title))
        #expect(Set(found) == Set(titles))
    }

    @Test("A text of marks alone is not a search")
    func nothing() {
        for text in ["", "\u{301}", "\u{301}\u{302}"] { #expect(!ItemSearch.isPossible(for: text)) }
    }

    @Test("A long pattern is found, and ranked, in a title that repeats itself")
    func repetition() throws {
        let title = String(repeating: "a", count: 3_000)
        let level = try #require(Item(rootOf: try Document.tree("[\"b\(title)\", \"x \(title)\"]").document).level)
        let texts = SearchTexts(bytes: 0)
        for length in [63, 64, 65, 300, 2_999] {
            let found = try Self.hits(String(title.prefix(length)), in: level, texts)
            #expect(found.map(\.title) == ["x " + title, "b" + title])
        }
    }

    @Test("After an edit only the part that it is in is folded again")
    func sharing() throws {
        func document(_ changed: Int) -> String {
            let groups = (0..<100).map { group in
                let rows = (0..<10).map { "\"row \($0 == 5 && group == changed ? "new" : "\($0)") of \(group)\"" }
                return #"{"Title":"group \#(group)","Children":[\#(rows.joined(separator: ","))]}"#
            }
            return "[\(groups.joined(separator: ","))]"
        }
        let texts = SearchTexts(bytes: 1 << 20, sizes: .init(largest: 50, leastItems: 40, mostItems: 100))
        func hits(_ changed: Int) throws -> Int {
            let level = try #require(Item(rootOf: try Document.tree(document(changed)).document).level)
            return try Self.hits("new", in: level, texts).count
        }
        #expect(try hits(-1) == 0)
        let all = texts.foldedCount
        #expect(all > 10)
        #expect(try hits(-1) == 0)
        #expect(texts.foldedCount == all)
        #expect(try hits(50) == 1)
        #expect(texts.foldedCount == all + 1)
    }

    @Test("Kept texts never exceed the budget")
    func budget() throws {
        for budget in [0, 10_000, 1 << 20] {
            let texts = SearchTexts(bytes: budget, sizes: .init(largest: 50, leastItems: 40, mostItems: 100))
            for version in 0..<40 {
                let rows = (0..<1_000).map { "\"row \($0 + version * 1_000)\"" }.joined(separator: ",")
                let level = try #require(Item(rootOf: try Document.tree("[\(rows)]").document).level)
                #expect(try Self.hits("row", in: level, texts).count == 1_000)
                #expect(texts.cost <= budget)
            }
        }
    }

    @Test("An insertion in a long level changes the parts near it alone")
    func insertion() throws {
        let titles = (0..<5_000).map { "\"row \($0)\"" }
        let texts = SearchTexts(bytes: 1 << 20, sizes: .init(largest: 50, leastItems: 40, mostItems: 100))
        func search(_ titles: [String]) throws {
            let level = try #require(
                Item(rootOf: try Document.tree("[\(titles.joined(separator: ","))]").document).level)
            #expect(try Self.hits("row", in: level, texts).count == titles.count)
        }
        try search(titles)
        let all = texts.foldedCount
        try search(["\"a row\""] + titles)
        #expect(texts.foldedCount - all < all / 10)
    }
}

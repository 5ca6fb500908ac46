import Levels
import PropertyLists
import Testing

@testable import TestDocuments

/// The keys that items have among their siblings (manual, Paths and keys).
@Suite struct KeyTests {
    struct Siblings: Sendable, CustomTestStringConvertible {
        let titles: [String]
        let keys: [String]
        init(_ titles: [String], _ keys: [String]) {
            self.titles = titles
            self.keys = keys
        }
        var testDescription: String { "\(titles)" }
    }

    @Test(
        "Titles give keys, and later ones of the same take the smallest free number",
        arguments: [
            Siblings(["a", "b"], ["a", "b"]),
            Siblings(["a", "A"], ["a", "A"]),
            Siblings(["a", "a", "a"], ["a", "a~2", "a~3"]),
            Siblings(["a", "b", "a", "b", "a"], ["a", "b", "a~2", "b~2", "a~3"]),
            Siblings(["Twin", "Twin", "Twin~2"], ["Twin", "Twin~3", "Twin~2"]),
            Siblings(["Twin~2", "Twin", "Twin"], ["Twin~2", "Twin", "Twin~3"]),
            Siblings(["Twin", "Twin", "Twin~2", "Twin~3"], ["Twin", "Twin~4", "Twin~2", "Twin~3"]),
            Siblings(["Twin", "Twin", "Twin", "Twin~3"], ["Twin", "Twin~2", "Twin~4", "Twin~3"]),
            Siblings(["Twin~2", "Twin~2", "Twin", "Twin"], ["Twin~2", "Twin~2~2", "Twin", "Twin~3"]),
            Siblings(["a~2~2", "a~2", "a~2", "a", "a"], ["a~2~2", "a~2", "a~2~3", "a", "a~3"]),
            Siblings(["", ".", ".."], ["~1", ".~1", "..~1"]),
            Siblings(["...", ".a", ". ", " "], ["...", ".a", ". ", " "]),
            Siblings(["", "~1"], ["~1", "~1~2"]),
            Siblings(["~1", ""], ["~1", "~1~2"]),
            Siblings(["..", ".."], ["..~1", "..~1~2"]),
            Siblings(["a/b", "%2F", "a?b=c&d#e", "a+b"], ["a/b", "%2F", "a?b=c&d#e", "a+b"]),
            Siblings(["e\u{301}", "\u{E9}"], ["\u{E9}", "\u{E9}~2"]),
            Siblings(["\u{E9}", "e\u{301}", "\u{E9}~2"], ["\u{E9}", "\u{E9}~3", "\u{E9}~2"]),
            Siblings(["\u{212B}", "\u{C5}", "A\u{30A}"], ["\u{C5}", "\u{C5}~2", "\u{C5}~3"]),
            Siblings(["\u{1112}\u{1161}\u{11AB}", "\u{D55C}"], ["\u{D55C}", "\u{D55C}~2"]),
            Siblings(["\u{958}", "\u{FB01}", "\u{2F81A}"], ["\u{915}\u{93C}", "\u{FB01}", "\u{51AC}"]),
            Siblings(["q\u{307}\u{323}", "q\u{323}\u{307}"], ["q\u{323}\u{307}", "q\u{323}\u{307}~2"]),
            Siblings(
                ["\u{4E00}", "\u{1F468}\u{200D}\u{1F469}", "\u{10FFFD}"],
                ["\u{4E00}", "\u{1F468}\u{200D}\u{1F469}", "\u{10FFFD}"]),
        ])
    func natural(_ siblings: Siblings) throws {
        try expect(siblings.keys, of: siblings.titles.map { ["Title": $0] })
    }

    @Test("The same rules hold in levels too long to be searched row by row")
    func longLevel() throws {
        let padding = (0..<40).map { "row \($0)" }
        let titles = padding + ["Twin", "Twin", "Twin~2", "", "e\u{301}", "\u{E9}", "Twin"]
        let keys = padding + ["Twin", "Twin~3", "Twin~2", "~1", "\u{E9}", "\u{E9}~2", "Twin~4"]
        try expect(keys, of: titles.map { ["Title": $0] })
    }

    @Test("A Key takes the title's place, and competes with the titles of its siblings")
    func explicit() throws {
        try expect(["k", "t"], of: [["Key": "k", "Title": "t"], ["Title": "t"]])
        try expect(["k", "k~2"], of: [["Key": "k", "Title": "t"], ["Title": "k"]])
        try expect(["k", "k~2"], of: [["Title": "k"], ["Key": "k", "Title": "t"]])
        try expect(["k", "k~2", "k~3"], of: [["Title": "k"], ["Key": "k", "Title": "t"], ["Title": "k"]])
        try expect(["a", "b"], of: [["Key": "a", "Title": "t"], ["Key": "b", "Title": "t"]])
        try expect(["~1", "\u{E9}"], of: [["Key": "", "Title": "t"], ["Key": "e\u{301}", "Title": "t"]])
    }

    @Test("Two siblings with one Key are refused, also where it is one only after NFC or beside a title")
    func sharedKey() {
        func sentence(_ key: String, _ first: Int, _ second: Int) -> String {
            "two rows have the Key '\(key)', row \(first) at byte 0 and row \(second) at byte 0; "
                + "a Key must be unique among siblings"
        }
        #expect(reason([["Key": "k"], ["Key": "k"]]) == sentence("k", 1, 2))
        #expect(reason([["Title": "k"], ["Key": "k"], ["Key": "k"]]) == sentence("k", 2, 3))
        #expect(reason([["Key": "k"], ["Title": "k"], ["Key": "k"]]) == sentence("k", 1, 3))
        #expect(
            reason((0..<40).map { ["Title": "\($0)"] } + [["Key": "k"], ["Key": "k"]]) == sentence("k", 41, 42))
        #expect(reason([["Key": "e\u{301}"], ["Key": "\u{E9}"]]) == sentence("\u{E9}", 1, 2))
        #expect(reason([["Key": "k"], ["Title": "a"]]) == nil)
    }

    @Test("A hundred thousand rows of one title get a hundred thousand keys, in order")
    func manyTwins() throws {
        let count = 100_000
        let titles = ["Twin~7", "Twin~100000"] + Array(repeating: "Twin", count: count)
        let value = Value.array(titles.map(Value.string))
        let level = try #require(try value.tree().document.child(0))
        var expected = ["Twin~7", "Twin~100000", "Twin"]
        var next = 2
        while expected.count < titles.count {
            if next != 7, next != 100_000 { expected.append("Twin~\(next)") }
            next += 1
        }
        #expect((0..<level.count).map(level.key) == expected)
        #expect(Set(expected).count == titles.count)
        let found = expected.indices.filter { level.row(withKey: Array(expected[$0].utf8).span) == $0 }
        #expect(found.count == titles.count)
    }

    private func expect(
        _ keys: [String], of items: [[String: String]], sourceLocation: SourceLocation = #_sourceLocation
    ) throws {
        let level = try #require(try document(items).tree().document.child(0), sourceLocation: sourceLocation)
        let actual = (0..<level.count).map { Array(level.key($0).utf8) }
        #expect(
            actual == keys.map { Array($0.utf8) }, "\(actual.map { String(decoding: $0, as: UTF8.self) })",
            sourceLocation: sourceLocation)
        #expect((0..<level.count).map(level.title) == items.map { $0["Title"] ?? "" }, sourceLocation: sourceLocation)
        for (number, key) in actual.enumerated() {
            #expect(level.row(withKey: key.span) == number, sourceLocation: sourceLocation)
            #expect(level.row(withKeyHash: ContentHash.short(of: key.span)) == number, sourceLocation: sourceLocation)
        }
        #expect(level.row(withKey: Array("no such key".utf8).span) == nil, sourceLocation: sourceLocation)
    }

    private func reason(_ items: [[String: String]]) -> String? {
        do throws(PropertyListError) {
            _ = try document(items).tree()
            return nil
        } catch {
            return error.reason
        }
    }

    private func document(_ items: [[String: String]]) -> Value {
        .array(
            items.map { item in
                .dictionary(
                    ["Key", "Title"].compactMap { name in item[name].map { Value.Entry(name, .string($0)) } })
            })
    }
}

import Bytes
import HTTPFields
import Testing

/// Lists of entity tags (RFC 9110, sections 8.8.3.2, 13.1.1 and 13.1.2).
@Suite struct EntityTagListTests {
    private static func has(_ tag: String, in lines: [String], _ comparison: EntityTagList.Comparison) -> Bool {
        var list = EntityTagList(comparison)
        for line in lines { list.read(line.utf8Span.span) { $0.isEqual(to: tag.utf8Span.span) } }
        return list.hasWanted
    }

    /// The tags that a line passes to a visitor that wants none.
    private static func tags(_ line: String, _ comparison: EntityTagList.Comparison) -> [String] {
        var tags: [String] = []
        var list = EntityTagList(comparison)
        list.read(line.utf8Span.span) {
            tags.append(String($0))
            return false
        }
        return tags
    }

    @Test(
        "Weak and strong comparison are those of the table of RFC 9110",
        arguments: [
            ("W/\"1\"", "\"1\"", true, false), ("W/\"2\"", "\"1\"", false, false), ("\"1\"", "\"1\"", true, true),
            ("\"2\"", "\"1\"", false, false), ("\"\"", "\"\"", true, true), ("W/\"\"", "\"\"", true, false),
        ])
    func comparison(_ line: String, _ tag: String, _ weakly: Bool, _ strongly: Bool) {
        #expect(Self.has(tag, in: [line], .weak) == weakly)
        #expect(Self.has(tag, in: [line], .strong) == strongly)
    }

    @Test(
        "A line is its tags; weak ones are left out of a strong comparison",
        arguments: [
            ("", [], []), (" ,\t, ", [], []), ("\"a\"", ["\"a\""], ["\"a\""]),
            (",\"a\" ,, W/\"b\",\t\"c\",", ["\"a\"", "\"b\"", "\"c\""], ["\"a\"", "\"c\""]),
            ("\"a,b\", \"W/\"", ["\"a,b\"", "\"W/\""], ["\"a,b\"", "\"W/\""]),
            ("\"\\\",\"b\"", ["\"\\\"", "\"b\""], ["\"\\\"", "\"b\""]),
            ("\"é\u{0}\t\"", ["\"é\u{0}\t\""], ["\"é\u{0}\t\""]),
            ("\"a\"\"b\"W/\"c\"", ["\"a\"", "\"b\"", "\"c\""], ["\"a\"", "\"b\""]),
        ])
    func tags(_ line: String, _ weakly: [String], _ strongly: [String]) {
        #expect(Self.tags(line, .weak) == weakly)
        #expect(Self.tags(line, .strong) == strongly)
    }

    @Test(
        "What follows something malformed in a line is not read",
        arguments: [
            "x", "\"x", "W", "W/", "W/x", "W\"x\"", "w/\"x\"", "W /\"x\"", "*", "**", "x\"y\"", ";", "é", "\u{0}",
            "'x'",
        ])
    func malformed(_ element: String) {
        let tags = Self.tags("\"a\",\(element)", .weak)
        #expect(tags == ["\"a\""])
        #expect(Self.has("\"b\"", in: ["\"a\",\(element),\"b\""], .weak) == false)
        #expect(Self.has("\"b\"", in: ["\"a\",\(element)", "\"b\""], .weak))
    }

    @Test(
        "An asterisk alone is every tag, in the only line",
        arguments: [
            (["*"], true), (["*", ""], false), (["", "*"], false), (["*", "*"], false), (["*,"], false),
            (["\"x\", *"], false),
            (["\"*\""], false), (["W/*"], false), ([""], false), ([], false), (["*", "\"t\""], true),
        ])
    func asterisk(_ lines: [String], _ isFound: Bool) {
        #expect(Self.has("\"t\"", in: lines, .weak) == isFound)
        #expect(Self.has("\"t\"", in: lines, .strong) == isFound)
    }

    @Test("Thousands of tags are checked once each, and no more after the wanted one")
    func length() {
        let names = (0..<10_000).map { "\"\($0)\"" }
        let line = names.joined(separator: ",")
        #expect(Self.tags(line, .weak) == names)
        var judged = 0
        var list = EntityTagList(.weak)
        for _ in 0..<3 {
            list.read(line.utf8Span.span) { tag in
                judged += 1
                return String(tag) == "\"4999\""
            }
        }
        #expect(list.hasWanted)
        #expect(judged == 5_000)
        #expect(Self.tags(String(repeating: "\"", count: 20_001), .weak).count == 10_000)
    }
}

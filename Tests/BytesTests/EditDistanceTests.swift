import Bytes
import Testing

/// How near words are to each other.
@Suite struct EditDistanceTests {
    @Test(
        "A distance counts insertions, deletions, replacements and swaps of neighbours",
        arguments: [
            ("", "", 0), ("", "abc", 3), ("abc", "abc", 0), ("abc", "abd", 1), ("abc", "acb", 1), ("abc", "ab", 1),
            ("abc", "xabc", 1),
            ("ca", "abc", 3), ("kitten", "sitting", 3), ("Childern", "Children", 1), ("a", "b", 1), ("\u{E9}", "e", 1),
        ])
    func distance(_ one: String, _ two: String, _ distance: Int) {
        #expect(EditDistance.between(one, two, atMost: 10) == distance)
        #expect(EditDistance.between(two, one, atMost: 10) == distance)
        #expect(EditDistance.between(one, two, atMost: distance) == distance)
        #expect(distance == 0 || EditDistance.between(one, two, atMost: distance - 1) == nil)
    }

    @Test(
        "One slip makes a near miss, and so does a difference of case",
        arguments: [
            ("Childern", "Children", true), ("title", "Title", true), ("TITLE", "Title", true),
            ("Titel", "Title", true),
            ("Title", "Title", false), ("Ti", "Tit", false), ("Text", "Title", false), ("Row", "Rows", true),
            ("Kay", "Key", true),
            ("Ky", "Key", false), ("Tixye", "Title", false), ("abcd", "ad", false), ("ad", "abcd", false),
            ("xabcy", "xcbay", false),
            ("abcd", "abcdef", false), ("abc", "bca", false), ("cab", "cba", true),
        ])
    func slips(_ word: String, _ other: String, _ isSlip: Bool) {
        #expect(EditDistance.isOneSlip(word, other) == isSlip)
    }

    @Test(
        "Where case does not count, one slip more makes a near miss",
        arguments: [
            ("childern", "Children", true), ("TITEL", "Title", true), ("title", "Title", true),
            ("Title", "Title", false),
            ("chidlern", "Children", false), ("child", "Children", false), ("ky", "Key", false),
        ])
    func slipsInAnyCase(_ word: String, _ other: String, _ isSlip: Bool) {
        #expect(EditDistance.isOneSlip(word, other, ignoringCase: true) == isSlip)
    }

    @Test(
        "The nearest candidate is found if it is near enough, the first of equals",
        arguments: [
            ("Screen Z", ["Screen A", "Screen B", "Screens"], "Screen A"),
            ("screen b", ["Screen A", "Screen B"], "Screen B"),
            ("Sceen B", ["Screen A", "Screen B"], "Screen B"), ("Books", ["Music", "Films"], nil), ("x", [], nil),
        ] as [(String, [String], String?)])
    func nearest(_ word: String, _ candidates: [String], _ expected: String?) {
        #expect(EditDistance.nearest(to: word, among: candidates) == expected)
    }
}

import Testing

@testable import Levels
@testable import TestDocuments

@Suite("The difference of two listings")
struct RowsDifferenceTests {
    /// Titles of rows; a row whose title is in parentheses is not shown.
    private func listing(_ titles: String) throws -> Listing {
        let rows = titles.split(separator: " ").map { title in
            let name = title.filter { !"()".contains($0) }
            return #"{"Title":"\#(name)","IsHidden":\#(name != title)}"#
        }
        var listing = Listing(try Document.tree("[\(rows.joined(separator: ","))]").document.child(0))
        if titles.contains("(") { listing.filter(byAny: [try #require(RowCondition("IsHidden:false"))]) }
        return listing
    }

    @Test(
        "has the rows that only one of them shows, and those that moved",
        arguments: [
            ("a b c", "a b c", [], [], []), ("a b c", "(a) b c", [0], [], []), ("a b c", "a (b) c", [1], [], []),
            ("a b c", "a b (c)", [2], [], []), ("a b c", "(a) b (c)", [0, 2], [], []),
            ("a b c", "(a) (b) (c)", [0, 1, 2], [], []), ("(a) b c", "a b c", [], [0], []),
            ("a (b) c", "a b (c) d", [1], [1, 2], []), ("a b c d", "d a (b) c", [1], [], [0]),
            ("a b c d e", "b c (d) e a", [3], [], [3]), ("", "a b", [], [0, 1], []), ("a b", "", [0, 1], [], []),
        ] as [(String, String, [Int], [Int], [Int])])
    func difference(old: String, new: String, removed: [Int], inserted: [Int], moved: [Int]) throws {
        let difference = RowsDifference(from: try listing(old), to: try listing(new))
        #expect(difference.removed == removed)
        #expect(difference.inserted == inserted)
        #expect(difference.moved == moved)
    }
}

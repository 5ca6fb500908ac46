import Testing

@testable import Levels
@testable import TestDocuments

/// The texts that a search looks at.
@Suite struct SearchedFieldsTests {
    private static let items = #"""
        [{"Title":"apple","Key":"k1","Subtitle":"Pear","Tags":["Plum",["inner"],7],"Price":42},
        {"Title":"pear","Subtitle":7,"Other":{"Title":"plum"}},"plum"]
        """#

    @Test(
        "Only text is searched, also as an element of an array, in the fields that are named",
        arguments: [
            ("*", "PEAR", ["apple", "pear"]), ("*", "plum", ["apple", "plum"]), ("*", "k1", ["apple"]),
            ("*", "42", []), ("*", "inner", []), ("*", "7", []), ("Title", "p", ["apple", "pear", "plum"]),
            ("Subtitle", "p", ["apple"]), ("Subtitle,Title", "pear", ["apple", "pear"]), ("Key", "k1", ["apple"]),
            ("Key", "plum", ["plum"]), ("Tags", "lu", ["apple"]), ("Nothing", "p", []), ("Tag", "plum", []),
            ("A,B,C,D,Subtitle,Z", "pear", ["apple"]), ("Other", "plum", []),
        ] as [(String, String, [String])])
    func texts(names: String, text: String, titles: [String]) throws {
        let fields = try #require(SearchedFields(names))
        let search = try #require(ItemSearch(text: text, in: fields, isRanked: false))
        let level = try #require(Item(rootOf: try Document.tree(Self.items).document).level)
        let sizes = [SearchPlan.Sizes(), .init(largest: 1, leastItems: 1, mostItems: 2)]
        for sizes in sizes {
            let texts = SearchTexts(bytes: 1 << 20, sizes: sizes)
            var listing = Listing(level)
            listing.search(search, texts: texts)
            #expect(PlainSearch.hits(of: listing).map(\.title) == titles)
        }
    }

    @Test("Names are separated by commas, never empty, and at most 256")
    func names() {
        for text in ["", ",", "a,", ",a", "a,,b"] { #expect(SearchedFields(text) == nil) }
        #expect(SearchedFields("*") == .all)
        #expect(SearchedFields(Array(repeating: "a", count: 256).joined(separator: ",")) != nil)
        #expect(SearchedFields(Array(repeating: "a", count: 257).joined(separator: ",")) == nil)
    }
}

import PropertyLists
import Testing

@testable import Levels
@testable import TestDocuments

/// `SortBy` and `GroupBy` in a document: which values they take, and how a level is marked.
@Suite struct OwnOrderRuleTests {
    @Test(
        "A value that is no order refuses the document, with its place",
        arguments: [
            (
                "\"SortBy\":1",
                "2:10: in /a: 'SortBy' must be the names of fields as text, such as -Price,Title, not a number"
            ),
            (
                "\"SortBy\":[]",
                "2:10: in /a: 'SortBy' must be the names of fields as text, such as -Price,Title, not an array"
            ),
            (
                "\"SortBy\":\"a,,b\"",
                "2:1: in /a: 'SortBy' must be names of fields with commas between them, as -Price,Title, not 'a,,b'"
            ),
            (
                "\"SortBy\":\"-\"",
                "2:1: in /a: 'SortBy' must be names of fields with commas between them, as -Price,Title, not '-'"
            ),
            (
                "\"SortBy\":\"1,2,3,4,5,6,7,8,9,10,11,12,13,14,15,16,17\"",
                "2:1: in /a: 'SortBy' must name at most 16 fields, not 17"
            ),
            ("\"GroupBy\":true", "2:11: in /a: 'GroupBy' must be text: initial, or the name of a field, not a Boolean"),
        ])
    func refused(member: String, reason: String) {
        #expect(Document.refusal(of: "[{\"Title\":\"a\",\n\(member),\"Children\":[\"b\"]}]") == reason)
    }

    @Test("A slip in the name is warned of")
    func slip() throws {
        let tree = try Document.tree("[{\"Title\":\"a\",\n\"SortyBy\":\"Title\",\"Children\":[\"b\"]}]")
        #expect(
            tree.warnings.first.map(\.description) == [
                "2:1: in /a: 'SortyBy' is kept as a field; did you mean 'SortBy'?"
            ])
    }

    @Test("A level reports whether an item in or below it has an order")
    func marked() throws {
        let text = #"[{"Title":"a","Children":[{"Title":"b","SortBy":"Title","Children":["c"]},"d"]},{"Title":"e"}]"#
        let level = try #require(try Document.tree(text).document.child(0))
        #expect(level.mayHoldOrders && level.child(0)?.mayHoldOrders == true)
        #expect(level.child(0)?.child(0)?.mayHoldOrders == false)
        let plain = try Document.tree(text.replacing("SortBy", with: "Sorted")).document
        #expect(!plain.mayHoldOrders)
    }

    @Test("An item has the order that its keys name, the last of a key that comes twice; no other shape has any")
    func order() throws {
        let text =
            #"[{"Title":"a","SortBy":"Title","SortBy":"-Key"},{"Title":"b","GroupBy":"initial"},{"Title":"c"},"d"]"#
        let level = try #require(try Document.tree(text).document.child(0))
        let orders = (0..<4).map { Item.Step(level: level, row: $0).order }
        #expect(
            orders == [
                ListingOrder(sort: try RowOrder("-Key")), ListingOrder(group: .initial), nil, nil,
            ])
        let any = try #require(try Document.anyTree(#"[{"SortBy":"Title"}]"#).document.child(0))
        #expect(Item.Step(level: any, row: 0).order == nil)
        let names = try StructuralNames(mapping: "children=entries")
        let mapped = try Document.tree(#"{"entries":[{"Title":"a","SortBy":"Title","entries":[]}]}"#, names: names)
        let root = try #require(mapped.document.child(0))
        #expect(Item.Step(level: root, row: 0).order == ListingOrder(sort: .title))
    }
}

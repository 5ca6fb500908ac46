import Foundation
import Testing

@testable import DrilldownClient

@Suite struct LevelQueryTests {
    private static let cases: [(LevelQuery, String)] = [
        (.all, ""),
        (.sorted(by: .descending("Price"), "Title"), "?sort=-Price%2CTitle"),
        (.sorted(by: [SortKey]()), "?sort="),
        (.sorted(by: "A").sorted(by: "B"), "?sort=B"),
        (.grouped(by: .initial), "?group=initial"),
        (.grouped(by: .field("Artist & Co")), "?group=Artist%20%26%20Co"),
        (.grouped(by: .ungrouped), "?group="),
        (.where("Artist", equals: "X").where("Price", isLessThan: 12.5), "?where=Artist%3AX&where=Price%3C12.5"),
        (.where("Price", isLessThan: 1), "?where=Price%3C1"),
        (.where("Tag", equals: true), "?where=Tag%3Atrue"),
        (.where("Size", isGreaterThan: 9_223_372_036_854_775_807), "?where=Size%3E9223372036854775807"),
        (.where("Title", contains: "ä~b"), "?where=Title~%C3%A4~b"),
        (
            .where("Born", isGreaterThan: .date(Date(timeIntervalSince1970: 984_355_200))),
            "?where=Born%3E2001-03-12T00%3A00%3A00Z"
        ),
        (.searching(for: "a b+c"), "?q=a%20b%2Bc"),
        (.searching(for: "a", in: ["Title", "Text"]), "?q=a&in=Title%2CText"),
        (.searching(for: "a", in: .all), "?q=a&in=%2A"),
        (.searching(for: "a", in: .all).searching(for: "b"), "?q=b"),
        (.outlined(depth: 2), "?depth=2"),
        (.outlined(), "?depth=all"),
        (.outlined(expanding: [["Item 4", "a/b"], ["C"]]), "?expand=Item%25204%2Fa%252Fb%2CC"),
        (.showing(["Price", "Artist"]).limited(to: 20).starting(at: 40), "?fields=Price%2CArtist&limit=20&start=40"),
        (.showing(.noFields), "?fields="),
        (.showing(.all).showing(.usual), ""),
    ]

    @Test(arguments: cases)
    func `a query is encoded as the service reads it`(_ query: LevelQuery, _ text: String) {
        #expect(query.encoded == text)
    }
}

import Levels
import PropertyLists

extension QueryOption {
    /// `q=`: the items below the level that contain a text. Read after `in` and `sort`, which decide what is searched,
    /// and whether the best hits come first.
    static let search = QueryOption(
        name: "q", grammar: "1*CHAR", example: "screen",
        summary: "Only the items below, on all levels, whose title contains a text; case and accents are ignored.",
        effect: .content, arrangesRows: true, looksBelow: true, excludes: ["since"]
    ) { value, query throws(Problem) in
        let isRanked = query.searchedFields == nil && query.order.sort == nil
        guard let search = ItemSearch(value, in: query.searchedFields ?? .title, isRanked: isRanked) else {
            throw .badParameter(
                "q",
                "'q' must contain a character that is compared, such as a letter or a digit, not '\(quoted: value)'.")
        }
        query.search = search
        query.usesOwnOrder = false
    }
}

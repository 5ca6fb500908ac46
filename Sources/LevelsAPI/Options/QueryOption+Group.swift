import Levels

extension QueryOption {
    /// `group=`: the sections; without a value those of the document, even if the item has a `GroupBy`. Read after `sort`
    /// and `q`.
    static let group = QueryOption(
        name: "group", grammar: "\"initial\" / [ name ]", example: "initial",
        summary: "Sections by the first letter of the title, or by the text of a field.", effect: .content,
        arrangesRows: true
    ) { value, query in
        query.order.group = RowGrouping(value)
        // They are sorted by title then, and equal titles are in the order of the document.
        if query.order.group == .initial { query.search?.isRanked = false }
    }
}

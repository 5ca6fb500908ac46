import Levels

extension QueryOption {
    /// `group=`: the sections; without a value those of the document, even if the item has a `GroupBy`.
    static let group = QueryOption(
        name: "group", grammar: "\"initial\" / [ name ]",
        summary: "Sections by the first letter of the title, or by the text of a field.", effect: .content,
        arrangesRows: true
    ) { value, query in
        query.order.group = RowGrouping(value)
    }
}

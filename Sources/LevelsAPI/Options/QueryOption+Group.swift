import Levels

extension QueryOption {
    /// `group=`: the sections. Read after `sort`, because `initial` sorts by title unless another order is given.
    static let group = QueryOption(
        name: "group", grammar: "\"initial\" / [ name ]",
        summary: "Sections by the first letter of the title, or by the text of a field.", effect: .content,
        arrangesRows: true
    ) { value, query in
        guard !value.isEmpty else { return }
        let grouping = RowGrouping(value)
        if grouping == .initial, !query.isSorted { query.steps.append { $0.sort(by: .title) } }
        query.steps.append { $0.group(by: grouping) }
    }
}

import Levels

extension QueryOption {
    /// `sort=`: the order of the rows; without a value that of the document, even if the item has a `SortBy`.
    static let sort = QueryOption(
        name: "sort", grammar: "[ [ \"-\" ] name *( \",\" [ \"-\" ] name ) ]", example: "-Title",
        summary: "The fields by which the rows are sorted; '-' turns the order of a field round.", effect: .content,
        arrangesRows: true
    ) { value, query throws(Problem) in
        do {
            query.order.sort = try RowOrder(value)
        } catch {
            throw .badParameter("sort", "'sort' \(error).")
        }
    }
}

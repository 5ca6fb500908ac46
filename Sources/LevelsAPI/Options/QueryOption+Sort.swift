import Levels
import PropertyLists

extension QueryOption {
    /// `sort=`: the order of the rows; without a value that of the document.
    static let sort = QueryOption(
        name: "sort", grammar: "[ [ \"-\" ] name *( \",\" [ \"-\" ] name ) ]",
        summary: "The fields by which the rows are sorted; '-' turns the order of a field round.", effect: .content,
        arrangesRows: true
    ) { value, query throws(Problem) in
        guard let order = RowOrder(value) else {
            throw .badParameter(
                "sort",
                "'sort' must be names of fields with commas between them, as -Price,Title, not '\(quoted: value)'.")
        }
        query.isSorted = true
        query.steps.append { $0.sort(by: order) }
    }
}

import Levels
import PropertyLists

extension QueryOption {
    /// `in=`: what a search looks at. Read before `q`.
    static let searchedFields = QueryOption(
        name: "in", grammar: "\"*\" / name *( \",\" name )", example: "Title,Text", defaultValue: "Title",
        summary: "The fields that the search 'q' looks at: their names, or all with the title.", effect: .content,
        arrangesRows: true, requires: "q"
    ) { value, query throws(Problem) in
        guard let fields = SearchedFields(value) else {
            throw .badParameter(
                "in",
                "'in' must be * or up to \(SearchedFields.most) names of fields with commas between them, as Title,Subtitle, not '\(quoted: value)'."
            )
        }
        query.searchedFields = fields
    }
}

import Levels
import PropertyLists

extension QueryOption {
    /// `where=`: a condition on the rows. Read before `sort` and `group`, which then have fewer rows to arrange.
    static let condition = QueryOption(
        name: "where", grammar: "name ( \":\" / \"<\" / \">\" / \"~\" ) value",
        summary: "Only the rows whose field is equal to a value, less, greater, or contains a text.", effect: .content,
        isRepeatable: true, arrangesRows: true
    ) { value, query throws(Problem) in
        guard let condition = RowCondition(value) else {
            throw .badParameter(
                "where",
                "'where' must be a field's name, one of ':', '<', '>' and '~', and a value, as Price<10, not '\(quoted: value)'."
            )
        }
        query.steps.append { $0.filter(by: condition) }
    }
}

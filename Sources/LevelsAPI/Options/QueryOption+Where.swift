import Levels
import PropertyLists

extension QueryOption {
    /// The maximum number of conditions: each is evaluated for each row.
    private static let conditionLimit = 16

    /// `where=`: a condition on the rows.
    static let condition = QueryOption(
        name: "where", grammar: "name ( \":\" / \"<\" / \">\" / \"~\" ) value", pattern: "[:<>~]",
        example: "Title~screen",
        summary: "Only the rows whose field is equal to a value, less, greater, or contains a text.", effect: .content,
        isRepeatable: true, arrangesRows: true
    ) { value, query throws(Problem) in
        guard let condition = RowCondition(value) else {
            throw .badParameter(
                "where",
                "'where' must be a field's name, one of ':', '<', '>' and '~', and a value, as Price<10, not '\(quoted: value)'."
            )
        }
        query.conditionCount += 1
        guard query.conditionCount <= conditionLimit else {
            throw .badParameter("where", "'where' must be given at most \(conditionLimit) times.")
        }
        query.steps.append { $0.filter(by: condition) }
    }
}

import Levels
import PropertyLists

extension QueryOption {
    /// `at=`: where a new item is put.
    static let at = QueryOption(
        name: "at", grammar: "\"first\" / \"last\" / 1*DIGIT / ( \"before:\" / \"after:\" ) key",
        pattern: "^(first|last|[0-9]+|before:[\\s\\S]*|after:[\\s\\S]*)$", example: "first", defaultValue: "last",
        summary: "The place of the new item among the rows: an end, the number of rows before it, or a row beside it.",
        effect: .content
    ) { value, query throws(Problem) in
        guard let position = RowPosition(query: value) else {
            throw .badParameter("at", "'at' must be \(RowPosition.grammar), not '\(quoted: value)'.")
        }
        query.place = position
    }
}

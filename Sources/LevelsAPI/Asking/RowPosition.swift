import Bytes
import Levels
import PropertyLists

extension RowPosition {
    /// What a position may be, in words.
    static let grammar = "first, last, a number of rows from 0, before:KEY or after:KEY"

    /// A position that is named, not a number; nil if it is malformed.
    init?(name text: String) {
        switch text {
        case "first": self = .first
        case "last": self = .last
        default:
            if text.hasPrefix("before:") {
                self = .before(String(text.dropFirst(7)))
            } else if text.hasPrefix("after:") {
                self = .after(String(text.dropFirst(6)))
            } else {
                return nil
            }
        }
    }

    /// A position in a query; nil if it is malformed.
    init?(query text: String) {
        if let number = Int(digits: text.utf8Span.span) {
            self = .offset(number)
        } else if let named = RowPosition(name: text) {
            self = named
        } else {
            return nil
        }
    }
}

/// The query of `POST /levels/<path>`.
struct InsertionQuery: EndpointQuery {
    static let table = QueryTable<InsertionQuery>([
        (at, .content),
        (numberOfSection, .content),
    ])

    /// Where the new item is put.
    var position = RowPosition.last
    /// The number of the section that it is put in; nil for the last one.
    var section: Int?

    /// `at=`: where a new item is put.
    private static let at = QueryReader<InsertionQuery>(
        QueryOption(
            name: "at", grammar: "\"first\" / \"last\" / 1*DIGIT / ( \"before:\" / \"after:\" ) key",
            pattern: "^(first|last|[0-9]+|before:[\\s\\S]*|after:[\\s\\S]*)$", example: "first", defaultValue: "last",
            summary:
                "The place of the new item among the rows: an end, the number of rows before it, or a row beside it.")
    ) { value, query throws(Problem) in
        guard let position = RowPosition(query: value) else {
            throw .badParameter("at", "'at' must be \(RowPosition.grammar), not '\(quoted: value)'.")
        }
        query.position = position
    }

    /// `section=`: the section that a new item is put in.
    private static let numberOfSection = QueryReader<InsertionQuery>(
        QueryOption(
            name: "section", grammar: "1*DIGIT",
            summary:
                "The section of the new item, counted from 0 as the level's answer shows them; without it, the last one."
        )
    ) { value, query throws(Problem) in
        guard let section = Int(digits: value.utf8Span.span) else {
            throw .badParameter(
                "section", "'section' must be the number of a section, from 0, not '\(quoted: value)'.")
        }
        query.section = section
    }
}

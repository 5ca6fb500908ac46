import Bytes
import PropertyLists

extension QueryOption {
    /// `section=`: the section that a new item is put in.
    static let section = QueryOption(
        name: "section", grammar: "1*DIGIT",
        summary:
            "The section of the new item, counted from 0 as the level's answer shows them; without it, the last one.",
        effect: .content
    ) { value, query throws(Problem) in
        guard let section = Int(digits: value.utf8Span.span) else {
            throw .badParameter(
                "section", "'section' must be the number of a section, from 0, not '\(quoted: value)'.")
        }
        query.section = section
    }
}

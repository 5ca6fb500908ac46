import Bytes
import PropertyLists

extension QueryOption {
    /// `start=`: the row at which a page begins.
    static let start = QueryOption(
        name: "start", grammar: "1*DIGIT", example: "0", defaultValue: "0",
        summary: "The position of the page's first row, as the 'start' of a section.", effect: .content,
        isInNextLink: false, excludes: ["after"]
    ) { value, query throws(Problem) in
        guard let start = Int(digits: value.utf8Span.span) else {
            throw .badParameter(
                "start", "'start' must be a whole number from 0 to the number of rows, not '\(quoted: value)'.")
        }
        query.page.start = start
    }
}

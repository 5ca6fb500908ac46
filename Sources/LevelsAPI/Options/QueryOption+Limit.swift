import Bytes
import PropertyLists

extension QueryOption {
    /// `limit=`: the number of rows of a page.
    static let limit = QueryOption(
        name: "limit", grammar: "1*5DIGIT", example: "2", range: Page.limits, defaultValue: String(Page.defaultLimit),
        summary: "The number of rows of a page.", effect: .content
    ) { value, query throws(Problem) in
        guard let limit = Int(digits: value.utf8Span.span), Page.limits.contains(limit) else {
            throw .badParameter("limit", "'limit' must be a whole number from 1 to 10000, not '\(quoted: value)'.")
        }
        query.page.limit = limit
    }
}

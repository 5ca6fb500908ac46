import PropertyLists

extension QueryOption {
    /// `after=`: where the page before ended.
    static let after = QueryOption(
        name: "after", grammar: "1*( ALPHA / DIGIT / \"-\" / \"_\" )",
        summary: "The cursor of a page, as in the link 'next' of the page before it.", effect: .content,
        isInNextLink: false
    ) { value, query throws(Problem) in
        guard let cursor = Cursor(value) else {
            throw .badParameter("after", "'\(quoted: value)' is no cursor; follow the link 'next' of a page.")
        }
        query.page.after = cursor
    }
}

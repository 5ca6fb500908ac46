import PropertyLists

extension QueryOption {
    /// `after=`: the end of the previous page.
    static let after = QueryOption(
        name: "after", grammar: "1*( ALPHA / DIGIT / \"-\" / \"_\" / \".\" )", pattern: "^[A-Za-z0-9._-]+$",
        example: "AAAAAAAAAABFl8O-NfHbZy",
        summary: "The cursor of a page, from the link 'next' of the previous page.", effect: .content,
        isInNextLink: false
    ) { value, query throws(Problem) in
        if let cursor = OutlineCursor(value) {
            query.page.afterPlace = cursor
        } else if let cursor = Cursor(value) {
            query.page.after = cursor
        } else {
            throw .badParameter("after", "'\(quoted: value)' is not a cursor; follow the link 'next' of a page.")
        }
    }
}

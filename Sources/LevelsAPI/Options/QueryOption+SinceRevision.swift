extension QueryOption {
    /// `since=` of the changes: the revision that the client has. It is opaque, so it is never malformed.
    static let sinceRevision = QueryOption(
        name: "since", grammar: "*CHAR",
        summary: "The revision that the client has: the answer tells what changed since.",
        effect: .content
    ) { value, query throws(Problem) in
        query.revision = value
    }
}

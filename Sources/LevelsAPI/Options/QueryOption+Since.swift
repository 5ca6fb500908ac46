import PropertyLists

extension QueryOption {
    /// `since=` of a level: the version that the client has.
    static let since = QueryOption(
        name: "since", grammar: "22( ALPHA / DIGIT / \"-\" / \"_\" )", pattern: "^[A-Za-z0-9_-]{22}$",
        example: "JyuK7dY9m8TO_ugO9X2M3G",
        summary: "The version of the level that the client has: the answer tells what changed since.",
        effect: .content, isInNextLink: false
    ) { value, query throws(Problem) in
        guard let version = RequestedVersion(value) else {
            throw .badParameter(
                "since", "'\(quoted: value)' is not a version; use the member 'version' of an earlier answer.")
        }
        query.since = version
    }
}

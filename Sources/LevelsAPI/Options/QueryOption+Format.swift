import PropertyLists

extension QueryOption {
    /// `format=` of a level or a detail.
    static let format = QueryOption(
        name: "format", grammar: "\"json\" / \"plist\"",
        summary: "The format of the answer, in place of what Accept prefers.", effect: .form
    ) { value, query throws(Problem) in
        switch value {
        case "json": query.format = .json
        case "plist": query.format = .plist
        default:
            throw .badParameter(
                "format", "There is no format '\(quoted: value)' here; there are json and plist.",
                allowed: ["json", "plist"])
        }
    }
}

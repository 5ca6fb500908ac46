import PropertyLists

extension QueryOption {
    /// `format=` of a level or a detail.
    static let format = QueryOption(
        name: "format", grammar: "\"json\" / \"plist\"", example: "json",
        summary: "The format of the answer, instead of the one that Accept prefers.", effect: .form
    ) { value, query throws(Problem) in
        switch value {
        case "json": query.format = .json
        case "plist": query.format = .plist
        default:
            throw .badParameter(
                "format", "'format' must be json or plist here, not '\(quoted: value)'.",
                allowed: ["json", "plist"])
        }
    }
}

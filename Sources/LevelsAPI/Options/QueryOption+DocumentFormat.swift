import PropertyLists

extension QueryOption {
    /// `format=` of a document, which can also be binary.
    static let documentFormat = QueryOption(
        name: "format", grammar: "\"plist\" / \"xml\" / \"json\" / \"binary\"", example: "json",
        summary: "The format of the document, instead of the one that Accept prefers.", effect: .form
    ) { value, query throws(Problem) in
        switch value {
        case "json": query.format = .json
        case "plist", "xml": query.format = .plist
        case "binary": query.format = .binary
        default:
            throw .badParameter(
                "format", "'format' must be plist, json or binary, not '\(quoted: value)'.",
                allowed: ["plist", "json", "binary"])
        }
    }
}

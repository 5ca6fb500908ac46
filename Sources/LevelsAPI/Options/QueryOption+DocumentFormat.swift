import PropertyLists

extension QueryOption {
    /// `format=` of a document, which has one more.
    static let documentFormat = QueryOption(
        name: "format", grammar: "\"plist\" / \"xml\" / \"json\" / \"binary\"",
        summary: "The format of the document, in place of what Accept prefers.", effect: .form
    ) { value, query throws(Problem) in
        switch value {
        case "json": query.format = .json
        case "plist", "xml": query.format = .plist
        case "binary": query.format = .binary
        default:
            throw .badParameter(
                "format", "There is no format '\(quoted: value)'; there are plist, json and binary.",
                allowed: ["plist", "json", "binary"])
        }
    }
}

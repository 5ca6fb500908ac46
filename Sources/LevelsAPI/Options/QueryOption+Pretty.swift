import PropertyLists

extension QueryOption {
    /// `pretty=`: whether JSON is indented. It is read after the format, because it depends on it.
    static let pretty = QueryOption(
        name: "pretty", grammar: "\"true\" / \"false\"", example: "true", defaultValue: "false",
        summary: "Whether JSON is indented, with a line for each member.", effect: .form
    ) { value, query throws(Problem) in
        switch value {
        case "false": query.isIndented = false
        case "true":
            guard query.format == .json else {
                throw .badParameter("pretty", "'pretty' applies only to JSON; add format=json, or omit 'pretty'.")
            }
            query.isIndented = true
        default:
            throw .badParameter(
                "pretty", "'pretty' must be true or false, not '\(quoted: value)'.", allowed: ["true", "false"])
        }
    }
}

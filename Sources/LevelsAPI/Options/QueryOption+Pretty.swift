import PropertyLists

extension QueryOption {
    /// `pretty=`: whether JSON is laid out for people. Read after the format, which it depends on.
    static let pretty = QueryOption(
        name: "pretty", grammar: "\"true\" / \"false\"", defaultValue: "false",
        summary: "Whether JSON is indented, with a line for each member.", effect: .form
    ) { value, query throws(Problem) in
        switch value {
        case "false": query.isIndented = false
        case "true":
            guard query.format == .json else {
                throw .badParameter("pretty", "'pretty' goes with JSON only; add format=json, or leave 'pretty' out.")
            }
            query.isIndented = true
        default:
            throw .badParameter(
                "pretty", "'pretty' must be true or false, not '\(quoted: value)'.", allowed: ["true", "false"])
        }
    }
}

import PropertyLists

extension QueryOption {
    /// `inline=`: whether a document has what it takes from other files in place.
    static let inline = QueryOption(
        name: "inline", grammar: "\"true\" / \"false\"", example: "true", defaultValue: "true",
        summary: "Whether levels from other files are in place; false gives the document as its own file has it.",
        effect: .content
    ) { value, query throws(Problem) in
        switch value {
        case "true": query.isInline = true
        case "false": query.isInline = false
        default:
            throw .badParameter(
                "inline", "'inline' must be true or false, not '\(quoted: value)'.", allowed: ["true", "false"])
        }
    }
}

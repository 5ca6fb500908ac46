extension QueryOption {
    /// The parameter as OpenAPI describes it.
    var parameter: JSONNode {
        let described: JSONNode = [
            "name": .string(name), "in": "query", "description": .string(explanation), "schema": schema,
        ]
        guard let example else { return described }
        return described.adding("example", isRepeatable ? [.string(example)] : schema.literal(example))
    }

    /// The summary, the values, and what the option can be combined with.
    ///
    /// The default is told in words: clients that are generated from a schema with a default send it, and some options
    /// cannot be combined with others.
    private var explanation: String {
        var text = summary
        if let requires { text += " Only together with '\(requires)'." }
        if !excludes.isEmpty { text += " Not together with \(excludes.map { "'\($0)'" }.joined(separator: ", "))." }
        if let defaultValue { text += " By default `\(defaultValue)`." }
        return text + " The values, in the notation of RFC 5234: `\(grammar)`."
    }

    private var schema: JSONNode {
        guard isRepeatable else { return valueSchema }
        return ["type": "array", "items": valueSchema]
    }

    /// The schema of one value: the table tells the range of a number, and the grammar tells a list of words.
    private var valueSchema: JSONNode {
        if let words {
            guard words != ["true", "false"] else { return Schema.plain("boolean") }
            return ["type": "string", "enum": .strings(words)]
        }
        if let range {
            return ["type": "integer", "minimum": .integer(range.lowerBound), "maximum": .integer(range.upperBound)]
        }
        if grammar == "1*DIGIT" { return ["type": "integer", "minimum": 0] }
        return Schema.plain("string").adding("pattern", pattern.map(JSONNode.string))
            .adding("minLength", grammar.hasPrefix("1*") ? 1 : nil)
    }

    /// The values, if the grammar only lists words.
    private var words: [String]? {
        let alternatives = grammar.split(separator: " / ")
        let words = alternatives.compactMap { $0.wholeMatch(of: /"([a-z]+)"/).map { String($0.output.1) } }
        return words.count == alternatives.count ? words : nil
    }
}

extension JSONNode {
    /// A value of this schema that a text spells.
    fileprivate func literal(_ text: String) -> JSONNode {
        switch members.first(where: { $0.name == "type" })?.value {
        case .string("integer"): Int(text).map(JSONNode.integer) ?? .string(text)
        case .string("boolean"): .flag(text == "true")
        default: .string(text)
        }
    }
}

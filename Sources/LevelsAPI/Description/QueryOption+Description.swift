import PropertyLists

extension QueryOption {
    /// The option as a parameter of OpenAPI.
    var parameter: PropertyListValue {
        var parameter: PropertyListValue = [
            "name": .string(name), "in": "query", "description": .string(explanation),
            "schema": isRepeatable ? ["type": "array", "items": schema] : schema,
        ]
        if let example { parameter["example"] = isRepeatable ? [.string(example)] : value(example) }
        return parameter
    }

    /// The summary, the values, and the restrictions.
    ///
    /// The default is given only in words. If a schema contains a default, the clients that are generated from the
    /// schema always send it, and some options cannot be combined with others.
    private var explanation: String {
        var text = summary
        if !requires.isEmpty {
            text += " Only together with \(requires.map { "'\($0)'" }.joined(separator: " and "))."
        }
        if !excludes.isEmpty { text += " Not together with \(excludes.map { "'\($0)'" }.joined(separator: ", "))." }
        if let defaultValue { text += " By default `\(defaultValue)`." }
        if isFlag { text += " The name alone means `true`." }
        return text + " The values, in the notation of RFC 5234: `\(grammar)`."
    }

    /// The schema of one value, made from the range of a number if there is a range, otherwise from the grammar.
    private var schema: PropertyListValue {
        if let range {
            return ["type": "integer", "minimum": .number(range.lowerBound), "maximum": .number(range.upperBound)]
        }
        if isFlag { return ["type": "boolean"] }
        if grammar == "1*DIGIT" { return ["type": "integer", "minimum": 0] }
        let alternatives = grammar.split(separator: " / ")
        let words = alternatives.compactMap { $0.wholeMatch(of: /"([a-z]+)"/).map { String($0.output.1) } }
        if words.count == alternatives.count { return ["type": "string", "enum": .strings(words)] }
        var schema: PropertyListValue = ["type": "string"]
        schema["pattern"] = pattern.map(PropertyListValue.string)
        if grammar.hasPrefix("1*") { schema["minLength"] = 1 }
        return schema
    }

    private func value(_ text: String) -> PropertyListValue {
        switch schema.text("type") {
        case "integer": Int(text).map(PropertyListValue.number) ?? .string(text)
        case "boolean": .boolean(text == "true")
        default: .string(text)
        }
    }
}

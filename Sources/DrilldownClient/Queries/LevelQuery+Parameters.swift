extension LevelQuery {
    func setting(_ name: String, to value: String) -> LevelQuery {
        var query = self
        if let position = query.parameters.firstIndex(where: { $0.name == name }) {
            query.parameters[position].value = value
        } else {
            query.parameters.append(Parameter(name: name, value: value))
        }
        return query
    }

    func removing(_ name: String) -> LevelQuery {
        var query = self
        query.parameters.removeAll { $0.name == name }
        return query
    }

    func adding(_ field: String, _ comparison: String, _ value: FieldValue) -> LevelQuery {
        var query = self
        query.parameters.append(Parameter(name: "where", value: field + comparison + value.queryText))
        return query
    }

    /// The query as it is in a request, with its question mark; empty if nothing is asked for.
    var encoded: String { Self.encode(parameters) }

    /// Parameters as they are in a request, with their question mark; empty if there are none.
    static func encode(_ parameters: [Parameter]) -> String {
        guard !parameters.isEmpty else { return "" }
        return "?" + parameters.map { $0.name + "=" + PercentEncoding.encode($0.value) }.joined(separator: "&")
    }
}

extension FieldValue {
    /// The text that a condition compares with.
    var queryText: String {
        switch self {
        case .text(let text): text
        case .integer(let number): String(number)
        case .unsigned(let number): String(number)
        case .real(let number): String(number)
        case .boolean(let flag): String(flag)
        case .list, .dictionary, .null: ""
        }
    }
}

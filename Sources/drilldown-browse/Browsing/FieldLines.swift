import DrilldownClient

/// The fields of an item as lines for people.
enum FieldLines {
    private static let mostDepth = 16

    /// A value on one line.
    static func short(_ value: FieldValue) -> String {
        switch value {
        case .text(let text): text
        case .integer(let number): "\(number)"
        case .unsigned(let number): "\(number)"
        case .real(let number): "\(number)"
        case .boolean(let flag): flag ? "yes" : "no"
        case .list(let values): values.count == 1 ? "1 value" : "\(values.count) values"
        case .dictionary(let fields): fields.count == 1 ? "1 field" : "\(fields.count) fields"
        case .null: "none"
        }
    }

    /// Each field with its name, and with its value beside it or below.
    static func lines(of fields: Fields, columns: Int, depth: Int = 1) -> [StyledText] {
        fields.flatMap { lines(named: $0.name, $0.value, columns: columns, depth: depth) }
    }

    private static func lines(named name: String, _ value: FieldValue, columns: Int, depth: Int) -> [StyledText] {
        let indent = String(repeating: " ", count: 2 * min(depth, mostDepth))
        var first = StyledText(indent)
        first.append(name, .bold)
        switch value {
        case .list(let values) where !values.isEmpty && depth < mostDepth:
            return [first]
                + values.enumerated().flatMap { lines(named: "\($0 + 1)", $1, columns: columns, depth: depth + 1) }
        case .dictionary(let fields) where !fields.isEmpty && depth < mostDepth:
            return [first] + lines(of: fields, columns: columns, depth: depth + 1)
        default:
            let text = short(value)
            let beside = Browser.wrapped(text, columns: columns - first.columns - 3)
            if beside.count == 1 {
                first.append("  \(beside[0])")
                return [first]
            }
            let below = Browser.wrapped(text, columns: columns - indent.count - 3)
            return [first] + below.map { StyledText("\(indent)  \($0)") }
        }
    }
}

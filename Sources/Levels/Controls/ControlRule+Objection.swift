internal import PropertyLists

/// The words for a value that a control cannot have.
extension ControlRule {
    /// The end of a sentence whose subject is the value: `must be a number from 0 to 10, not 10.5`.
    func objection(to value: PropertyListValue) -> String {
        switch self {
        case .oneOf(let values) where values.isEmpty: return "cannot be set, because the control has no values"
        case .oneOf(let values): return "must be \(Self.alternatives(values)), not \(value.words)"
        case .number(let least, let most):
            return "must be a number from \(least.words) to \(most.words), not \(value.words)"
        case .text:
            return Self.fault(in: value) ?? "must be text, not \(value.words)"
        case .typedNumber(let keyboard):
            return "must be a number, because the keyboard is '\(quoted: keyboard)', not \(value.words)"
        case .single:
            return Self.fault(in: value) ?? "must be a text, a number or a Boolean, not \(value.words)"
        }
    }

    private static func fault(in value: PropertyListValue) -> String? {
        guard let fault = value.text.flatMap(ControlText.fault) else { return nil }
        let code = String(fault.value, radix: 16, uppercase: true)
        let digits = String(repeating: "0", count: max(4 - code.count, 0)) + code
        return "must be text without control characters; it contains U+\(digits)"
    }

    /// The number of values that a sentence lists.
    private static let mostListed = 10

    /// `true or false`, `one of 1, 2 and 3`, or the first of many.
    private static func alternatives(_ values: [PropertyListValue]) -> String {
        let words = values.prefix(mostListed).map(\.words)
        if values.count > mostListed { return "one of \(words.joined(separator: ", ")), … (\(values.count) values)" }
        guard words.count > 2 else { return words.joined(separator: " or ") }
        return "one of \(words.dropLast().joined(separator: ", ")) and \(words[words.count - 1])"
    }
}

extension PropertyListValue {
    /// The value in a sentence: `'text'`, `7`, `true`, `an array`.
    fileprivate var words: String {
        switch self {
        case .string(let text): "'\(quoted: text)'"
        case .integer(let value): "\(value)"
        case .real(let value): JSONText.real(value)
        case .boolean(let value): value ? "true" : "false"
        case .date(let seconds): JSONText.date(seconds)
        case .data: "data"
        case .uid: "a UID"
        case .array: "an array"
        case .dictionary: "a dictionary"
        case .null: "null"
        }
    }
}

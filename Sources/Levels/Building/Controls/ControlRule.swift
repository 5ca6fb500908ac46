internal import Bytes
import DrilldownDates
internal import PropertyLists

/// The values that a control accepts.
enum ControlRule {
    /// One of these values, for a choice or a switch.
    case oneOf([PropertyListValue])
    /// A number within the bounds of a slider.
    case number(from: PropertyListValue, to: PropertyListValue)
    /// A line of text.
    case text
    /// A number, or text that is a number, for a keyboard that is made for numbers.
    case typedNumber(keyboard: String)
    /// Any value except an array, a dictionary, a UID and null.
    case single

    /// The keyboards that are made for numbers (`UIKeyboardType`).
    private static let numberKeyboards: Set = ["NumberPad", "DecimalPad", "ASCIICapableNumberPad"]

    init(of control: PropertyListDictionary) {
        let options = control.options
        switch control["type"]?.text.flatMap(ControlType.init) {
        case .toggleSwitch:
            self = .oneOf([control["trueValue"] ?? .boolean(true), control["falseValue"] ?? .boolean(false)])
        case .checkbox: self = .oneOf([.boolean(true), .boolean(false)])
        case .slider:
            self = .number(
                from: control["min"].numeric ?? .integer(PropertyListInteger(0 as Int64)),
                to: control["max"].numeric ?? .integer(PropertyListInteger(1 as Int64)))
        case .textField:
            let keyboard = control["keyboard"]?.text ?? ""
            self = Self.numberKeyboards.contains(keyboard) ? .typedNumber(keyboard: keyboard) : .text
        case .multiValue: self = .oneOf(options ?? [])
        default: self = options.map(ControlRule.oneOf) ?? .single
        }
    }

    /// Returns the value to store for a client's value; nil if the control does not accept the client's value.
    func accepted(_ value: PropertyListValue) -> PropertyListValue? {
        switch self {
        case .oneOf(let values): values.first { $0.isChosen(by: value) }
        case .number(let least, let most): value.isBetween(least, and: most) ? value : nil
        case .text: value.text.map { ControlText.fault(in: $0) == nil } == true ? value : nil
        case .typedNumber: value.isFinite || value.text.map(ControlText.isNumber) == true ? value : nil
        case .single: value.isSingle && value.text.flatMap(ControlText.fault) == nil ? value : nil
        }
    }

    /// The member `allowed` of a problem: the accepted values, their bounds, or descriptions of them.
    var allowed: [PropertyListValue] {
        switch self {
        case .oneOf(let values): values
        case .number(let least, let most):
            [
                .dictionary(
                    PropertyListDictionary([
                        PropertyListDictionary.Entry(key: "min", value: least),
                        PropertyListDictionary.Entry(key: "max", value: most),
                    ]))
            ]
        case .text: [.string("text without control characters")]
        case .typedNumber: [.string("a number")]
        case .single:
            [.string("text without control characters"), .string("a number"), .boolean(true), .boolean(false)]
        }
    }
}

extension PropertyListDictionary {
    fileprivate var options: [PropertyListValue]? {
        guard case .array(let options) = self["options"] else { return nil }
        return options.compactMap { option in
            if case .dictionary(let option) = option { option["value"] } else { nil }
        }
    }
}

extension PropertyListValue {
    var text: String? { if case .string(let text) = self { text } else { nil } }

    fileprivate var number: ExactNumber? {
        switch self {
        case .integer(let value): ExactNumber(magnitude: value.magnitude, isNegative: value.isNegative)
        case .real(let value): .real(value)
        default: nil
        }
    }

    fileprivate var isFinite: Bool {
        switch self {
        case .integer: true
        case .real(let value): value.isFinite
        default: false
        }
    }

    fileprivate var isSingle: Bool {
        switch self {
        case .array, .dictionary, .uid, .null: false
        default: true
        }
    }

    fileprivate func isBetween(_ least: PropertyListValue, and most: PropertyListValue) -> Bool {
        guard let number, let least = least.number, let most = most.number else { return false }
        return !(number < least) && !(most < number) && !number.isNaN
    }

    /// Whether a client's value selects this value: an equal value, or an equal number or date of another type.
    fileprivate func isChosen(by other: PropertyListValue) -> Bool {
        if let number, let other = other.number { return number == other }
        if case .date(let seconds) = self, let text = other.text {
            return Timestamp.seconds(Array(text.utf8)) == seconds
        }
        return self == other
    }
}

extension PropertyListValue? {
    /// The value if it is a comparable number.
    fileprivate var numeric: PropertyListValue? { flatMap { $0.number?.isNaN == false ? $0 : nil } }
}

/// The rules for the text of a text field.
enum ControlText {
    /// The first character of a text that keyboards cannot type: a control character, or a noncharacter that XML cannot
    /// represent. Nil if keyboards can type all characters.
    static func fault(in text: String) -> Unicode.Scalar? {
        text.unicodeScalars.first { scalar in
            scalar.properties.generalCategory == .control || scalar.value == 0xFFFE || scalar.value == 0xFFFF
        }
    }

    /// Whether a text is a decimal number: an optional sign, and digits with at most one point between them.
    static func isNumber(_ text: String) -> Bool {
        var digits = Substring(text)
        if let first = digits.first, first == "-" || first == "+" { digits = digits.dropFirst() }
        let parts = digits.split(separator: ".", maxSplits: 1, omittingEmptySubsequences: false)
        return !parts.isEmpty
            && parts.allSatisfy { part in
                !part.isEmpty && part.utf8.allSatisfy { (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0) }
            }
    }
}

/// Explanations of rejected values.
extension ControlRule {
    /// Returns the reason for rejecting a value, as the end of a sentence: `must be a number from 0 to 10, not 10.5`;
    /// nil for accepted values.
    func objection(to value: PropertyListValue) -> String? {
        if accepted(value) != nil { return nil }
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

    private static let mostListed = 10

    /// `true or false`, `one of 1, 2 and 3`, or the first of many values.
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
        case .integer, .real, .boolean, .date, .uid: scalar?.text ?? "a UID"
        case .data: "data"
        case .array: "an array"
        case .dictionary: "a dictionary"
        case .null: "null"
        }
    }
}

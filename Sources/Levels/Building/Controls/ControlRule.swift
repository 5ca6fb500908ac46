internal import Bytes
import DrilldownDates
internal import PropertyLists

/// What values a control can have.
enum ControlRule {
    /// One of these: a choice, or a switch.
    case oneOf([PropertyListValue])
    /// A number within the bounds of a slider.
    case number(from: PropertyListValue, to: PropertyListValue)
    /// A line of text.
    case text
    /// A number, or text that is one, because the keyboard has little else.
    case typedNumber(keyboard: String)
    /// Anything but a list of values.
    case single

    /// The keyboards that are made for numbers (`UIKeyboardType`).
    private static let numberKeyboards: Set = ["NumberPad", "DecimalPad", "ASCIICapableNumberPad"]

    /// - Parameter control: the members of a control.
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

    /// The value as it is stored; nil if the control cannot have it.
    func accepted(_ value: PropertyListValue) -> PropertyListValue? {
        switch self {
        case .oneOf(let values): values.first { $0.isChosen(by: value) }
        case .number(let least, let most): value.isBetween(least, most) ? value : nil
        case .text: value.text.map { ControlText.fault(in: $0) == nil } == true ? value : nil
        case .typedNumber: value.isFinite || value.text.map(ControlText.isNumber) == true ? value : nil
        case .single: value.isSingle && value.text.flatMap(ControlText.fault) == nil ? value : nil
        }
    }

    /// What is allowed, for a program: the values, the bounds, or words.
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

    /// Whether it is one value, not several.
    fileprivate var isSingle: Bool {
        switch self {
        case .array, .dictionary, .uid, .null: false
        default: true
        }
    }

    fileprivate func isBetween(_ least: PropertyListValue, _ most: PropertyListValue) -> Bool {
        guard let number, let least = least.number, let most = most.number else { return false }
        return !(number < least) && !(most < number) && !number.isNaN
    }

    /// Whether a client that sends the other value means this one, which a property list may have in another type.
    fileprivate func isChosen(by other: PropertyListValue) -> Bool {
        if let number, let other = other.number { return number == other }
        if case .date(let seconds) = self, let text = other.text {
            return Timestamp.seconds(Array(text.utf8)) == seconds
        }
        return self == other
    }
}

extension PropertyListValue? {
    /// The value if it is a number that can be compared.
    fileprivate var numeric: PropertyListValue? { flatMap { $0.number?.isNaN == false ? $0 : nil } }
}

/// What a text field can hold.
enum ControlText {
    /// The first character that no keyboard types: a control character, as a line feed, or a noncharacter that XML
    /// cannot represent; nil if there is none.
    static func fault(in text: String) -> Unicode.Scalar? {
        text.unicodeScalars.first { scalar in
            scalar.properties.generalCategory == .control || scalar.value == 0xFFFE || scalar.value == 0xFFFF
        }
    }

    /// Whether a text is a decimal number: digits, with at most one point between them, after a sign if there is one.
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

/// The words for a value that a control cannot have.
extension ControlRule {
    /// Why the control cannot have a value, as the end of a sentence: `must be a number from 0 to 10, not 10.5`; nil if
    /// it can.
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
        case .integer, .real, .boolean, .date, .uid: scalar?.text ?? "a UID"
        case .data: "data"
        case .array: "an array"
        case .dictionary: "a dictionary"
        case .null: "null"
        }
    }
}

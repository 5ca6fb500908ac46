internal import Bytes
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
    /// The values of the member `options`; nil without one.
    fileprivate var options: [PropertyListValue]? {
        guard case .array(let options) = self["options"] else { return nil }
        return options.compactMap { option in
            if case .dictionary(let option) = option { option["value"] } else { nil }
        }
    }
}

extension PropertyListValue {
    /// The text of a string; nil for any other value.
    var text: String? { if case .string(let text) = self { text } else { nil } }

    /// The number; nil for any other value.
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
            return Moment.seconds(Array(text.utf8).span) == seconds
        }
        return self == other
    }
}

extension PropertyListValue? {
    /// The value if it is a number that can be compared.
    fileprivate var numeric: PropertyListValue? { flatMap { $0.number?.isNaN == false ? $0 : nil } }
}

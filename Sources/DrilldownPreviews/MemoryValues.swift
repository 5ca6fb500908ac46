import DrilldownClient
import Foundation

// Values of fields as the service compares them in conditions, orders and searches.
extension FieldValue {
    /// The value as a number: a number, or text that is entirely a JSON number; otherwise nil.
    var number: ExactNumber? {
        switch self {
        case .integer, .unsigned: ExactNumber(digits: description)
        case .real(let value): ExactNumber(value)
        case .text(let text): ExactNumber(text: text)
        case .boolean, .list, .dictionary, .null: nil
        }
    }

    /// The text by which rows are grouped; nil for a list, a dictionary and null.
    var groupText: String? {
        switch self {
        case .text, .integer, .unsigned, .real, .boolean: description
        case .list, .dictionary, .null: nil
        }
    }

    /// The texts in which a search looks: the value itself, or the elements of a list.
    var searchedTexts: [String] { (list ?? [self]).compactMap(\.text) }

    /// Returns the place of the value in an order.
    var sortKey: SortedValue {
        if let number { return SortedValue(kind: 2, number: number) }
        return switch self {
        case .boolean(let flag): SortedValue(kind: 1, text: [flag ? 1 : 0])
        case .text(let text): SortedValue(kind: 4, text: Array(text.folded.utf8))
        default: SortedValue(kind: 5)
        }
    }

    /// Returns the value with the types of an older value, as far as they can represent the same.
    func keepingTypes(of old: FieldValue?) -> FieldValue {
        switch (self, old) {
        case (.integer(let number), .real?):
            Double(exactly: number).map(FieldValue.real) ?? self
        case (.list(let new), .list(let old)?):
            .list(new.enumerated().map { $1.keepingTypes(of: old.indices.contains($0) ? old[$0] : .none) })
        case (.dictionary(let new), .dictionary(let old)?):
            .dictionary(Fields(new.map { ($0.name, $0.value.keepingTypes(of: old[$0.name])) }))
        default: self
        }
    }
}

extension Fields {
    /// The value of a field. If the field is missing, a name with dots is a path through dictionaries.
    func value(along name: String) -> FieldValue? {
        if let value = self[name] { return value }
        let names = name.split(separator: ".", omittingEmptySubsequences: false).map(String.init)
        guard names.count > 1 else { return .none }
        return names.dropFirst().reduce(self[names[0]]) { $0?.dictionary?[$1] }
    }
}

/// A number whose integers are compared with all their digits.
struct ExactNumber: Comparable {
    private let rounded: Double
    /// The digits of an integer, with its sign.
    private let digits: String

    init(_ value: Double) {
        rounded = value
        digits = value.isFinite ? String(format: "%.0f", value) : ""
    }

    init(digits: String) {
        rounded = Double(digits) ?? .nan
        self.digits = digits
    }

    /// Reads text that is entirely a JSON number (RFC 8259, section 6); nil for other text.
    init?(text: String) {
        guard let match = text.wholeMatch(of: /-?(?:0|[1-9][0-9]*)(\.[0-9]+)?([eE][+\-]?[0-9]+)?/)
        else { return nil }
        if match.1 == nil, match.2 == nil { self.init(digits: text) } else { self.init(Double(text) ?? .nan) }
    }

    var isNaN: Bool { rounded.isNaN }

    static func == (one: ExactNumber, other: ExactNumber) -> Bool {
        one.rounded == other.rounded && (one.rounded == 0 || one.digits == other.digits)
    }

    static func < (one: ExactNumber, other: ExactNumber) -> Bool {
        guard one.rounded == other.rounded, one.rounded != 0 else { return one.rounded < other.rounded }
        let (less, more) = one.rounded < 0 ? (other.digits, one.digits) : (one.digits, other.digits)
        return less.count == more.count ? less < more : less.count < more.count
    }
}

/// The place of a value in an order: Booleans, numbers, texts, and then all other values.
struct SortedValue: Comparable {
    let kind: Int
    var number: ExactNumber?
    /// The folded text, or the Boolean.
    var text: [UInt8] = []

    static func < (one: SortedValue, other: SortedValue) -> Bool {
        guard one.kind == other.kind else { return one.kind < other.kind }
        guard let number = one.number, let otherNumber = other.number else {
            return one.text.lexicographicallyPrecedes(other.text)
        }
        // NaN is the last number.
        return number < otherNumber || !number.isNaN && otherNumber.isNaN
    }
}

// Texts as the service compares them.
extension String {
    /// The text without case and marks: full case folding, canonical decomposition, and no marks.
    var folded: String {
        if utf8.allSatisfy({ $0 < 0x80 }) { return lowercased() }
        var folded = String.UnicodeScalarView()
        for scalar in unicodeScalars where !scalar.isMark {
            let parts = scalar.foldedCase.decomposedStringWithCanonicalMapping.unicodeScalars
            folded.append(contentsOf: parts.lazy.filter { !$0.isMark })
        }
        return String(folded)
    }

    /// The letter under which the title stands in an index; `#` if the title does not begin with a letter.
    var initial: String {
        guard let first = folded.unicodeScalars.first, first.isLetter else { return "#" }
        return first.properties.uppercaseMapping
    }

    /// Returns the rank of a folded title in a search: 0 if it begins with the text, 1 if a word does, 2 if it contains
    /// the text elsewhere, nil if it does not contain the text.
    func rank(of text: String) -> Int? {
        let (own, wanted) = (Array(unicodeScalars), Array(text.unicodeScalars))
        guard wanted.count <= own.count else { return nil }
        let found = (0...own.count - wanted.count).filter { own[$0..<$0 + wanted.count].elementsEqual(wanted) }
        guard let first = found.first else { return nil }
        if first == 0 { return 0 }
        return found.contains { !own[$0 - 1].isLetter && !own[$0 - 1].isDigit } ? 1 : 2
    }

    /// Whether the text contains another text. The code points are compared, so that no part of a character is left out.
    func containsScalars(of text: String) -> Bool { rank(of: text) != nil }
}

extension Unicode.Scalar {
    fileprivate var isMark: Bool {
        [.nonspacingMark, .spacingMark, .enclosingMark].contains(properties.generalCategory)
    }

    fileprivate var isLetter: Bool {
        switch properties.generalCategory {
        case .uppercaseLetter, .lowercaseLetter, .titlecaseLetter, .modifierLetter, .otherLetter: true
        default: false
        }
    }

    fileprivate var isDigit: Bool { properties.generalCategory == .decimalNumber }

    /// Full case folding (Unicode, section 3.13), which the standard library does not have: the small letters of the
    /// capital letters, except those that folding keeps.
    fileprivate var foldedCase: String {
        switch value {
        case 0x131: String(self)
        // Cherokee folds to capital letters.
        case 0x13A0...0x13FD, 0xAB70...0xABBF: properties.uppercaseMapping
        default: properties.lowercaseMapping.uppercased().lowercaseEach
        }
    }
}

extension String {
    /// The small letters of each code point, regardless of the code points around it.
    fileprivate var lowercaseEach: String { unicodeScalars.map(\.properties.lowercaseMapping).joined() }
}

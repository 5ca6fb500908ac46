internal import Bytes
internal import DatabaseTrees
internal import DrilldownDates
internal import PropertyLists

/// The type of a column in PostgreSQL, which determines how the column's values are shown. A domain counts as its base
/// type.
struct PostgresType: Sendable {
    enum Kind: Sendable {
        case boolean, integer, real, numeric, text, data, date, timestamp, zonedTimestamp
        /// JSON.
        case json
        /// An array or a composite, which is shown as JSON.
        case structure
        /// Shown as its text.
        case other
    }

    let kind: Kind
    /// Whether the values of the type vary in length. Only such a value can have more bytes than are shown.
    let isLong: Bool
    /// Whether the values have an order, so that an index can contain them.
    let isOrdered: Bool
    /// The object identifier.
    let number: Int

    /// - Parameters:
    ///   - number: the object identifier.
    ///   - category: `typcategory` of `pg_type`.
    ///   - length: `typlen` of `pg_type`; negative if the values vary in length.
    init(number: Int, category: String, length: Int, isOrdered: Bool = true) {
        (self.number, self.isOrdered) = (number, isOrdered)
        kind =
            switch number {
            case 16: .boolean
            case 20, 21, 23, 26: .integer
            case 700, 701: .real
            case 1700: .numeric
            case 17: .data
            case 1082: .date
            case 1114: .timestamp
            case 1184: .zonedTimestamp
            case 114, 3802: .json
            default:
                switch category {
                case "S": .text
                case "A", "C": .structure
                default: .other
                }
            }
        isLong = length < 0
    }

    /// Whether rows may show values of the type without being asked (`FieldSelection.short`).
    var isEverShort: Bool { kind != .data && kind != .structure }

    /// Returns the expressions that select a column: the value, and for a type of varying length, also the size in
    /// bytes.
    ///
    /// For a value that exceeds the limit, the first expression gives the beginning of a text, and NULL for any other
    /// type.
    ///
    /// - Parameters:
    ///   - limit: the maximum size of a value, in bytes.
    ///   - beginning: the number of characters to select from a text that exceeds the limit.
    func shown(_ column: SQL, limit: Int, beginning: Int) -> [SQL] {
        let value: SQL = kind == .structure ? "to_json(\(column))" : column
        guard isLong else { return [value] }
        let size: SQL = kind == .text || kind == .data ? "octet_length(\(column))" : "octet_length(\(column)::text)"
        let rest: SQL = kind == .text ? " ELSE left(\(column), \(literal: beginning))" : ""
        return ["CASE WHEN \(size) <= \(literal: limit) THEN \(value)\(rest) END", size]
    }
}

// MARK: Values

extension PostgresType {
    /// Returns the value that a text from PostgreSQL represents. If a property list cannot hold the value, returns the
    /// text as a string.
    func value(_ text: [UInt8]) -> PropertyListValue {
        switch kind {
        case .boolean: .boolean(text == [UInt8(ascii: "t")])
        case .integer:
            Int64(String(decoding: text, as: UTF8.self)).map { .integer(PropertyListInteger($0)) } ?? string(text)
        case .real: Self.real(text).map { .real($0) } ?? string(text)
        case .numeric: Self.number(text) ?? string(text)
        case .data: PostgresRow.data(text).map { .data($0) } ?? string(text)
        case .date, .timestamp, .zonedTimestamp: Self.date(text).map { .date($0) } ?? string(text)
        case .json, .structure: Self.json(text) ?? string(text)
        case .text, .other: string(text)
        }
    }

    /// Returns the title for a value; nil for data, arrays, dictionaries and null.
    func title(_ text: [UInt8]) -> [UInt8]? {
        switch value(text) {
        case .string(let string): Array(string.utf8)
        case .data, .array, .dictionary, .null: nil
        case let value: value.scalar?.text.map { Array($0.utf8) }
        }
    }

    private func string(_ text: [UInt8]) -> PropertyListValue { .string(String(decoding: text, as: UTF8.self)) }

    /// Returns a real number, an infinity or NaN; nil for any other text.
    private static func real(_ text: [UInt8]) -> Double? { Double(String(decoding: text, as: UTF8.self)) }

    /// Returns the number in a text: an integer if possible, otherwise a real number with exactly the same value.
    /// Returns nil if neither can represent the number.
    private static func number(_ text: [UInt8]) -> PropertyListValue? {
        guard let digits = DecimalDigits(text) else { return real(text).map { .real($0) } }
        if let integer = digits.integer { return .integer(integer) }
        guard let real = real(text), DecimalDigits(Array(JSONText.real(real).utf8)) == digits else { return nil }
        return .real(real)
    }

    /// Returns whether a condition's text is a date of a property list, or a date that is shown as text: an infinity, or
    /// a date outside of the years 1 to 9999. PostgreSQL would also read other texts, such as `yesterday`.
    static func readsAsDate(_ text: [UInt8]) -> Bool {
        if Timestamp.seconds(text) != nil { return true }
        let year = text.prefix { (0x30...0x39).contains($0) }.count
        let isLong = year > 4 && text.dropFirst(year).first == UInt8(ascii: "-")
        let isFar = isLong || year > 0 && text.suffix(3) == Array(" BC".utf8)[...]
        return isFar || text == Array("infinity".utf8) || text == Array("-infinity".utf8)
    }

    /// Returns a date in seconds since 2001; nil for `infinity` and for years outside of 1 to 9999.
    private static func date(_ text: [UInt8]) -> Double? {
        guard text.count > 10 else { return Timestamp.seconds(text) }
        guard text.count >= 19, text[10] == UInt8(ascii: " ") else { return nil }
        var text = text
        text[10] = UInt8(ascii: "T")
        // The session's time zone is UTC.
        if text.suffix(3) == Array("+00".utf8)[...] { text.removeLast(3) }
        return Timestamp.seconds(text + [UInt8(ascii: "Z")])
    }

    /// Returns the value of a text in JSON, without nulls; nil for another text, and for a value that nests too deep.
    static func json(_ text: [UInt8]) -> PropertyListValue? {
        do throws(PropertyListError) {
            return try PropertyListValue(json: text, limits: PropertyListLimits(nesting: 200)).withoutNulls
        } catch {
            return nil
        }
    }
}

extension PropertyListValue {
    fileprivate var withoutNulls: PropertyListValue {
        switch self {
        case .array(let elements): .array(elements.filter { $0 != .null }.map(\.withoutNulls))
        case .dictionary(let dictionary):
            .dictionary(
                PropertyListDictionary(
                    dictionary.entries.filter { $0.value != .null }.map {
                        PropertyListDictionary.Entry(key: $0.key, value: $0.value.withoutNulls)
                    }))
        default: self
        }
    }
}

/// A decimal number in a unique form: its digits without leading and trailing zeros, and a power of ten.
struct DecimalDigits: Equatable {
    private let isNegative: Bool
    private let digits: [UInt8]
    /// The exponent of the power of ten. The number is the integer with these digits, multiplied by this power.
    private let exponent: Int

    /// The largest power of ten in a text; a `numeric` has fewer digits.
    private static let largestPower = 1_000_000

    /// The result is nil for a text that is not a decimal number, or whose exponent is beyond all numbers of a database.
    init?(_ text: [UInt8]) {
        var rest = text[...]
        isNegative = rest.first == UInt8(ascii: "-")
        if isNegative { rest.removeFirst() }
        var digits: [UInt8] = []
        var exponent = 0
        var isFraction = false
        while let byte = rest.first, byte == UInt8(ascii: ".") || (0x30...0x39).contains(byte) {
            rest.removeFirst()
            if byte == UInt8(ascii: ".") {
                isFraction = true
                continue
            }
            if isFraction { exponent -= 1 }
            digits.append(byte - 0x30)
        }
        if let byte = rest.first, byte | 0x20 == UInt8(ascii: "e") {
            guard let power = Int(String(decoding: rest.dropFirst(), as: UTF8.self)),
                (-Self.largestPower...Self.largestPower).contains(power)
            else { return nil }
            exponent += power
            rest = []
        }
        guard rest.isEmpty, !digits.isEmpty else { return nil }
        while digits.last == 0 {
            digits.removeLast()
            exponent += 1
        }
        self.digits = Array(digits.drop { $0 == 0 })
        self.exponent = digits.isEmpty ? 0 : exponent
    }

    /// Whether PostgreSQL's `numeric` can hold the number. It has at most 131,072 digits before the point and 16,383
    /// after it.
    var isNumeric: Bool { exponent >= -16_383 && exponent + digits.count <= 131_072 }

    /// The number, if it is an integer in the range of a property list; otherwise nil.
    var integer: PropertyListInteger? {
        guard exponent >= 0, digits.count + exponent <= 20 else { return nil }
        var magnitude: UInt64 = 0
        for digit in digits + [UInt8](repeating: 0, count: exponent) {
            let (tens, isTooLarge) = magnitude.multipliedReportingOverflow(by: 10)
            let (sum, overflows) = tens.addingReportingOverflow(UInt64(digit))
            guard !isTooLarge, !overflows else { return nil }
            magnitude = sum
        }
        return PropertyListInteger(magnitude: magnitude, isNegative: isNegative)
    }
}

public import Foundation

extension FieldValue {
    /// The text; nil if this is something else.
    public var text: String? {
        guard case .text(let text) = self else { return nil }
        return text
    }

    /// The whole number, also of a real number without a fraction; nil if it does not fit or this is something else.
    public var int: Int? {
        switch self {
        case .integer(let number): Int(exactly: number)
        case .unsigned(let number): Int(exactly: number)
        case .real(let number): Int(exactly: number)
        default: nil
        }
    }

    /// The number, rounded to `Double`; also for the texts `nan`, `+infinity` and `-infinity`; nil if this is something else.
    public var double: Double? {
        switch self {
        case .integer(let number): Double(number)
        case .unsigned(let number): Double(number)
        case .real(let number): number
        case .text("nan"): .nan
        case .text("+infinity"): .infinity
        case .text("-infinity"): -.infinity
        default: nil
        }
    }

    /// The boolean; nil if this is something else.
    public var bool: Bool? {
        guard case .boolean(let flag) = self else { return nil }
        return flag
    }

    /// The elements of a list; nil if this is something else.
    public var list: [FieldValue]? {
        guard case .list(let elements) = self else { return nil }
        return elements
    }

    /// The fields of a dictionary; nil if this is something else.
    public var dictionary: Fields? {
        guard case .dictionary(let fields) = self else { return nil }
        return fields
    }

    /// The moment that an RFC 3339 text names, such as `2001-03-12T00:00:00Z`; nil if this is something else.
    public var date: Date? { text.flatMap(Timestamp.date) }

    /// The data that a base64 text holds; nil if this is something else.
    public var data: Data? { text.flatMap { Data(base64Encoded: $0) } }

    /// A date as the service carries it: RFC 3339 text in UTC, to the microsecond.
    public static func date(_ date: Date) -> FieldValue { .text(Timestamp.text(date)) }

    /// Data as the service carries it: base64 text.
    public static func data(_ data: Data) -> FieldValue { .text(data.base64EncodedString()) }

    /// A whole number of any size up to 64 bits; nil if it is larger.
    public init?(_ number: some BinaryInteger) {
        if let number = Int64(exactly: number) {
            self = .integer(number)
        } else if let number = UInt64(exactly: number) {
            self = .unsigned(number)
        } else {
            return nil
        }
    }
}

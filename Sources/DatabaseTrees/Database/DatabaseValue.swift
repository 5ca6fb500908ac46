/// A value of a column or of a parameter.
package enum DatabaseValue: Sendable, Hashable {
    case null
    case integer(Int64)
    case real(Double)
    case text([UInt8])
    case data([UInt8])

    static func integer(_ number: Int64?) -> DatabaseValue { number.map { .integer($0) } ?? .null }

    static func text(_ text: String?) -> DatabaseValue { text.map { .text(Array($0.utf8)) } ?? .null }

    package var integer: Int64? { if case .integer(let value) = self { value } else { nil } }

    /// The value as a number; a text is read as a number.
    var real: Double? {
        switch self {
        case .integer(let value): Double(value)
        case .real(let value): value
        case .text: string.flatMap { Double($0) }
        case .null, .data: nil
        }
    }

    package var string: String? {
        if case .text(let bytes) = self { String(decoding: bytes, as: UTF8.self) } else { nil }
    }
}

extension DatabaseValue {
    /// The kinds of values. SQLite stores each value with its kind; PostgreSQL derives the kind from the type of a column.
    package enum Kind: Sendable { case null, integer, real, text, data }
}

import Bytes
import PropertyLists

/// An order of rows by some of their fields, such as `-Price,Title`.
///
/// In ascending order, Booleans come first, followed by numbers, dates, text that is not a number, and all other
/// values. Rows without the field come last in either direction. The sort is stable.
///
/// `RowQuery.order` and `SortBy` in a document are orders of this type.
public struct RowOrder: Sendable, Hashable {
    /// One field of an order.
    public struct Criterion: Sendable, Hashable {
        public let field: RowField
        public let isDescending: Bool
    }

    /// The fields, the most significant first; empty for the order of the document.
    public let criteria: [Criterion]

    /// The order by displayed title.
    public static let title = RowOrder(criteria: [Criterion(field: .title, isDescending: false)])

    /// The order of the document.
    public static let document = RowOrder(criteria: [])

    /// The maximum number of fields. There is a limit because each field is looked up in each row.
    public static let limit = 16

    private init(criteria: [Criterion]) { self.criteria = criteria }

    /// Reads an order.
    ///
    /// - Parameter text: field names separated by commas, with `-` before the name of a descending field; empty for the
    ///   order of the document.
    /// - Throws: `MalformedOrder` for an empty name, a name with a direction, or too many names.
    public init(_ text: String) throws(MalformedOrder) {
        let parts = text.isEmpty ? [] : text.split(separator: ",", omittingEmptySubsequences: false)
        guard !parts.contains(where: { $0.isEmpty || $0 == "-" }) else { throw .emptyName(text) }
        guard parts.count <= Self.limit else { throw .tooManyNames(parts.count) }
        for part in parts { try Self.checkDirection(of: part) }
        var criteria: [Criterion] = []
        for part in parts {
            let isDescending = part.hasPrefix("-")
            let field = RowField(String(isDescending ? part.dropFirst() : part))
            // A repeated field decides nothing.
            if criteria.contains(where: { $0.field == field }) { continue }
            criteria.append(Criterion(field: field, isDescending: isDescending))
        }
        self.criteria = criteria
    }

    /// Refuses a name that ends with a direction, as in other services: `Price:desc` or `Price desc`.
    private static func checkDirection(of part: Substring) throws(MalformedOrder) {
        guard let end = part.utf8.lastIndex(where: { $0 == UInt8(ascii: ":") || $0 == UInt8(ascii: " ") }) else {
            return
        }
        guard let isDescending = direction(part[part.utf8.index(after: end)...]) else { return }
        throw .direction(String(part), instead: (isDescending ? "-" : "") + part[..<end].drop { $0 == "-" })
    }

    /// Returns whether the word for a direction means descending order; nil for other words.
    static func direction(_ word: some StringProtocol) -> Bool? {
        switch word.lowercased() {
        case "desc", "descending": true
        case "asc", "ascending": false
        default: nil
        }
    }

    /// Appends the key of a row: bytes that sort in the order of the rows.
    func appendKey(of row: Row, in bytes: Span<UInt8>, to keys: inout ByteBuffer) {
        for criterion in criteria {
            guard let value = criterion.field.value(of: row, in: bytes) else {
                keys.append(Self.missing)
                continue
            }
            let start = keys.count
            Self.appendKey(of: value, in: bytes, to: &keys)
            if criterion.isDescending { keys.invert(from: start) }
        }
    }

    // The first byte of a value's key is the kind of the value. The byte for a missing value is greater than all kinds
    // and their complements.
    private static let missing: UInt8 = 0xFF

    private static func appendKey(of value: FieldValue, in bytes: Span<UInt8>, to keys: inout ByteBuffer) {
        if let number = value.number(in: bytes) {
            keys.append(2)
            return number.appendKey(to: &keys)
        }
        switch value {
        case .flag(let isTrue):
            keys.append(1)
            keys.append(isTrue ? 1 : 0)
        case .moment(let seconds):
            keys.append(3)
            ExactNumber.real(seconds).appendKey(to: &keys)
        case .text(let range):
            keys.append(4)
            let start = keys.count
            FoldedText.append(bytes.extracting(range), to: &keys)
            keys.terminate(from: start)
        case .number, .array, .other: keys.append(5)
        }
    }
}

extension RowOrder: CustomStringConvertible {
    /// The order as in a query, such as `-Price,Title`.
    public var description: String {
        criteria.map { ($0.isDescending ? "-" : "") + $0.field.name }.joined(separator: ",")
    }
}

extension ByteBuffer {
    /// Inverts the bytes from `start` on, which reverses their order.
    fileprivate mutating func invert(from start: Int) {
        for place in start..<count {
            let byte = span[place]
            set(~byte, at: place)
        }
    }

    /// Terminates the text that begins at `start`, so that the text sorts before every longer text with the same
    /// beginning.
    ///
    /// The terminator is two zero bytes; a zero byte in the text is followed by 0xFF.
    fileprivate mutating func terminate(from start: Int) {
        if span.extracting(start..<count).index(of: 0) < count - start {
            let text = Array(copying: span.extracting(start..<count))
            truncate(to: start)
            for byte in text {
                append(byte)
                if byte == 0 { append(0xFF) }
            }
        }
        append(0)
        append(0)
    }
}

/// Text that does not name an order of rows.
public enum MalformedOrder: Error, Equatable, CustomStringConvertible {
    /// This text contains an empty name.
    case emptyName(String)
    /// The number of names, which exceeds `RowOrder.limit`.
    case tooManyNames(Int)
    /// This name ends with the word for a direction.
    case direction(String, instead: String)

    /// The rule for an order, as the end of a sentence that begins with the name of the option or the key.
    public var description: String {
        switch self {
        case .emptyName(let text):
            "must be names of fields with commas between them, as -Price,Title, not '\(quoted: text)'"
        case .tooManyNames(let count): "must name at most \(RowOrder.limit) fields, not \(count)"
        case .direction(let name, let other):
            "gives the direction by '-' before a name; write '\(quoted: other)' instead of '\(quoted: name)'"
        }
    }
}

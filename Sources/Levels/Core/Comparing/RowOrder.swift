import Bytes
import PropertyLists

/// An order of rows by some of their fields, as `-Price,Title`: booleans, numbers, dates, other text, then all else.
///
/// Rows that compare as equal stay as they are, and rows without a field are the last.
public struct RowOrder: Sendable, Hashable {
    /// One field of an order.
    public struct Criterion: Sendable, Hashable {
        public let field: RowField
        public let isDescending: Bool
    }

    /// The fields, the most important first; none for the order of the document.
    public let criteria: [Criterion]

    /// By the title as it is shown.
    public static let title = RowOrder(criteria: [Criterion(field: .title, isDescending: false)])

    /// That of the document.
    public static let document = RowOrder(criteria: [])

    /// The maximum number of fields: each is searched for in each row.
    public static let limit = 16

    private init(criteria: [Criterion]) { self.criteria = criteria }

    /// Reads an order.
    ///
    /// - Parameter text: the names of fields, divided by commas; `-` before a name turns its order round. An empty text
    ///   is the order of the document.
    /// - Throws: `MalformedOrder` for an empty name, and for too many names.
    public init(_ text: String) throws(MalformedOrder) {
        let parts = text.isEmpty ? [] : text.split(separator: ",", omittingEmptySubsequences: false)
        guard !parts.contains(where: { $0.isEmpty || $0 == "-" }) else { throw .emptyName(text) }
        guard parts.count <= Self.limit else { throw .tooManyNames(parts.count) }
        var criteria: [Criterion] = []
        for part in parts {
            let isDescending = part.hasPrefix("-")
            let field = RowField(String(isDescending ? part.dropFirst() : part))
            // A field that comes again has nothing left to decide.
            if criteria.contains(where: { $0.field == field }) { continue }
            criteria.append(Criterion(field: field, isDescending: isDescending))
        }
        self.criteria = criteria
    }

    /// Appends bytes that are ordered as rows are to be.
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

    // The first byte of a value's key is its kind. That of a missing one is above all of them, and above their
    // complements.
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
    /// As in a query: `-Price,Title`.
    public var description: String {
        criteria.map { ($0.isDescending ? "-" : "") + $0.field.name }.joined(separator: ",")
    }
}

extension ByteBuffer {
    /// Turns the order round that the bytes from a place on have.
    fileprivate mutating func invert(from start: Int) {
        for place in start..<count {
            let byte = span[place]
            set(~byte, at: place)
        }
    }

    /// Ends the text that begins at a place so that it is ordered before those that go on, whatever follows it.
    ///
    /// The end is two zero bytes; a zero byte in the text is followed by 0xFF.
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
    /// A name is empty in this text.
    case emptyName(String)
    /// There are more names than `RowOrder.limit`: so many.
    case tooManyNames(Int)

    /// What an order must be, to follow the name of the option or the key.
    public var description: String {
        switch self {
        case .emptyName(let text):
            "must be names of fields with commas between them, as -Price,Title, not '\(quoted: text)'"
        case .tooManyNames(let count): "must name at most \(RowOrder.limit) fields, not \(count)"
        }
    }
}

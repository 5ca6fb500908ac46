internal import Bytes
internal import PropertyLists

/// A survey of the fields of a table's records, which suggests fields for titles and levels.
///
/// The survey examines the first thousand records. Only the search for a title that differs in all records examines
/// every record.
struct RecordSurvey {
    /// The values of one field in the first records.
    struct Field {
        let name: String
        /// How many values are texts, numbers and other values. Scalars other than text count as numbers, and so does
        /// text that is entirely a number. Empty texts do not count.
        var texts = 0
        var numbers = 0
        var others = 0
        /// The hashes of the texts and the numbers.
        var values: Set<UInt64> = []

        var isText: Bool { texts > 0 && (numbers + others) * 10 <= texts }
        var isNumber: Bool { numbers > 0 && texts + others == 0 }
    }

    private let rows: SetAsideRows
    /// The fields in order of first appearance.
    private(set) var fields: [Field] = []
    private let sampled: Int

    private static let mostRecords = 1_000
    private static let mostFields = 1_000

    init(_ rows: SetAsideRows) {
        self.rows = rows
        sampled = min(rows.rows.count, Self.mostRecords)
        var numbers: [String: Int] = [:]
        for row in rows.rows[..<sampled] { note(row, numbers: &numbers) }
    }

    private mutating func note(_ row: PendingRow, numbers: inout [String: Int]) {
        let bytes = rows.bytes
        var reader = PackedReader(bytes: bytes.span, at: row.fields.lowerBound)
        while reader.offset < row.fields.upperBound {
            let name = String(utf8: bytes.span.extracting(reader.run()))
            let value = reader.offset
            reader.skipValue()
            if numbers[name] == nil, fields.count < Self.mostFields {
                numbers[name] = fields.count
                fields.append(Field(name: name))
            }
            guard let number = numbers[name] else { continue }
            switch Self.kind(of: value, in: bytes.span) {
            case .empty: break
            case .other: fields[number].others += 1
            case .text(let hash):
                fields[number].texts += 1
                fields[number].values.insert(hash)
            case .number(let hash):
                fields[number].numbers += 1
                fields[number].values.insert(hash)
            }
        }
    }

    // MARK: Titles

    /// Returns the field that titles the records: the first of the following fields that exists.
    ///
    /// 1. The field with the default name.
    /// 2. The first text field with a different value in each record.
    /// 3. The text field with the most values, if it has at least half as many values as there are examined records.
    /// 4. The first number field with a different value in each record.
    /// 5. The text field with the most values.
    ///
    /// - Parameter levels: the fields of the levels above the records. These fields cannot be titles, because all
    ///   records of a level have the same value in them.
    /// - Returns: the name of the field; nil if no field qualifies, so that the numbers of the records are their
    ///   titles.
    func title(below levels: [String]) -> String? {
        let standard = RecordDrilling.defaultTitleField
        let fields = fields.filter { !levels.contains($0.name) }
        let texts = fields.filter(\.isText)
        if fields.contains(where: { $0.name == standard && $0.texts + $0.numbers > 0 }) { return standard }
        if let field = texts.first(where: tellsApart) { return field.name }
        let varied = texts.max { first, second in first.values.count < second.values.count }
        if let varied, varied.values.count * 2 >= sampled { return varied.name }
        return fields.first { $0.isNumber && tellsApart($0) }?.name ?? varied?.name
    }

    /// Whether all records have different texts or scalars in a field.
    private func tellsApart(_ field: Field) -> Bool {
        guard field.values.count == sampled else { return false }
        let name = Array(field.name.utf8)
        var known = Set<UInt64>(minimumCapacity: rows.rows.count)
        for row in rows.rows {
            guard let value = PackedDictionary(bytes: rows.bytes.span, fields: row.fields).firstValue(name.span) else {
                return false
            }
            switch Self.kind(of: value, in: rows.bytes.span) {
            case .text(let hash), .number(let hash): guard known.insert(hash).inserted else { return false }
            case .empty, .other: return false
            }
        }
        return true
    }

    // MARK: Suggestions

    /// Returns a field other than `title` that could title the records, preferably a text field; nil if no field has
    /// enough values.
    func otherTitle(than title: String?, below levels: [String]) -> String? {
        let fields = fields.filter { $0.name != title && !levels.contains($0.name) }
        let texts = fields.filter(\.isText) + fields.filter(\.isNumber)
        return texts.first { $0.values.count * 2 >= sampled && Self.canBeWritten($0.name) }?.name
    }

    /// Returns the first two text fields, other than the title, that have few enough values for levels.
    func levels(besides title: String?) -> [String] {
        let few = fields.filter { field in
            field.isText && field.name != title && Self.canBeWritten(field.name)
                && field.values.count > 1 && field.values.count * 2 <= field.texts && field.texts * 2 >= sampled
        }
        return few.prefix(2).map(\.name)
    }

    /// Whether a name can appear in a list separated by commas.
    private static func canBeWritten(_ name: String) -> Bool { !name.isEmpty && !name.contains(",") }

    // MARK: Values

    private enum Kind {
        case empty
        case text(UInt64)
        case number(UInt64)
        case other
    }

    private static func kind(of value: Int, in bytes: Span<UInt8>) -> Kind {
        guard let text = PackedReader(bytes: bytes, at: value).text else {
            guard let scalar = PackedReader(bytes: bytes, at: value).scalarText else { return .other }
            return .number(TableHash.of(Array(scalar.utf8).span))
        }
        guard !text.isEmpty else { return .empty }
        let span = bytes.extracting(text)
        return ExactNumber(text: span) == nil ? .text(TableHash.of(span)) : .number(TableHash.of(span))
    }
}

internal import Bytes
internal import DatabaseTrees
internal import PropertyLists

/// A text that is made of values of a result.
struct ComposedText {
    /// The place of each value in the result, its type in PostgreSQL, and the text before it.
    let parts: [(place: Int32, type: PostgresType?, separator: [UInt8])]

    /// Returns at most `RecordReader.rowLimit` bytes; empty if all values are NULL, empty or data.
    func value(_ row: ResultRow) -> [UInt8] {
        var text: [UInt8] = []
        for part in parts {
            let value =
                switch row {
                case .sqlite(let statement): Self.value(statement, at: part.place)
                case .postgres(let row): row.bytes(Int(part.place)).flatMap { part.type?.title($0) }
                }
            guard let value, !value.isEmpty else { continue }
            text += (text.isEmpty ? [] : part.separator) + value.prefix(RecordReader.rowLimit)
        }
        return RecordReader.repaired(text.span.extracting(first: RecordReader.rowLimit))
    }

    private static func value(_ statement: SQLiteStatement, at place: Int32) -> [UInt8]? {
        switch statement.kind(place) {
        case .null, .data: nil
        case .integer: Array("\(statement.integer(place))".utf8)
        case .real: Array(JSONText.real(statement.real(place)).utf8)
        case .text: statement.withContent(place, .text) { Array(copying: $0.extracting(first: RecordReader.rowLimit)) }
        }
    }
}

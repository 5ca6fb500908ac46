internal import Bytes
internal import DatabaseTrees
internal import Levels
internal import PropertyLists

/// Reads records from the rows of a statement: their keys, titles and some fields.
struct RecordReader {
    let table: Table
    /// The columns of the result.
    let columns: [String]
    /// The shown columns, in the table's order, by number; with their places in the result.
    private let shown: [(number: Int, place: Int32)]
    private let key: [Int32]
    private let title: Int32?
    private let rowID: Int32?
    /// The largest text or data that is shown, in bytes.
    private let limit: Int

    /// The limits for the fields of a row, and of a detail.
    static let rowLimit = 4 << 10
    static let detailLimit = 1 << 20

    /// The places of the terms that order the list.
    private let order: [Int32]

    init(list: RecordList, showing isShown: (Column) -> Bool, limit: Int) {
        self.init(table: list.table, ordered: list.terms, showing: isShown, limit: limit)
    }

    /// - Parameter terms: what orders the records.
    init(table: Table, ordered terms: [OrderTerm] = [], showing isShown: (Column) -> Bool, limit: Int) {
        self.table = table
        self.limit = limit
        var places: [Int: Int32] = [:]
        var columns: [String] = []
        func place(_ number: Int) -> Int32 {
            if let known = places[number] { return known }
            let place = Int32(columns.count)
            columns.append("c.\(table.columns[number].quoted)")
            places[number] = place
            return place
        }
        // The order of rows without a key may depend on the columns that are read.
        if table.isPositional { for number in table.columns.indices { _ = place(number) } }
        shown = table.columns.indices.filter { isShown(table.columns[$0]) }.map { ($0, place($0)) }
        key = table.key.map(place)
        title = table.titleColumn.map(place)
        let ordering = terms.map { $0.column.map(place) }
        if let name = table.rowID, table.isNamedByRowID || terms.contains(where: { $0.column == nil }) {
            rowID = Int32(columns.count)
            columns.append("c.\(name)")
        } else {
            rowID = nil
        }
        let last = rowID ?? 0
        order = ordering.map { $0 ?? last }
        if columns.isEmpty { columns.append("1") }
        self.columns = columns
    }

    /// The values of the key's columns, or the rowid; empty for a table without a key.
    func keyValues(_ statement: SQLiteStatement) -> [SQLiteValue] {
        key.isEmpty ? rowID.map { [statement.value($0)] } ?? [] : key.map(statement.value)
    }

    /// The values of the terms that order the list.
    func terms(_ statement: SQLiteStatement) -> [SQLiteValue] { order.map(statement.value) }

    func rowID(_ statement: SQLiteStatement) -> SQLiteValue? { rowID.map(statement.value) }

    /// What finds the record again.
    func identity(_ statement: SQLiteStatement) -> RecordIdentity {
        if table.isNamedByRowID, let rowID, let name = table.rowID {
            return RecordIdentity(columns: [name], values: [statement.value(rowID)])
        }
        return RecordIdentity(columns: table.key.map { table.columns[$0].quoted }, values: keyValues(statement))
    }

    /// The title; that of a record whose title is NULL, empty or data is its key.
    func title(_ statement: SQLiteStatement, key: [UInt8]) -> [UInt8] {
        guard let title else { return key }
        switch statement.kind(title) {
        case .null, .data: return key
        case .integer: return Array("\(statement.integer(title))".utf8)
        case .real: return Array(JSONText.real(statement.real(title)).utf8)
        case .text:
            let text = statement.withText(title) { Self.repaired($0.extracting(first: Self.rowLimit)) }
            return text.isEmpty ? key : text
        }
    }

    /// Adds the shown fields to a row; returns the reason for a field that is not shown.
    func addFields(_ statement: SQLiteStatement, to packer: inout RowPacker) -> String? {
        var refusal: String?
        for (number, place) in shown {
            let column = table.columns[number]
            let name = column.bytes
            switch statement.kind(place) {
            case .null: break
            case .integer: packer.add(name.span, .integer(PropertyListInteger(statement.integer(place))))
            case .real: packer.add(name.span, .real(statement.real(place)))
            case .text, .data:
                let size = statement.byteCount(place)
                guard size <= limit else {
                    refusal = refusal ?? Self.refusal(column.name, size: size, limit: limit)
                    continue
                }
                let isText = statement.kind(place) == .text
                let bytes = statement.withText(place) { isText ? Self.repaired($0) : Array(copying: $0) }
                if isText { packer.add(name.span, text: bytes.span) } else { packer.add(name.span, data: bytes.span) }
            }
        }
        return refusal
    }

    private static func refusal(_ name: String, size: Int, limit: Int) -> String {
        let advice = limit < detailLimit ? "; the detail shows up to \(detailLimit)" : ""
        return "'\(quoted: name)' has \(size) bytes, more than the \(limit) that are shown here\(advice)."
    }

    /// UTF-8, with U+FFFD in place of all else.
    private static func repaired(_ text: Span<UInt8>) -> [UInt8] {
        let bytes = Array(copying: text)
        return String(validating: bytes, as: UTF8.self) != nil
            ? bytes : Array(String(decoding: bytes, as: UTF8.self).utf8)
    }
}

internal import Bytes
internal import DatabaseTrees
internal import Levels
internal import PropertyLists

/// Reads keys, titles and fields of records from the rows of a statement.
final class RecordReader {
    let table: Table
    /// The columns to select, in the order of the result, as the text after SELECT.
    let columns: SQL
    /// The columns that are shown as fields, in the order of the table. Each has its number in the table, its place in
    /// the result, and the range of its name in `names`. The size of a sized value has the next place.
    private let shown: [(number: Int, place: Int32, isSized: Bool, name: Range<Int>)]
    /// The UTF-8 of the names, one after the other.
    private let names: [UInt8]
    private let key: [Int32]
    /// The columns of the key, or the rowid: their places in the result, and their affinities.
    private let keyed: [(place: Int32, affinity: Affinity)]
    /// The foreign keys whose columns are all shown, with the places of these columns in the result; empty unless the reader
    /// is one of the rows of a page.
    let references: [(key: ForeignKey, places: [Int32])]
    /// Whether the table is a tree.
    let isTree: Bool
    /// The columns of JSON, with their places in the result; empty unless rows show their values.
    private let drilled: [(number: Int, place: Int32)]
    var drills: Bool { !drilled.isEmpty }
    private let title: ComposedText
    /// The titles of referenced records that are fields.
    private let labels: [(name: [UInt8], text: ComposedText)]
    private let rowID: Int32?
    /// The columns whose values are parts of the title.
    private let titleColumns: Set<Int>
    /// Whether only short values are shown, and not those that give the title (`FieldSelection.short`).
    private let isShort: Bool
    /// The maximum size of a text or of data that is shown, in bytes.
    let limit: Int

    /// The limits for a field of a row, and for a field of a detail, in bytes.
    static let rowLimit = 4 << 10
    static let detailLimit = 1 << 20

    /// The terms that order the list, by their places in the result.
    private let order: [Int32]

    convenience init(list: RecordList, showing isShown: (Column) -> Bool, limit: Int) {
        self.init(table: list.table, ordered: list.terms, showing: isShown, limit: limit)
    }

    /// Creates a reader of the fields that determine the rows of a query.
    convenience init(list: RecordList, for query: RowQuery) {
        let names = query.lookedAt
        self.init(
            table: list.table, ordered: list.terms, showing: { names?.contains($0.bytes) ?? true },
            limit: Self.detailLimit, labels: list.table.labels.filter { names?.contains($0.name) ?? false })
    }

    /// Creates a reader of the fields that rows show without being asked.
    convenience init(shortValuesOf list: RecordList) {
        self.init(
            table: list.table, ordered: list.terms, showing: { $0.type?.isEverShort ?? true }, limit: Self.rowLimit,
            isShort: true, hasLinks: true, drills: true)
    }

    /// - Parameters:
    ///   - terms: the terms that order the records. Their values are selected, too.
    ///   - hasLinks: whether the values of foreign keys are selected (`references`).
    ///   - labels: the titles of referenced records that are fields, too.
    ///   - drills: whether rows, not fields, show the values of columns of JSON that have rows.
    init(
        table: Table, ordered terms: [OrderTerm] = [], showing isShown: (Column) -> Bool, limit: Int,
        isShort: Bool = false, hasLinks: Bool = false, labels: [Table.Label] = [], drills: Bool = false
    ) {
        self.table = table
        self.limit = limit
        self.isShort = isShort
        var places: [Int: Int32] = [:]
        var columns: [SQL] = []
        func place(_ number: Int) -> Int32 {
            if let known = places[number] { return known }
            let place = Int32(columns.count)
            columns.append("c.\(table.columns[number].quoted)")
            places[number] = place
            return place
        }
        var shownPlaces: [Int: Int32] = [:]
        func shownPlace(_ number: Int) -> Int32 {
            let shown = table.shown(number, limit: limit, beginning: Self.rowLimit)
            guard !shown.isEmpty else { return place(number) }
            if let known = shownPlaces[number] { return known }
            shownPlaces[number] = Int32(columns.count)
            columns += shown
            return Int32(columns.count - shown.count)
        }
        var names: [UInt8] = []
        shown = table.columns.indices.filter { isShown(table.columns[$0]) }.map { number in
            let start = names.count
            names += table.columns[number].bytes
            return (number, shownPlace(number), table.isSized(number), start..<names.count)
        }
        self.names = names
        key = table.key.map(place)
        func text(_ title: RecordTitle) -> ComposedText {
            ComposedText(
                parts: title.parts.enumerated().map { number, part in
                    let separator = number == 0 ? [] : Array(title.separator(before: number).utf8)
                    if let column = part.column { return (shownPlace(column), part.type, separator) }
                    columns.append(part.type?.kind == .text ? "left(\(part.sql), \(literal: Self.rowLimit))" : part.sql)
                    return (Int32(columns.count - 1), part.type, separator)
                })
        }
        title = text(table.title)
        titleColumns = Set(table.title.parts.compactMap(\.column))
        self.labels = labels.map { ($0.name, text($0.title)) }
        drilled = (drills ? table.drilledColumns : []).map { number in
            columns.append(table.drilledText(number))
            return (number, Int32(columns.count - 1))
        }
        references =
            hasLinks && !table.isPositional
            ? table.references.filter { $0.columns.allSatisfy { isShown(table.columns[$0]) } }
                .map { ($0, $0.columns.map(place)) } : []
        let ordering = terms.map { $0.column.map(place) }
        if let name = table.rowID, table.isNamedByRowID || terms.contains(where: { $0.column == nil }) {
            rowID = Int32(columns.count)
            columns.append("c.\(name)")
        } else {
            rowID = nil
        }
        let last = rowID ?? 0
        order = ordering.map { $0 ?? last }
        keyed = Array(zip(key.isEmpty ? rowID.map { [$0] } ?? [] : key, table.keyAffinities))
        isTree = table.tree != nil
        if columns.isEmpty { columns.append("1") }
        // An expression over the whole row rules out a scan of only an index, so PostgreSQL reads the rows in the order
        // of the table.
        if table.isPositional, table.dialect == .postgres { columns.append("(c.*) IS NULL") }
        // In SQLite, the order may depend on the columns that the statement names. A type is known without the value.
        if table.isPositional, table.dialect == .sqlite {
            for number in table.columns.indices where places[number] == nil {
                columns.append("typeof(c.\(table.columns[number].quoted))")
            }
        }
        self.columns = columns.joined(by: ", ")
    }

    /// Returns the values of the key's columns, or the rowid if the table lacks a key. Empty if only a position
    /// identifies the record.
    func keyValues(_ row: ResultRow) -> [DatabaseValue] {
        key.isEmpty ? rowID.map { [row.value($0)] } ?? [] : key.map(row.value)
    }

    /// Appends the key to a text. Returns false, and appends nothing, if a column of the key is NULL, because the key
    /// may then end with the rowid.
    func appendKey(_ row: ResultRow, to text: inout ByteBuffer) -> Bool {
        if keyed.count == 1, case .sqlite(let statement) = row, case .integer = statement.kind(keyed[0].place) {
            let number = statement.integer(keyed[0].place)
            if number < 0 { text.append(UInt8(ascii: "-")) }
            text.append(decimal: number.magnitude)
            return true
        }
        var key = RecordKey.Text()
        for column in keyed {
            let value = row.value(column.place)
            if case .null = value { return false }
            key.append(value, affinity: column.affinity)
        }
        text.append(key.finished.span)
        return true
    }

    /// Returns the values that have rows, by the numbers of their columns.
    func drilledValues(_ row: ResultRow) -> [(number: Int, value: PropertyListValue)] {
        drilled.compactMap { column in
            guard case .text(let text) = row.value(column.place), let value = PostgresType.json(text), value.holdsRows
            else { return nil }
            return (column.number, value)
        }
    }

    /// Returns the values of the terms that order the list.
    func terms(_ row: ResultRow) -> [DatabaseValue] { order.map(row.value) }

    func rowID(_ row: ResultRow) -> DatabaseValue? { rowID.map(row.value) }

    private lazy var keyTerms = table.key.map(table.keyTerm)

    /// Returns the columns and values that identify the record.
    func identity(_ row: ResultRow) -> RecordIdentity {
        if table.isNamedByRowID, let rowID, let name = table.rowID {
            return RecordIdentity(columns: [name], values: [row.value(rowID)])
        }
        return RecordIdentity(columns: keyTerms, values: keyValues(row))
    }

    /// Begins a packed row with the key and the title of a record.
    func begin(_ row: ResultRow, key: Span<UInt8>, in packer: inout RowPacker) {
        guard case .sqlite(let statement) = row, title.parts.count == 1,
            case .text = statement.kind(title.parts[0].place)
        else { return packer.beginRow(key: key, title: self.title(row, key: key).span) }
        let isWhole = statement.withContent(title.parts[0].place, .text) { text in
            guard !text.isEmpty, text.count <= Self.rowLimit, Self.isUTF8(text) else { return false }
            packer.beginRow(key: key, title: text)
            return true
        }
        if !isWhole { packer.beginRow(key: key, title: self.title(row, key: key).span) }
    }

    /// Returns the title, as text of at most `rowLimit` bytes; the key if all parts of the title are NULL, empty or data.
    func title(_ row: ResultRow, key: Span<UInt8>) -> [UInt8] {
        let text = title.value(row)
        return text.isEmpty ? Array(copying: key) : text
    }

    /// Adds the shown fields to a row, except NULL and values that exceed the limit.
    ///
    /// - Parameter drilled: the columns whose values are rows.
    /// - Returns: a sentence about the first value that exceeds the limit; nil if no value exceeds the limit, and for
    ///   short values.
    func addFields(_ row: ResultRow, without drilled: [Int] = [], to packer: inout RowPacker) -> String? {
        for label in labels {
            let text = label.text.value(row)
            if !text.isEmpty { packer.add(label.name.span, text: text.span) }
        }
        switch row {
        case .sqlite(let statement): return addFields(statement, without: drilled, to: &packer)
        case .postgres(let row):
            var refusal: String?
            for (number, place, isSized, _) in shown where !drilled.contains(number) {
                let column = table.columns[number]
                if let size = addField(row, at: Int(place), isSized: isSized, of: column, number, to: &packer), !isShort
                {
                    refusal = refusal ?? Self.refusal(column.name, size: size, limit: limit)
                }
            }
            return refusal
        }
    }

    private func addFields(
        _ statement: SQLiteStatement, without drilled: [Int], to packer: inout RowPacker
    ) -> String? {
        var refusal: String?
        let names = names
        for (number, place, isSized, range) in shown where !drilled.contains(number) {
            let kind = statement.kind(place)
            switch kind {
            case .null where isShort, .data where isShort: break
            case .integer where givesTitle(number), .real where givesTitle(number): break
            case .null where isSized && statement.integer(place + 1) > limit:
                let size = Int(statement.integer(place + 1))
                refusal = refusal ?? Self.refusal(table.columns[number].name, size: size, limit: limit)
            case .null: break
            case .integer:
                packer.add(names.span.extracting(range), integer: statement.integer(place))
            case .real: packer.add(names.span.extracting(range), .real(statement.real(place)))
            case .text, .data:
                statement.withContent(place, kind) { bytes in
                    let name = names.span.extracting(range)
                    if isShort, !Self.isShort(bytes) || givesTitle(number) && !bytes.isEmpty { return }
                    if bytes.count > limit {
                        refusal =
                            refusal ?? Self.refusal(table.columns[number].name, size: bytes.count, limit: limit)
                    } else if case .data = kind {
                        packer.add(name, data: bytes)
                    } else if Self.isUTF8(bytes) {
                        packer.add(name, text: bytes)
                    } else {
                        packer.add(name, text: Self.repaired(bytes).span)
                    }
                }
            }
        }
        return refusal
    }

    /// Whether only short values are shown, and the title shows the value of a column unless that value is no title.
    private func givesTitle(_ number: Int) -> Bool { isShort && titleColumns.contains(number) }

    private static func isShort(_ text: Span<UInt8>) -> Bool { text.count <= FieldSelection.longestShortText }

    private static func refusal(_ name: String, size: Int, limit: Int) -> String {
        let advice = limit < detailLimit ? "; the detail shows up to \(detailLimit)" : ""
        return "'\(quoted: name)' has \(size) bytes, more than the \(limit) that are shown here\(advice)."
    }

    /// Returns a text as valid UTF-8, with U+FFFD in place of invalid bytes.
    static func repaired(_ text: Span<UInt8>) -> [UInt8] {
        let bytes = Array(copying: text)
        return isUTF8(text) ? bytes : Array(String(decoding: bytes, as: UTF8.self).utf8)
    }

    private static func isUTF8(_ text: Span<UInt8>) -> Bool {
        do throws(UTF8.ValidationError) {
            _ = try UTF8Span(validating: text)
            return true
        } catch {
            return false
        }
    }
}

extension RecordReader {
    /// Adds a field to a row, unless the value is NULL or too large. Returns the size of a value that is too large;
    /// otherwise nil.
    func addField(
        _ row: PostgresRow, at place: Int, isSized: Bool, of column: Column, _ number: Int, to packer: inout RowPacker
    ) -> Int? {
        guard let type = column.type else { return nil }
        if isSized, let size = row.number(place + 1), size > limit { return size }
        guard let text = row.bytes(place) else { return nil }
        do throws(PropertyListError) {
            let value = type.value(text)
            if isShort, !isShown(value, of: number) { return nil }
            if value != .null { try packer.add(column.bytes.span, value: value) }
        } catch {
            return text.count
        }
        return nil
    }

    /// Whether a value is short, and does not give the title.
    private func isShown(_ value: PropertyListValue, of number: Int) -> Bool {
        switch value {
        case .string(let text):
            let text = text.utf8Span.span
            return Self.isShort(text) && !(givesTitle(number) && !text.isEmpty)
        case .data, .array, .dictionary, .null: return false
        default: return !givesTitle(number)
        }
    }
}

extension Table {
    /// The maximum size of a value of JSON that has rows, in bytes. A larger value is a field.
    private static let drilledLimit = 64 << 10

    /// Returns the expression that selects the text of a column of JSON; NULL for a value that exceeds the limit.
    fileprivate func drilledText(_ number: Int) -> SQL {
        let name: SQL = "c.\(columns[number].quoted)"
        let text: SQL = dialect == .postgres ? "\(name)::text" : name
        let size: SQL = dialect == .postgres ? "octet_length(\(text))" : "length(CAST(\(text) AS BLOB))"
        let isText: SQL = dialect == .postgres ? "" : "typeof(\(text)) = 'text' AND "
        return "CASE WHEN \(isText)\(size) <= \(literal: Self.drilledLimit) THEN \(text) END"
    }

    /// Whether the size of a value is asked for before the value. In SQLite, only the size of data is known without reading
    /// the value, and only in a table. A view would make the value again for its size.
    fileprivate func isSized(_ number: Int) -> Bool {
        let column = columns[number]
        return column.type?.isLong ?? (column.affinity == .none && !isMade)
    }

    /// Returns the expressions that select a column to be shown: the value, and the size if `isSized`. A value that exceeds
    /// the limit is not selected. Empty if the column itself is selected.
    fileprivate func shown(_ number: Int, limit: Int, beginning: Int) -> [SQL] {
        let name: SQL = "c.\(columns[number].quoted)"
        if let type = columns[number].type { return type.shown(name, limit: limit, beginning: beginning) }
        guard isSized(number) else { return [] }
        return [
            "CASE WHEN typeof(\(name)) <> 'blob' OR length(\(name)) <= \(literal: limit) THEN \(name) END",
            "CASE typeof(\(name)) WHEN 'blob' THEN length(\(name)) END",
        ]
    }
}

extension Item.Step {
    /// Creates a row in a level of its own.
    init(key: [UInt8], title: [UInt8]) throws(DatabaseError) {
        var packer = RowPacker()
        packer.beginRow(key: key.span, title: title.span)
        self.init(level: try packer.packed(), row: 0)
    }
}

extension RowPacker {
    consuming func packed() throws(DatabaseError) -> Level {
        guard let level = level() else { throw .outOfMemory }
        return level
    }
}

extension DatabaseError {
    static var outOfMemory: DatabaseError { DatabaseError(kind: .away, reason: "there is not enough memory") }
}

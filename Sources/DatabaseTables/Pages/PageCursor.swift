internal import Bytes
internal import DatabaseTrees
internal import Levels

/// The end of a page, from which the next page continues. The client sends the cursor back as the bytes of `bookmark`.
struct PageCursor {
    /// A hash of the query without its page and fields. A cursor is refused if it comes with another query.
    let shape: UInt64
    /// The position of the next row when the cursor was made.
    let position: Int
    /// A number whose meaning depends on the page:
    /// - On a page of arranged rows: the number of the last row in the order without the query, plus 1; 0 if `values`
    ///   identify the last record.
    /// - On a page of records in the order of the key or of an index: the number of the next row among the rows that
    ///   follow the records.
    /// - On a page of sections: the number of the run that contains the last row.
    var row = 0
    /// The values of the last record's terms. On a page of sections, the values of the record's run come after them. On
    /// a page of tables, named lists or drilled values, the values are the keys of the last row and of up to seven rows
    /// before it. Empty if the last row is one of the rows that follow the records, or if the values are too long for a
    /// link. The next page then begins at the position.
    let values: [DatabaseValue]
    /// The last row's place in the query's order, for an arranged page.
    var mark = ArrangedRows.Mark(orderKey: [], section: nil)

    /// The largest number of bytes in the values, so that the link to the next page fits into a request line.
    private static let mostBytes = 2 << 10

    /// Whether a link can contain some values.
    static func holds(_ values: [DatabaseValue]) -> Bool {
        values.reduce(0) { $0 + ($1.bytes?.count ?? 0) } <= mostBytes
    }

    /// Returns the keys of up to eight rows before a row, the nearest first, as far as a link can contain them.
    static func keys(before row: Int, in level: Level) -> [DatabaseValue] {
        var keys: [DatabaseValue] = []
        for number in (max(0, row - 8)..<row).reversed() {
            let key = DatabaseValue.text(Array(level.key(number).utf8))
            guard holds(keys + [key]) else { break }
            keys.append(key)
        }
        return keys
    }

    static func shape(of query: RowQuery) -> UInt64 {
        var parts = query.conditions.map(\.description)
        if !query.alternatives.isEmpty { parts += ["any"] + query.alternatives.map(\.description) }
        if let search = query.search { parts += ["search", search, "\(query.searchedFields ?? .title)"] }
        if query.order != ListingOrder() { parts += ["order", "\(query.order)"] }
        if let outline = query.outline { parts += ["outline", "\(outline)"] }
        // Each part follows its length, so that different queries have different bytes.
        var bytes = ByteBuffer(capacity: 64)
        for part in parts {
            bytes.append(leb128: UInt64(part.utf8.count))
            bytes.append(Array(part.utf8).span)
        }
        return ContentHash.short(of: bytes.span)
    }

    /// Reads the cursor of a query; nil for the first page.
    static func of(_ query: RowQuery) throws(RowRefusal) -> PageCursor? {
        guard let after = query.page.after else { return nil }
        guard case .supplied(let bytes) = after, let cursor = PageCursor(bytes), cursor.shape == shape(of: query) else {
            throw foreign
        }
        return cursor
    }

    static let foreign = RowRefusal(
        parameter: "after", sentence: "The cursor is one of another list; follow the link 'next' of a page.")

    var bookmark: RowBookmark {
        var bytes = ByteBuffer(capacity: 64)
        bytes.append(littleEndian: shape)
        bytes.append(leb128: UInt64(position))
        bytes.append(leb128: UInt64(row))
        bytes.append(leb128: UInt64(mark.orderKey.count))
        bytes.append(mark.orderKey.span)
        bytes.append(mark.section == nil ? 0 : 1 as UInt8)
        if let section = mark.section { bytes.append(littleEndian: section) }
        for value in values { value.append(to: &bytes) }
        return .supplied(Array(copying: bytes.span))
    }
}

extension PageCursor {
    /// Reads the bytes of a cursor; the result is nil for malformed bytes.
    init?(_ bytes: [UInt8]) {
        var reader = ByteReader(bytes)
        guard let shape = reader.word(), let position = reader.number().flatMap({ RowOffset($0) }),
            let row = reader.number().flatMap({ RowOffset($0) }), let key = reader.run(),
            let hasSection = reader.byte(), hasSection <= 1
        else { return nil }
        var section: UInt64?
        if hasSection == 1 {
            guard let word = reader.word() else { return nil }
            section = word
        }
        var values: [DatabaseValue] = []
        while !reader.isAtEnd {
            guard let value = DatabaseValue(&reader) else { return nil }
            values.append(value)
        }
        self.init(
            shape: shape, position: position.number, row: row.number, values: values,
            mark: ArrangedRows.Mark(orderKey: key, section: section))
    }
}

extension DatabaseValue {
    /// The bytes of a text or of data; nil for other values.
    var bytes: [UInt8]? {
        switch self {
        case .text(let bytes), .data(let bytes): bytes
        default: nil
        }
    }

    fileprivate func append(to buffer: inout ByteBuffer) {
        switch self {
        case .null: buffer.append(0 as UInt8)
        case .integer(let number):
            buffer.append(1 as UInt8)
            buffer.append(littleEndian: UInt64(bitPattern: number))
        case .real(let number):
            buffer.append(2 as UInt8)
            buffer.append(littleEndian: number.bitPattern)
        case .text(let bytes), .data(let bytes):
            buffer.append(self == .text(bytes) ? 3 : 4 as UInt8)
            buffer.append(leb128: UInt64(bytes.count))
            buffer.append(bytes.span)
        }
    }

    fileprivate init?(_ reader: inout ByteReader) {
        switch reader.byte() {
        case 0: self = .null
        case 1:
            guard let word = reader.word() else { return nil }
            self = .integer(Int64(bitPattern: word))
        case 2:
            guard let word = reader.word() else { return nil }
            self = .real(Double(bitPattern: word))
        case 3:
            guard let bytes = reader.run() else { return nil }
            self = .text(bytes)
        case 4:
            guard let bytes = reader.run() else { return nil }
            self = .data(bytes)
        default: return nil
        }
    }
}

/// Reads the bytes of a cursor, which may be malformed; each function returns nil if bytes are missing.
private struct ByteReader {
    private let bytes: [UInt8]
    private var offset = 0

    init(_ bytes: [UInt8]) { self.bytes = bytes }

    var isAtEnd: Bool { offset == bytes.count }

    mutating func byte() -> UInt8? {
        guard offset < bytes.count else { return nil }
        defer { offset += 1 }
        return bytes[offset]
    }

    mutating func word() -> UInt64? {
        guard bytes.count - offset >= 8 else { return nil }
        defer { offset += 8 }
        return (0..<8).reduce(0) { $0 | UInt64(bytes[offset + $1]) << UInt64(8 * $1) }
    }

    mutating func number() -> UInt64? {
        var number: UInt64 = 0
        for shift in stride(from: 0, to: 63, by: 7) {
            guard let next = byte() else { return nil }
            number |= UInt64(next & 0x7F) << UInt64(shift)
            if next < 0x80 { return number }
        }
        return nil
    }

    mutating func run() -> [UInt8]? {
        guard let count = number(), count <= UInt64(bytes.count - offset) else { return nil }
        defer { offset += Int(count) }
        return Array(bytes[offset..<offset + Int(count)])
    }
}

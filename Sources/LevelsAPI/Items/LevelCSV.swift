import Bytes
import Levels
import PropertyLists

/// The rows of a level's answer as CSV (RFC 4180; manual, Levels): the key, the title and the fields of each row.
struct LevelCSV {
    private let answer: LevelAnswer
    /// The names of the columns after the key and the title, in order of first appearance.
    private var names: [[UInt8]] = []
    /// The numbers of these columns, by the hashes of their names.
    private var numbers: [UInt64: Int] = [:]

    static let contentType = "text/csv; charset=utf-8"

    /// The maximum number of cells. Rows with different fields could otherwise have far more empty cells than fields.
    private static let mostCells = 4_000_000

    /// - Throws: `Problem` (400) if the rows have too many columns.
    init(_ answer: LevelAnswer) throws(Problem) {
        self.answer = answer
        let fields = answer.description.fields
        var (names, numbers) = (names, numbers)
        forEachRow { row in
            RowFields.forEach(fields, of: row) { name, value in
                let hash = ContentHash.short(of: name)
                if numbers[hash] == nil {
                    numbers[hash] = names.count
                    names.append(Array(copying: name))
                }
                return value.map { RowFields.end(ofValueAt: $0, in: row.bytes) }
            }
        }
        (self.names, self.numbers) = (names, numbers)
        let count = answer.page.numbers.count
        guard names.count * count <= Self.mostCells else {
            throw .badParameter(
                "format",
                detail:
                    "The \(count) rows have \(names.count) different fields, which are too many columns; name some of them with 'fields', or ask for fewer rows with 'limit'."
            )
        }
    }

    /// The header line, and a line for each row.
    private func body() throws(Problem) -> ByteBuffer {
        do throws(PropertyListError) { return try written() } catch {
            throw error.isOutOfMemory ? .outOfMemory : .unwritten
        }
    }

    /// The table with its metadata.
    func rendering(cacheControl: String, vary: String) throws(Problem) -> Rendering {
        let metadata = RepresentationMetadata(
            contentType: Self.contentType, cacheControl: cacheControl, vary: vary, next: answer.next,
            added: [disposition])
        return Rendering(hashing: try body(), metadata: metadata)
    }

    private func written() throws(PropertyListError) -> ByteBuffer {
        var body = ByteBuffer(capacity: 4_096)
        body.append("key,title")
        for name in names {
            body.append(UInt8(ascii: ","))
            Self.append(cell: name.span, to: &body)
        }
        body.append("\r\n")
        var cells = [Cell](repeating: .empty, count: names.count)
        for number in answer.page.numbers {
            try answer.page.withRow(number) { (row) throws(PropertyListError) in
                try append(row, cells: &cells, to: &body)
            }
        }
        return body
    }

    private enum Cell {
        case empty, title
        case value(Int)
    }

    /// Appends the line of a row.
    ///
    /// - Parameter cells: memory for the cells of a row.
    private func append(
        _ row: borrowing RowView, cells: inout [Cell], to body: inout ByteBuffer
    ) throws(PropertyListError) {
        let bytes = row.bytes
        for number in cells.indices { cells[number] = .empty }
        RowFields.forEach(answer.description.fields, of: row) { name, value in
            if let number = numbers[ContentHash.short(of: name)] { cells[number] = value.map(Cell.value) ?? .title }
            return value.map { RowFields.end(ofValueAt: $0, in: bytes) }
        }
        Self.append(cell: row.key, to: &body)
        body.append(UInt8(ascii: ","))
        Self.append(cell: row.title, to: &body)
        for cell in cells {
            body.append(UInt8(ascii: ","))
            switch cell {
            case .empty: break
            case .title: Self.append(cell: row.title, to: &body)
            case .value(let offset): try Self.append(valueAt: offset, in: bytes, to: &body)
            }
        }
        body.append("\r\n")
    }

    /// Appends a text as it is, and any other value as JSON shows it.
    private static func append(
        valueAt offset: Int, in bytes: Span<UInt8>, to body: inout ByteBuffer
    ) throws(PropertyListError) {
        if let text = RowFields.text(at: offset, in: bytes) { return append(cell: bytes.extracting(text), to: &body) }
        var writer = JSONPropertyListWriter(output: ByteBuffer(capacity: 64))
        var walk = PackedWalk()
        _ = try walk.tell(bytes, at: offset, to: &writer)
        let json = try writer.body()
        // The JSON of a date or of data is a text without escapes.
        let isText = json.span[0] == UInt8(ascii: "\"")
        append(cell: isText ? json.span.extracting(1..<json.count - 1) : json.span, to: &body)
    }

    private static func append(cell: Span<UInt8>, to body: inout ByteBuffer) {
        let quote = UInt8(ascii: "\"")
        let isPlain = cell.indices.allSatisfy {
            let byte = cell[$0]
            return byte != UInt8(ascii: ",") && byte != quote && byte != 0x0A && byte != 0x0D
        }
        guard !isPlain else { return body.append(cell) }
        body.append(quote)
        for index in cell.indices {
            if cell[index] == quote { body.append(quote) }
            body.append(cell[index])
        }
        body.append(quote)
    }

    private func forEachRow(_ visit: (borrowing RowView) -> Void) {
        for number in answer.page.numbers { answer.page.withRow(number) { visit($0) } }
    }
}

extension LevelCSV {
    /// The header field that names the file after the title of the level (RFC 6266).
    var disposition: (name: String, value: String) {
        var title = answer.item.own.withRow { String(utf8: $0.title) }
        while title.utf8.count > 128 { title.removeLast() }
        let plain = String(
            decoding: title.utf8.map { byte in
                let isKept = byte >= 0x20 && byte < 0x7F && !"\"\\/%".utf8.contains(byte)
                return isKept ? byte : UInt8(ascii: "_")
            }, as: UTF8.self)
        var encoded = ByteBuffer(capacity: 256)
        PercentEncoding.append(title.utf8Span.span, to: &encoded)
        return (
            "Content-Disposition",
            "attachment; filename=\"\(plain).csv\"; filename*=UTF-8''\(String(utf8: encoded.span)).csv"
        )
    }
}

import Bytes

/// Reads a table of comma-separated or tab-separated values (RFC 4180) and sends it as an array of dictionaries.
///
/// The first line names the columns. Each further line is a dictionary of texts. A line with fewer cells lacks the last
/// fields, and an empty line is skipped. A line ends with CRLF, LF or CR. The text is UTF-8 or UTF-16.
public struct CSVReader: ~Copyable {
    /// The separator of the cells of a line.
    public enum Separator: UInt8, Sendable {
        /// The separator of `.csv` files.
        case comma = 0x2C
        /// The separator of `.tsv` files.
        case tab = 0x09
        /// The separator that spreadsheets write in languages whose decimal separator is the comma.
        case semicolon = 0x3B
    }

    private var window: TextWindow
    private let limits: PropertyListLimits
    private let separator: UInt8
    private var columns = CSVColumns()
    private var values = 0

    private static let quote = UInt8(ascii: "\"")
    private static let lineFeed: UInt8 = 10
    private static let carriageReturn: UInt8 = 13

    /// Reads a whole table.
    ///
    /// - Throws: `PropertyListError` with line and column if there is no header, a column name appears twice, a quote
    ///   never ends, a line has more cells than the header, the text exceeds a limit, or the consumer refuses the
    ///   table.
    public static func read<Consumer: PropertyListConsumer & ~Copyable>(
        _ input: DocumentInput, separator: Separator, limits: PropertyListLimits, into consumer: inout Consumer
    ) throws(PropertyListError) {
        var reader = try CSVReader(input: input, separator: separator, limits: limits)
        do {
            try reader.readTable(into: &consumer)
        } catch {
            throw error.located(at: reader.window.position)
        }
    }

    private init(
        input: DocumentInput, separator: Separator, limits: PropertyListLimits
    ) throws(PropertyListError) {
        window = try TextWindow(input: input, as: .table, limits: limits)
        self.limits = limits
        self.separator = separator.rawValue
    }

    // MARK: Lines

    private mutating func readTable<Consumer: PropertyListConsumer & ~Copyable>(
        into consumer: inout Consumer
    ) throws(PropertyListError) {
        try skipEmptyLines()
        guard try window.peek() != nil else {
            throw PropertyListError(reason: "the table is empty; its first line must name the columns")
        }
        try consumer.beginArray(at: window.roughPosition)
        try readHeader()
        try skipEmptyLines()
        while try window.peek() != nil {
            try readRecord(into: &consumer)
            try skipEmptyLines()
        }
        try consumer.endArray()
    }

    @inline(__always)
    private mutating func skipEmptyLines() throws(PropertyListError) {
        while let byte = try window.peek(), byte == Self.lineFeed || byte == Self.carriageReturn {
            _ = try readSeparator()
        }
    }

    private mutating func readHeader() throws(PropertyListError) {
        repeat {
            let position = window.roughPosition
            let cell = try readCell()
            let name = Array(copying: window.span(of: cell))
            guard columns.add(name) else {
                throw PropertyListError(
                    reason: "the column '\(quoted: name.span)' appears twice; rename one of the two", at: position)
            }
            window.finish(cell)
            try countValue()
        } while try readSeparator()
        columns.finish()
    }

    private mutating func readRecord<Consumer: PropertyListConsumer & ~Copyable>(
        into consumer: inout Consumer
    ) throws(PropertyListError) {
        try consumer.beginDictionary(at: window.roughPosition)
        var column = 0
        repeat {
            guard column < columns.count else { throw tooManyCells }
            let position = window.roughPosition
            let cell = try readCell()
            try countValue()
            try consumer.key(columns.name(column), at: position)
            try consumer.string(window.span(of: cell), at: position)
            window.finish(cell)
            column += 1
        } while try readSeparator()
        try consumer.endDictionary()
    }

    private mutating func countValue() throws(PropertyListError) {
        values += 1
        guard values <= limits.values else {
            throw PropertyListError(reason: "the table holds more than \(limits.values) cells; split it")
        }
    }

    private var tooManyCells: PropertyListError {
        // A line above the header, such as a title or a comment, is read as a header of one column.
        let remedy =
            columns.count == 1
            ? "remove the lines above the one that names the columns"
            : "put a cell that contains the separator in quotes"
        return PropertyListError(
            reason:
                "the line has more cells than the \(Quantity(count: columns.count, noun: "column")) of the header; \(remedy)",
            at: window.position)
    }

    // MARK: Cells

    @inline(__always)
    private mutating func readCell() throws(PropertyListError) -> TokenText {
        if try window.peek() == Self.quote {
            try readQuoted()
            return .assembled
        }
        let count = try window.find(separator, Self.lineFeed, Self.carriageReturn, from: 0) ?? window.readAhead
        guard count <= limits.valueBytes else { throw tooLong }
        return .direct(0..<count, passing: count)
    }

    private var tooLong: PropertyListError {
        PropertyListError(
            reason: "a cell is longer than \(limits.valueBytes) bytes; store large data in separate files")
    }

    /// Reads a cell in quotes. Two quotes within the cell stand for one quote.
    private mutating func readQuoted() throws(PropertyListError) {
        window.beginAssembling()
        // An exact position costs time in proportion to the line so far, which may have a million cells.
        let start = window.roughPosition
        window.advance(1)
        while true {
            let count = try endOfQuote(from: start)
            guard window.assembled.count + count <= limits.valueBytes else { throw tooLong }
            window.assemble(0..<count)
            window.advanceCountingLines(count + 1)
            guard try window.peek() == Self.quote else { return }
            window.assemble(Self.quote)
            window.advance(1)
        }
    }

    private mutating func endOfQuote(from start: SourcePosition) throws(PropertyListError) -> Int {
        var isTooLong = window.assembled.count > limits.valueBytes
        if !isTooLong {
            do throws(PropertyListError) {
                if let count = try window.find(Self.quote, Self.quote, Self.quote, from: 0) { return count }
            } catch {
                guard window.readAhead > limits.valueBytes else { throw error }
                isTooLong = true
            }
        }
        let reason = isTooLong ? "is not ended within \(limits.valueBytes) bytes" : "never ends"
        throw PropertyListError(
            reason: "the quote that begins here \(reason); end the cell with a quote, and double each quote within it",
            at: start)
    }

    /// Moves past the separator or the line end after a cell. Returns whether the line has another cell.
    @inline(__always)
    private mutating func readSeparator() throws(PropertyListError) -> Bool {
        guard let byte = try window.peek() else { return false }
        if byte == separator {
            window.advance(1)
            return true
        }
        switch byte {
        case Self.lineFeed: window.advanceCountingLines(1)
        case Self.carriageReturn:
            window.advance(1)
            if try window.peek() == Self.lineFeed { window.advanceCountingLines(1) }
        default:
            throw PropertyListError(
                reason: "text follows the quote that ends a cell; double each quote within the cell")
        }
        return false
    }
}

/// The names of a table's columns, in order.
struct CSVColumns: ~Copyable {
    private var names = ByteBuffer()
    private var ranges: [Range<Int>] = []
    /// The names so far; used while the header is being read.
    private var known: Set<[UInt8]> = []

    var count: Int { ranges.count }

    /// Adds the next column. Returns false if an earlier column has the same name.
    mutating func add(_ name: [UInt8]) -> Bool {
        guard known.insert(name).inserted else { return false }
        ranges.append(names.count..<names.count + name.count)
        names.append(name.span)
        return true
    }

    mutating func finish() { known = [] }

    @_lifetime(borrow self)
    func name(_ column: Int) -> Span<UInt8> { names.span.extracting(ranges[column]) }
}

import Bytes

/// Reads a table of separated values (RFC 4180) and sends it as an array of dictionaries.
///
/// The header, which is the first record, names the columns. Each further record is a dictionary of texts. A record with
/// fewer cells lacks the last fields, and an empty line is skipped. A line ends with CRLF, LF or CR. The text is UTF-8
/// or UTF-16; any other text is read as Windows-1252, with a warning.
public struct CSVReader: ~Copyable {
    /// The separator of the cells of a record, in the order of preference.
    public enum Separator: UInt8, Sendable, CaseIterable {
        case comma = 0x2C
        /// The separator that spreadsheets write in languages whose decimal separator is the comma.
        case semicolon = 0x3B
        /// The separator of `.tsv` files.
        case tab = 0x09
        case bar = 0x7C
    }

    private var window: TextWindow
    private let limits: PropertyListLimits
    /// The byte that separates cells.
    private var separator: UInt8
    /// Whether a quote that never ends is a cell up to the end of the text, instead of an error.
    private let isLenient: Bool
    /// Whether the cell that was read last contains line feeds.
    private var hasLineFeed = false
    private var values = 0

    private static let quote = UInt8(ascii: "\"")
    private static let lineFeed: UInt8 = 10
    private static let carriageReturn: UInt8 = 13

    /// Reads a whole table.
    ///
    /// - Parameter separator: the separator of a table whose first line is not `sep=` and a separator; nil to detect it.
    /// - Throws: `PropertyListError` with line and column if there is no header, a quote never ends, a record has more
    ///   cells than the header, the text exceeds a limit, or the consumer refuses the table.
    public static func read<Consumer: PropertyListConsumer & ~Copyable>(
        _ input: DocumentInput, separator: Separator?, limits: PropertyListLimits, into consumer: inout Consumer
    ) throws(PropertyListError) {
        let text = try CSVText(input)
        var reader = try CSVReader(text, separator: Separator.comma.rawValue, limits: limits)
        do {
            try reader.readTable(of: text, separator: separator, into: &consumer)
        } catch {
            throw error.located(at: reader.window.position)
        }
    }

    private init(
        _ text: CSVText, separator: UInt8, limits: PropertyListLimits, isLenient: Bool = false
    ) throws(PropertyListError) {
        window = try TextWindow(input: text.input, as: .table, encoding: text.encoding, limits: limits)
        self.limits = limits
        self.separator = separator
        self.isLenient = isLenient
    }

    // MARK: Records

    private mutating func readTable<Consumer: PropertyListConsumer & ~Copyable>(
        of text: CSVText, separator given: Separator?, into consumer: inout Consumer
    ) throws(PropertyListError) {
        if let named = try readSeparatorLine() {
            separator = named.rawValue
        } else if let given {
            separator = given.rawValue
        } else {
            separator = try Self.separator(of: text.uncounted, limits: limits).rawValue
        }
        try skipEmptyLines()
        guard try window.peek() != nil else {
            throw PropertyListError(reason: "the table is empty; its first line must name the columns")
        }
        try consumer.beginArray(at: window.roughPosition)
        if let position = text.fault {
            consumer.warning(
                "the text is not valid UTF-8, so it is read as Windows-1252; save it as UTF-8", at: position)
        }
        let header = try readHeader()
        let columns = try columns(of: text.uncounted, header: header)
        for warning in columns.warnings { consumer.warning(warning.message, at: warning.position) }
        try skipEmptyLines()
        while try window.peek() != nil {
            try readRecord(of: columns, into: &consumer)
            try skipEmptyLines()
        }
        try consumer.endArray()
    }

    /// Reads a first line that consists of `sep=` and a separator. Returns this separator; nil for any other line.
    private mutating func readSeparatorLine() throws(PropertyListError) -> Separator? {
        guard try window.matches("sep=", at: 0), let byte = try window.peek(4), let end = try window.peek(5),
            let separator = Separator(rawValue: byte), Self.isLineEnd(end)
        else { return nil }
        window.advance(5)
        try readLineEnd()
        return separator
    }

    @inline(__always)
    private mutating func skipEmptyLines() throws(PropertyListError) {
        while let byte = try window.peek(), Self.isLineEnd(byte) { try readLineEnd() }
    }

    private mutating func readHeader() throws(PropertyListError) -> [CSVColumns.Name] {
        var names: [CSVColumns.Name] = []
        repeat {
            let position = window.roughPosition
            let cell = try readCell()
            names.append(.init(text: Array(copying: window.span(of: cell)), position: position))
            finish(cell)
            try countValue()
        } while try readSeparator()
        return names
    }

    /// Names the columns. Reads the records if a column lacks a name, because such a column counts only if it has text.
    private func columns(
        of text: CSVText, header: [CSVColumns.Name]
    ) throws(PropertyListError) -> CSVColumns {
        let unnamed = header.map(\.text.isEmpty)
        guard unnamed.contains(true) else { return CSVColumns(header, isUsed: { _ in true }) }
        var survey = try CSVReader(text, separator: separator, limits: limits)
        do {
            let used = try survey.usedColumns(among: unnamed)
            return CSVColumns(header, isUsed: { used[$0] })
        } catch {
            throw error.located(at: survey.window.position)
        }
    }

    private mutating func readRecord<Consumer: PropertyListConsumer & ~Copyable>(
        of columns: borrowing CSVColumns, into consumer: inout Consumer
    ) throws(PropertyListError) {
        let line = window.line
        try consumer.beginDictionary(at: window.roughPosition)
        var column = 0
        repeat {
            let position = window.roughPosition
            let cell = try readCell()
            try countValue()
            let name = columns.name(column)
            if !name.isEmpty {
                try consumer.key(name, at: position)
                try consumer.string(window.span(of: cell), at: position)
            } else if !window.span(of: cell).isEmpty {
                throw tooManyCells(than: columns.count, inLine: line)
            }
            finish(cell)
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

    private func tooManyCells(than columns: Int, inLine line: Int) -> PropertyListError {
        // A line above the header, such as a title or a comment, is read as a header of one column.
        let remedy =
            columns == 1
            ? "remove the lines above the one that names the columns"
            : "put a cell that contains the separator in quotes"
        return PropertyListError(
            reason:
                "the line has more cells than the \(Quantity(count: columns, noun: "column")) of the header; \(remedy)",
            at: .text(line: line, column: 1))
    }

    // MARK: Cells

    @inline(__always)
    private mutating func readCell() throws(PropertyListError) -> TokenText {
        hasLineFeed = false
        if try window.peek() == Self.quote, let cell = try readQuoted() { return cell }
        let count =
            try window.find(separator, Self.lineFeed, Self.carriageReturn, from: 0) ?? window.readAhead
        guard count <= limits.valueBytes else { throw tooLong }
        return .direct(0..<count, passing: count)
    }

    private var tooLong: PropertyListError {
        PropertyListError(
            reason: "a cell is longer than \(limits.valueBytes) bytes; store large data in separate files")
    }

    /// Moves past a cell.
    @inline(__always)
    private mutating func finish(_ cell: TokenText) {
        guard case .direct(_, let count) = cell else { return }
        if hasLineFeed { window.advanceCountingLines(count) } else { window.advance(count) }
    }

    /// Reads a cell in quotes, in which two quotes stand for one quote. Returns nil if other text follows the closing
    /// quote; the quotes are then part of the text.
    private mutating func readQuoted() throws(PropertyListError) -> TokenText? {
        guard let first = try endOfQuote(from: 1) else { return rest }
        var end = first
        while try window.peek(end + 1) == Self.quote {
            guard let next = try endOfQuote(from: end + 2) else { return rest }
            end = next
        }
        if let next = try window.peek(end + 1), next != separator, !Self.isLineEnd(next) {
            hasLineFeed = false
            return nil
        }
        guard end - 1 <= limits.valueBytes else { throw tooLong }
        if end == first { return .direct(1..<end, passing: end + 1) }
        try assembleQuoted(to: end)
        return .assembled
    }

    /// The rest of the text, without the quote at the cursor.
    private var rest: TokenText { .direct(1..<window.readAhead, passing: window.readAhead) }

    /// Assembles the text from the quote at the cursor to the closing quote, and moves past it.
    private mutating func assembleQuoted(to end: Int) throws(PropertyListError) {
        window.beginAssembling()
        var start = 1
        while let found = try window.find(Self.quote, Self.quote, Self.quote, from: start), found < end {
            window.assemble(start..<found + 1)
            start = found + 2
        }
        window.assemble(start..<end)
        window.advanceCountingLines(end + 1)
    }

    /// The offset of the next quote; nil if the text ends before it and this is permitted.
    private mutating func endOfQuote(from start: Int) throws(PropertyListError) -> Int? {
        var isTooLong = start > limits.valueBytes + 2
        if !isTooLong {
            do throws(PropertyListError) {
                let found = try window.find(Self.quote, Self.quote, Self.quote, from: start)
                hasLineFeed = hasLineFeed || window.foundLineFeed
                if found != nil || isLenient { return found }
            } catch {
                guard window.readAhead > limits.valueBytes else { throw error }
                isTooLong = true
            }
        }
        let reason = isTooLong ? "is not ended within \(limits.valueBytes) bytes" : "never ends"
        throw PropertyListError(
            reason: "the quote that begins here \(reason); end the cell with a quote, and double each quote within it")
    }

    private static func isLineEnd(_ byte: UInt8) -> Bool { byte == lineFeed || byte == carriageReturn }

    /// Moves past the separator or the line end after a cell. Returns whether the record has another cell.
    @inline(__always)
    private mutating func readSeparator() throws(PropertyListError) -> Bool {
        guard let byte = try window.peek() else { return false }
        if byte == separator {
            window.advance(1)
            return true
        }
        try readLineEnd()
        return false
    }

    @inline(__always)
    private mutating func readLineEnd() throws(PropertyListError) {
        if try window.peek() == Self.carriageReturn, try window.peek(1) == Self.lineFeed { window.advance(1) }
        window.passLineEnd()
    }
}

/// Reading ahead, to find out how a table is written.
extension CSVReader {
    /// The number of records after the header that decide about the separator.
    private static let deciding = 100

    /// The separator by which most of the first records have as many cells as the header. Only separators in the header
    /// are tried.
    private static func separator(
        of text: CSVText, limits: PropertyListLimits
    ) throws(PropertyListError) -> Separator {
        var header = try CSVReader(text, separator: Separator.comma.rawValue, limits: limits)
        let found = header.separatorsOfHeader()
        guard found.count > 1 else { return found.first ?? .comma }
        var best = (separator: Separator.comma, records: -1)
        for separator in found {
            var reader = try CSVReader(text, separator: separator.rawValue, limits: limits, isLenient: true)
            let records = reader.recordsLikeHeader()
            if records > best.records { best = (separator, records) }
        }
        return best.separator
    }

    /// The separators in the header that are not in quotes, in the order of preference. An error ends the search, because
    /// the reading of the table will find it again.
    private mutating func separatorsOfHeader() -> [Separator] {
        var found: Set<UInt8> = []
        var isQuoted = false
        do throws(PropertyListError) {
            try skipEmptyLines()
            while let byte = try window.peek(), isQuoted || !Self.isLineEnd(byte) {
                if byte == Self.quote { isQuoted.toggle() } else if !isQuoted { found.insert(byte) }
                window.advance(1)
            }
        } catch {}
        return Separator.allCases.filter { found.contains($0.rawValue) }
    }

    /// The number of the first records that have as many cells as the header. An error ends the count.
    private mutating func recordsLikeHeader() -> Int {
        var records = 0
        do throws(PropertyListError) {
            let width = try countCells()
            for _ in 0..<Self.deciding {
                let cells = try countCells()
                guard cells > 0 else { break }
                if cells == width { records += 1 }
            }
        } catch {}
        return records
    }

    /// The number of cells of the next record; 0 at the end.
    private mutating func countCells() throws(PropertyListError) -> Int {
        try skipEmptyLines()
        guard try window.peek() != nil else { return 0 }
        var cells = 0
        repeat {
            finish(try readCell())
            cells += 1
        } while try readSeparator()
        return cells
    }

    /// Whether each column has a name or a cell with text.
    private mutating func usedColumns(among unnamed: [Bool]) throws(PropertyListError) -> [Bool] {
        var used = unnamed.map { !$0 }
        var missing = unnamed.count { $0 }
        _ = try readSeparatorLine()
        _ = try countCells()
        try skipEmptyLines()
        while missing > 0, try window.peek() != nil {
            var column = 0
            repeat {
                let cell = try readCell()
                if column < used.count, !used[column], !window.span(of: cell).isEmpty {
                    used[column] = true
                    missing -= 1
                }
                finish(cell)
                column += 1
            } while try readSeparator()
            try skipEmptyLines()
        }
        return used
    }
}

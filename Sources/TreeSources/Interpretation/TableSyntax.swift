internal import PropertyLists

/// The syntax of a table.
enum TableSyntax: Equatable {
    /// Lines of cells (RFC 4180). The separator is nil if the text shows it.
    case cells(CSVReader.Separator?)
    /// JSON values on lines of their own: the elements of an array.
    case jsonLines
    /// A property list or JSON: an array of dictionaries.
    case propertyList(PropertyListSyntax)

    /// Determines the syntax of a document that is a table, whatever the names of its fields; nil for other documents.
    ///
    /// - Throws: `PropertyListError` for a format that is not supported.
    static func ofTable(
        _ input: DocumentInput, hint: FormatHint, name: String
    ) throws(PropertyListError) -> TableSyntax? {
        let head = try input.bytes(first: DocumentFile.headBytes)
        if case .cells(let separator) = hint, !SyntaxCheck.isOtherThanCells(head) { return .cells(separator) }
        guard try SyntaxCheck.syntax(of: head, name: name) == .json else { return nil }
        return try JSONLines.areIn(input, evenOne: hint == .jsonLines) ? .jsonLines : nil
    }

    /// Determines the syntax of a file that contains a table.
    ///
    /// - Throws: `PropertyListError` for a format that is not supported.
    init(of input: DocumentInput, hint: FormatHint, name: String) throws(PropertyListError) {
        if let table = try TableSyntax.ofTable(input, hint: hint, name: name) {
            self = table
        } else {
            self = .propertyList(try SyntaxCheck.syntax(of: input.bytes(first: DocumentFile.headBytes), name: name))
        }
    }

    func read<Consumer: PropertyListConsumer & ~Copyable>(
        _ input: DocumentInput, limits: PropertyListLimits, into consumer: inout Consumer
    ) throws(PropertyListError) {
        switch self {
        case .cells(let separator):
            try CSVReader.read(input, separator: separator, limits: limits, into: &consumer)
        case .jsonLines: try JSONPropertyListReader.read(input, asLines: true, limits: limits, into: &consumer)
        case .propertyList(let syntax): try syntax.read(input, limits: limits, into: &consumer)
        }
    }

    /// The syntax of a property list that can represent the same values.
    var propertyList: PropertyListSyntax {
        switch self {
        case .cells, .jsonLines: .json
        case .propertyList(let syntax): syntax
        }
    }
}

/// Recognizes JSON Lines: JSON values one after the other, with a line end between.
enum JSONLines {
    /// The number of bytes in which the first value must end to be recognized.
    private static let most = 1 << 20

    /// Whether a line that begins a second value follows the first value.
    ///
    /// - Parameter evenOne: whether a single dictionary is JSON Lines, too.
    static func areIn(_ input: DocumentInput, evenOne: Bool) throws(PropertyListError) -> Bool {
        let head = try input.bytes(first: min(input.size, most))
        let text = TextEncoding.characters(of: head.span)
        guard let begin = text.firstIndex(where: { $0 > 0x20 }) else { return false }
        if evenOne, text[begin] == UInt8(ascii: "{") { return true }
        guard let end = endOfValue(in: text, from: begin),
            let next = text[end...].firstIndex(where: { $0 > 0x20 })
        else { return false }
        return text[end..<next].contains(10) && "{[\"-0123456789tfn".utf8.contains(text[next])
    }

    /// The end of the value that begins at an index; nil if the text ends first.
    private static func endOfValue(in text: [UInt8], from begin: Int) -> Int? {
        var depth = 0
        var isInString = false
        var index = begin
        while index < text.count {
            let byte = text[index]
            index += 1
            if isInString {
                if byte == UInt8(ascii: "\\") { index += 1 }
                isInString = byte != UInt8(ascii: "\"")
            } else if byte == UInt8(ascii: "\"") {
                isInString = true
            } else if byte == UInt8(ascii: "{") || byte == UInt8(ascii: "[") {
                depth += 1
            } else if byte == UInt8(ascii: "}") || byte == UInt8(ascii: "]") {
                depth -= 1
            } else if depth == 0, index < text.count, text[index] > 0x20 {
                // A number or a word continues.
                continue
            }
            if depth == 0, !isInString { return index }
        }
        return nil
    }
}

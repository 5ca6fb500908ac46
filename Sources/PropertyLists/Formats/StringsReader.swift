import Bytes

/// Reads the text format of a `.strings` file: `"key" = "text";` with comments. Takes time linear in the file's length.
///
/// Source: Apple, Resource Programming Guide, String Resources. As in `CFOldStylePList.c`, words without quotation
/// marks, `'` as a quotation mark, and `"key";` for a text that equals its key are accepted too.
struct StringsReader {
    private let bytes: [UInt8]
    private var place = 0
    private var line = 1
    private var lineStart = 0

    /// - Parameter bytes: the text; it need not be valid UTF-8.
    init(_ bytes: [UInt8]) { self.bytes = bytes }

    /// Reads all entries.
    ///
    /// - Throws: `PropertyListError` with line and column.
    mutating func table() throws(PropertyListError) -> StringsTable {
        var table = StringsTable()
        while try skipSpace() {
            let key = try word("a key")
            _ = try skipSpace()
            var text = key
            if next == UInt8(ascii: "=") {
                advance()
                _ = try skipSpace()
                text = try word("the text of the key '\(quoted: key)'")
                _ = try skipSpace()
            }
            guard next == UInt8(ascii: ";") else { throw missingEnd(of: key) }
            advance()
            try table.set(key, to: text)
        }
        return table
    }

    private var next: UInt8? { place < bytes.count ? bytes[place] : nil }

    private mutating func advance() {
        if bytes[place] == 0x0A {
            line += 1
            lineStart = place + 1
        }
        place += 1
    }

    // MARK: Space and comments

    /// Moves past white space and comments. Returns false at the end of the file.
    private mutating func skipSpace() throws(PropertyListError) -> Bool {
        while let byte = next {
            if byte <= 0x20 {
                advance()
            } else if begins("//") {
                while let byte = next, byte != 0x0A, byte != 0x0D { advance() }
            } else if begins("/*") {
                try skipComment()
            } else if begins("\u{FEFF}") {
                place += 3
            } else {
                return true
            }
        }
        return false
    }

    private func begins(_ text: StaticString) -> Bool {
        let end = place + text.utf8CodeUnitCount
        return end <= bytes.count && bytes.span.extracting(place..<end).isEqual(to: text)
    }

    private mutating func skipComment() throws(PropertyListError) {
        let start = mark
        place += 2
        while !begins("*/") {
            guard place < bytes.count else {
                throw PropertyListError(
                    reason: "the comment that begins here is never closed; end it with '*/'",
                    at: start.position(in: bytes))
            }
            advance()
        }
        place += 2
    }

    // MARK: Words

    /// Reads a quoted text, or a word of characters that need no quotation marks.
    private mutating func word(_ what: @autoclosure () -> String) throws(PropertyListError) -> String {
        let start = mark
        if let byte = next, byte == UInt8(ascii: "\"") || byte == UInt8(ascii: "'") { return try quoted(by: byte) }
        let first = place
        while let byte = next, Self.isPlain(byte) { place += 1 }
        guard place > first else {
            throw PropertyListError(
                reason: "\(what()) must be text between quotation marks, \(found)", at: start.position(in: bytes))
        }
        return try text(bytes[first..<place], at: start)
    }

    private mutating func quoted(by end: UInt8) throws(PropertyListError) -> String {
        let start = mark
        place += 1
        var content: [UInt8] = []
        while let byte = next, byte != end {
            if byte == UInt8(ascii: "\\") {
                try appendEscape(to: &content)
            } else {
                content.append(byte)
                advance()
            }
        }
        guard next != nil else {
            throw PropertyListError(
                reason: "the text that begins here is never closed; end it with a quotation mark",
                at: start.position(in: bytes))
        }
        place += 1
        return try text(content[...], at: start)
    }

    private func text(_ content: ArraySlice<UInt8>, at start: Mark) throws(PropertyListError) -> String {
        guard let text = String(validating: content, as: UTF8.self) else {
            throw PropertyListError(
                reason: "the text is not valid UTF-8; save the file as UTF-8 or UTF-16", at: start.position(in: bytes))
        }
        return text
    }

    private static func isPlain(_ byte: UInt8) -> Bool {
        switch byte {
        case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
            UInt8(ascii: "0")...UInt8(ascii: "9"):
            true
        default: "_$/:.-".utf8.contains(byte)
        }
    }

    // MARK: Escapes

    private mutating func appendEscape(to content: inout [UInt8]) throws(PropertyListError) {
        let start = mark
        advance()
        guard let byte = next else { return }
        switch byte {
        case UInt8(ascii: "U"), UInt8(ascii: "u"): try appendCodeUnits(to: &content, from: start)
        case UInt8(ascii: "0")...UInt8(ascii: "7"): appendOctal(to: &content)
        default:
            content.append(Self.escapes[byte] ?? byte)
            advance()
        }
    }

    /// The meanings of letters after a backslash. Any other character means itself.
    private static let escapes: [UInt8: UInt8] = [
        UInt8(ascii: "a"): 7, UInt8(ascii: "b"): 8, UInt8(ascii: "t"): 9, UInt8(ascii: "n"): 10,
        UInt8(ascii: "v"): 11, UInt8(ascii: "f"): 12, UInt8(ascii: "r"): 13,
    ]

    /// Reads up to three octal digits, which stand for a character below U+0100.
    private mutating func appendOctal(to content: inout [UInt8]) {
        var value: UInt32 = 0
        var digits = 0
        while digits < 3, let byte = next, (UInt8(ascii: "0")...UInt8(ascii: "7")).contains(byte) {
            value = value * 8 + UInt32(byte - UInt8(ascii: "0"))
            digits += 1
            place += 1
        }
        content += Unicode.Scalar(UInt8(truncatingIfNeeded: value)).utf8
    }

    /// Reads `\U` and four hexadecimal digits, which are a UTF-16 code unit. Two code units may be a surrogate pair.
    private mutating func appendCodeUnits(to content: inout [UInt8], from start: Mark) throws(PropertyListError) {
        let first = try codeUnit(from: start)
        var units = [first]
        if first & 0xFC00 == 0xD800, begins("\\U") || begins("\\u") {
            place += 1
            units.append(try codeUnit(from: start))
        }
        guard let text = String(validating: units, as: UTF16.self) else {
            throw PropertyListError(
                reason: "this \\U is half of a UTF-16 surrogate pair, and the other half is missing",
                at: start.position(in: bytes))
        }
        content += text.utf8
    }

    private mutating func codeUnit(from start: Mark) throws(PropertyListError) -> UInt16 {
        place += 1
        let end = min(place + 4, bytes.count)
        let digits = String(decoding: bytes[place..<end], as: UTF8.self)
        guard digits.utf8.count == 4, digits.utf8.allSatisfy({ $0 != UInt8(ascii: "+") && $0 != UInt8(ascii: "-") }),
            let unit = UInt16(digits, radix: 16)
        else {
            throw PropertyListError(
                reason: "\\U must be followed by four hexadecimal digits, as in \\U00E9", at: start.position(in: bytes))
        }
        place = end
        return unit
    }

    // MARK: Errors

    private func missingEnd(of key: String) -> PropertyListError {
        PropertyListError(
            reason: "a semicolon must follow the entry of the key '\(quoted: key)', \(found)",
            at: mark.position(in: bytes))
    }

    /// The end of a message: the next byte, which was found instead of the expected text.
    private var found: String {
        next.map { "not '\(quoted: String(decoding: [$0], as: UTF8.self))'" } ?? "but the file ends"
    }

    private var mark: Mark { Mark(line: line, lineStart: lineStart, place: place) }

    /// A position in the text. The column is counted only for an error, because a line may be as long as the file.
    private struct Mark {
        let line: Int
        let lineStart: Int
        let place: Int

        /// The line and the column; the column counts characters.
        func position(in bytes: [UInt8]) -> SourcePosition {
            .text(line: line, column: bytes[lineStart..<place].count { $0 & 0xC0 != 0x80 } + 1)
        }
    }
}

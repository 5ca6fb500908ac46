/// Divides a script or a style sheet into tokens, and leaves out comments.
///
/// A regular expression is told from a division by what precedes it, which suffices as long as none follows a parenthesis.
/// A literal or a comment without an end reaches to the end of the source.
struct SourceTokenizer {
    static let lineEnd = UInt8(ascii: "\n")
    static let blank = UInt8(ascii: " ")

    private let source: [UInt8]
    private var position = 0
    private var tokens: [SourceToken] = []
    private var separator: UInt8?
    /// The open braces: whether each is one within a template.
    private var braces: [Bool] = []

    private init(_ source: [UInt8]) { self.source = source }

    /// The tokens of a script.
    static func tokens(ofScript source: [UInt8]) -> [SourceToken] {
        var tokenizer = SourceTokenizer(source)
        while tokenizer.position < source.count { tokenizer.takeScript() }
        return tokenizer.tokens
    }

    /// The tokens of a style sheet.
    static func tokens(ofStyle source: [UInt8]) -> [SourceToken] {
        var tokenizer = SourceTokenizer(source)
        while tokenizer.position < source.count { tokenizer.takeStyle() }
        return tokenizer.tokens
    }

    // MARK: Tokens

    private mutating func takeStyle() {
        if skipSpace() { return }
        if starts(with: "/*") { return skipStyleComment() }
        let byte = source[position]
        if byte == UInt8(ascii: "\"") { return take(.literal, upTo: endOfLiteral(closedBy: byte)) }
        take(.mark, upTo: position + 1)
    }

    private mutating func takeScript() {
        if skipSpace() { return }
        if starts(with: "//") { return skipLine() }
        let byte = source[position]
        switch byte {
        case UInt8(ascii: "'"), UInt8(ascii: "\""): take(.literal, upTo: endOfLiteral(closedBy: byte))
        case UInt8(ascii: "`"): takeTemplate()
        case UInt8(ascii: "/") where precedesExpression: take(.regularExpression, upTo: endOfRegularExpression)
        case UInt8(ascii: "{"):
            braces.append(false)
            take(.mark, upTo: position + 1)
        case UInt8(ascii: "}"): braces.popLast() == true ? takeTemplate() : take(.mark, upTo: position + 1)
        case UInt8(ascii: "#"): take(.privateName, upTo: endOfWord(from: position + 1))
        default:
            let end = endOfWord(from: position)
            end > position ? take(.word, upTo: end) : take(.mark, upTo: position + 1)
        }
    }

    private mutating func take(_ kind: SourceToken.Kind, upTo end: Int) {
        let end = min(end, source.count)
        tokens.append(SourceToken(kind: kind, bytes: source[position..<end], separator: separator))
        separator = nil
        position = end
    }

    /// Takes a part of a template: from its start, or from the end of an expression in it, to the next such mark.
    private mutating func takeTemplate() {
        let isStart = source[position] == UInt8(ascii: "`")
        var end = position + 1
        while end < source.count, source[end] != UInt8(ascii: "`") {
            if source[end] == UInt8(ascii: "$"), end + 1 < source.count, source[end + 1] == UInt8(ascii: "{") {
                braces.append(true)
                return take(.templatePart, upTo: end + 2)
            }
            end += source[end] == UInt8(ascii: "\\") ? 2 : 1
        }
        take(isStart ? .literal : .templatePart, upTo: end + 1)
    }

    private func endOfLiteral(closedBy mark: UInt8) -> Int {
        var end = position + 1
        while end < source.count, source[end] != mark { end += source[end] == UInt8(ascii: "\\") ? 2 : 1 }
        return end + 1
    }

    private var endOfRegularExpression: Int {
        var end = position + 1
        var isInClass = false
        while end < source.count, isInClass || source[end] != UInt8(ascii: "/") {
            if source[end] == UInt8(ascii: "[") { isInClass = true }
            if source[end] == UInt8(ascii: "]") { isInClass = false }
            end += source[end] == UInt8(ascii: "\\") ? 2 : 1
        }
        return end + 1
    }

    private func endOfWord(from start: Int) -> Int {
        source[start...].firstIndex { !Self.isWord($0) } ?? source.count
    }

    private static func isWord(_ byte: UInt8) -> Bool {
        switch byte {
        case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
            UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "_"), UInt8(ascii: "$"), 0x80...:
            return true
        default: return false
        }
    }

    /// Whether a slash begins a regular expression here.
    private var precedesExpression: Bool {
        guard let last = tokens.last else { return true }
        if last.kind == .templatePart { return last.bytes.last == UInt8(ascii: "{") }
        if last.kind == .mark, let mark = last.bytes.first { return "(,=:[!&|?{};>".utf8.contains(mark) }
        return last.isText("return")
    }

    // MARK: What is left out

    private mutating func skipSpace() -> Bool {
        let byte = source[position]
        guard byte == Self.blank || byte == Self.lineEnd else { return false }
        if separator != Self.lineEnd { separator = byte }
        position += 1
        return true
    }

    private func starts(with mark: String) -> Bool { source[position...].starts(with: mark.utf8) }

    private mutating func skipLine() {
        position = source[position...].firstIndex(of: Self.lineEnd) ?? source.count
    }

    private mutating func skipStyleComment() {
        position += 2
        while position < source.count, !starts(with: "*/") { position += 1 }
        position = min(position + 2, source.count)
    }
}

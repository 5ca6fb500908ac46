/// A file of the web client without what only the readers of its source need: comments, white space that separates
/// nothing, the length of private names, and `const`, for which `let` does.
///
/// Literals (strings, templates, regular expressions) stay as they are. A line end stays where it may end a statement. A
/// regular expression is told from a division by what precedes it, which suffices as long as none follows a parenthesis.
struct ServedText {
    private(set) var bytes: [UInt8] = []
    private let source: [UInt8]
    private let isStyle: Bool
    private var position = 0
    /// What separates the next token from the last one.
    private var separator: UInt8?
    /// Whether the last token joins with a word that follows it: a word, or a regular expression with its flags.
    private var endsInWord = false
    /// The private names so far, without their `#`, with the short ones that take their place: no code outside of the
    /// class can name them, and no text does.
    private var privateNames: [ArraySlice<UInt8>: [UInt8]] = [:]
    /// The open braces: whether each is one within a template.
    private var braces: [Bool] = []

    init(_ source: [UInt8], isStyle: Bool) {
        self.source = source
        self.isStyle = isStyle
        bytes.reserveCapacity(source.count)
        while position < source.count { isStyle ? takeStyle() : takeScript() }
        bytes.append(Self.lineEnd)
    }

    private static let lineEnd = UInt8(ascii: "\n")
    private static let blank = UInt8(ascii: " ")

    // MARK: Tokens

    private mutating func takeStyle() {
        let byte = source[position]
        if skipSpace() { return }
        if startsComment("*") {
            while position < source.count,
                !(byteBefore == UInt8(ascii: "/") && source[position - 2] == UInt8(ascii: "*"))
            {
                position += 1
            }
            return
        }
        if byte == UInt8(ascii: "\"") { return append(upTo: endOfLiteral(closedBy: byte)) }
        if byte == UInt8(ascii: "}"), bytes.last == UInt8(ascii: ";") { bytes.removeLast() }
        append(upTo: position + 1)
    }

    private mutating func takeScript() {
        let byte = source[position]
        if skipSpace() { return }
        if startsComment("/") {
            while position < source.count, source[position] != Self.lineEnd { position += 1 }
            return
        }
        switch byte {
        case UInt8(ascii: "'"), UInt8(ascii: "\""): append(upTo: endOfLiteral(closedBy: byte))
        case UInt8(ascii: "`"): takeTemplate()
        case UInt8(ascii: "/") where precedesExpression: append(upTo: endOfRegularExpression, isWord: true)
        case UInt8(ascii: "{"):
            braces.append(false)
            append(upTo: position + 1)
        case UInt8(ascii: "}"): braces.popLast() == true ? takeTemplate() : append(upTo: position + 1)
        case UInt8(ascii: "#"): takePrivateName()
        default: takeWord()
        }
    }

    private mutating func takeWord() {
        let word = source[position...].prefix(while: Self.isWord)
        guard word.elementsEqual("const".utf8) else {
            return append(upTo: position + max(1, word.count), isWord: !word.isEmpty)
        }
        append(upTo: position, isWord: true)
        bytes += "let".utf8
        position += word.count
    }

    private mutating func takePrivateName() {
        append(upTo: position + 1, isWord: true)
        let name = source[position...].prefix(while: Self.isWord)
        let short = privateNames[name, default: Self.shortName(privateNames.count)]
        privateNames[name] = short
        bytes += short
        position += name.count
    }

    /// `a` to `z`, then `aa`, `ba`, `ca` and so on.
    private static func shortName(_ number: Int) -> [UInt8] {
        let letter = UInt8(ascii: "a") + UInt8(number % 26)
        return number < 26 ? [letter] : [letter] + shortName(number / 26 - 1)
    }

    /// Takes a part of a template: from its start, or from the end of an expression in it, to the next such mark.
    private mutating func takeTemplate() {
        var end = position + 1
        while end < source.count, source[end] != UInt8(ascii: "`") {
            if source[end] == UInt8(ascii: "$"), end + 1 < source.count, source[end + 1] == UInt8(ascii: "{") {
                braces.append(true)
                return append(upTo: end + 2)
            }
            end += source[end] == UInt8(ascii: "\\") ? 2 : 1
        }
        append(upTo: end + 1)
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

    /// Whether a slash begins a regular expression here.
    private var precedesExpression: Bool {
        guard let last = bytes.last else { return true }
        return "(,=:[!&|?{};>".utf8.contains(last) || bytes.suffix(6).elementsEqual("return".utf8)
    }

    private var byteBefore: UInt8 { source[position - 1] }

    private mutating func startsComment(_ mark: Unicode.Scalar) -> Bool {
        guard source[position...].starts(with: [UInt8(ascii: "/"), UInt8(ascii: mark)]) else { return false }
        // The shortest comment of a style sheet has four characters.
        position += isStyle ? 3 : 2
        return true
    }

    // MARK: White space

    private mutating func skipSpace() -> Bool {
        let byte = source[position]
        guard byte == Self.blank || byte == Self.lineEnd else { return false }
        if separator != Self.lineEnd { separator = byte }
        position += 1
        return true
    }

    private static func isWord(_ byte: UInt8) -> Bool {
        switch byte {
        case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
            UInt8(ascii: "0")...UInt8(ascii: "9"),
            UInt8(ascii: "_"), UInt8(ascii: "$"), UInt8(ascii: "#"), 0x80...:
            return true
        default: return false
        }
    }

    /// Appends the token that ends before `end`, with what has to separate it from the last one.
    private mutating func append(upTo end: Int, isWord: Bool = false) {
        let end = min(end, source.count)
        if let separator, let last = bytes.last, separates(separator, last, source[position], isWord) {
            bytes.append(isStyle ? Self.blank : separator)
        }
        separator = nil
        endsInWord = isWord
        bytes += source[position..<end]
        position = end
    }

    private func separates(_ separator: UInt8, _ last: UInt8, _ next: UInt8, _ isWord: Bool) -> Bool {
        if isStyle { return !"{};,>:".utf8.contains(last) && !"{};,>".utf8.contains(next) }
        if separator == Self.lineEnd { return !"{([,;=?:&|>".utf8.contains(last) && !"})].?:&|".utf8.contains(next) }
        if endsInWord, isWord || next == UInt8(ascii: ".") { return true }
        return last == next && "+-/".utf8.contains(last)
    }
}

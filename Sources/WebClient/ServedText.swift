/// A file of the web client without what only the readers of its source need: comments, white space that separates
/// nothing, the length of names, and `const`, for which `let` does.
///
/// Literals (strings, templates, regular expressions) stay as they are. A line end stays where it may end a statement.
struct ServedText {
    private(set) var bytes: [UInt8] = []
    /// Whether the last token joins with a word that follows it: a word, or a regular expression with its flags.
    private var endsInWord = false

    /// A script.
    ///
    /// Its private names become short too, by themselves: no code outside of their class can name them.
    init(script: [SourceToken], names: ShortNames) {
        var privateNames: [ArraySlice<UInt8>: String] = [:]
        for token in script {
            separate(token)
            switch token.kind {
            case .word where token.isText("const"): bytes += "let".utf8
            case .word: bytes += names[token.bytes] ?? token.bytes
            case .privateName:
                let short = privateNames[token.bytes, default: ShortNames.name(number: privateNames.count)]
                privateNames[token.bytes] = short
                bytes += "#\(short)".utf8
            default: bytes += token.bytes
            }
            endsInWord = token.isWord
        }
        bytes.append(SourceTokenizer.lineEnd)
    }

    /// A style sheet.
    init(style: [SourceToken]) {
        for token in style {
            if token.separator != nil, let last = bytes.last, let next = token.bytes.first,
                !"{};,>:".utf8.contains(last), !"{};,>".utf8.contains(next)
            {
                bytes.append(SourceTokenizer.blank)
            }
            if token.isText("}"), bytes.last == UInt8(ascii: ";") { bytes.removeLast() }
            bytes += token.bytes
        }
        bytes.append(SourceTokenizer.lineEnd)
    }

    /// Appends what has to stand between the last token of a script and the next one.
    private mutating func separate(_ token: SourceToken) {
        guard let separator = token.separator, let last = bytes.last, let next = token.bytes.first else { return }
        let isNeeded =
            if separator == SourceTokenizer.lineEnd {
                !"{([,;=?:&|>".utf8.contains(last) && !"})].?:&|".utf8.contains(next)
            } else {
                endsInWord && (token.isWord || next == UInt8(ascii: ".")) || last == next && "+-/".utf8.contains(last)
            }
        if isNeeded { bytes.append(separator) }
    }
}

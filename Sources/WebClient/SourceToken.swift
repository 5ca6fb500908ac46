/// A part of a script or of a style sheet: what stands between white space and comments.
struct SourceToken {
    /// What a token is.
    enum Kind {
        /// Letters, digits, `_` and `$`.
        case word
        /// Such a word with the `#` of a private member before it.
        case privateName
        /// One byte of punctuation; in a style sheet one byte of anything but a string.
        case mark
        /// A string or a whole template.
        case literal
        /// A regular expression, without its flags.
        case regularExpression
        /// A template up to its first expression, or from the end of an expression to the next one or to the end.
        case templatePart
    }

    let kind: Kind
    let bytes: ArraySlice<UInt8>
    /// What precedes the token, where there is white space: a line end if that contains one, otherwise a blank.
    let separator: UInt8?

    /// Whether the token joins with a word that follows it at once: a regular expression may have flags.
    var isWord: Bool { kind == .word || kind == .privateName || kind == .regularExpression }

    /// Whether the token is this word, or this mark.
    func isText(_ text: String) -> Bool { (kind == .word || kind == .mark) && bytes.elementsEqual(text.utf8) }

    /// Whether the token is one of these words or marks.
    func isOne(of texts: String...) -> Bool { texts.contains(where: isText) }
}

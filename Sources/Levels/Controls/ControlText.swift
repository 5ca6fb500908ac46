/// What a text field can hold.
enum ControlText {
    /// The first character that no keyboard types: a control character, as a line feed, or a noncharacter that XML
    /// cannot represent; nil if there is none.
    static func fault(in text: String) -> Unicode.Scalar? {
        text.unicodeScalars.first { scalar in
            scalar.properties.generalCategory == .control || scalar.value == 0xFFFE || scalar.value == 0xFFFF
        }
    }

    /// Whether a text is a decimal number: digits, with at most one point between them, after a sign if there is one.
    static func isNumber(_ text: String) -> Bool {
        var digits = Substring(text)
        if let first = digits.first, first == "-" || first == "+" { digits = digits.dropFirst() }
        let parts = digits.split(separator: ".", maxSplits: 1, omittingEmptySubsequences: false)
        return !parts.isEmpty
            && parts.allSatisfy { part in
                !part.isEmpty && part.utf8.allSatisfy { (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0) }
            }
    }
}

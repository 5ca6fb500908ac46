import PropertyLists

/// A line for a terminal, which must not be told to do anything by a title, a target or the name of a file.
///
/// Messages quote what comes from outside already; this holds for whatever they have missed.
enum PrintableText {
    private static let mostCharacters = 64 << 10

    /// A line of text whose control characters and marks of direction are shown as `\u{1B}`.
    static func line(_ text: String) -> String {
        QuotedText.isPlain(text) ? text : QuotedText(text, most: mostCharacters).description
    }

    /// The same JSON, with such characters escaped as JSON does; they can only be within its strings.
    static func json(_ json: String) -> String {
        guard !QuotedText.isPlain(json) else { return json }
        var escaped = ""
        for scalar in json.unicodeScalars {
            guard !QuotedText.isPlain(String(scalar)) else {
                escaped.unicodeScalars.append(scalar)
                continue
            }
            for unit in String(scalar).utf16 {
                let digits = String(unit, radix: 16)
                escaped += "\\u" + String(repeating: "0", count: 4 - digits.count) + digits
            }
        }
        return escaped
    }
}

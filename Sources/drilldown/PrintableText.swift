import Bytes
import PropertyLists

/// A line for a terminal, without control sequences from titles, targets or file names.
///
/// Messages already quote text from outside; this catches what they miss.
enum PrintableText {
    private static let mostCharacters = 64 << 10

    /// A line of text whose control characters and bidirectional marks are shown as `\u{1B}`.
    static func line(_ text: String) -> String {
        QuotedText.isPlain(text) ? text : QuotedText(text, most: mostCharacters).description
    }

    /// The same JSON, with these characters escaped as in JSON; they can occur only within its strings.
    static func json(_ json: String) -> String {
        guard !QuotedText.isPlain(json) else { return json }
        var escaped = ""
        for scalar in json.unicodeScalars {
            guard !QuotedText.isPlain(String(scalar)) else {
                escaped.unicodeScalars.append(scalar)
                continue
            }
            for unit in String(scalar).utf16 {
                escaped += "\\u" + String(hexadecimal: unit, digits: 4, uppercase: false)
            }
        }
        return escaped
    }
}

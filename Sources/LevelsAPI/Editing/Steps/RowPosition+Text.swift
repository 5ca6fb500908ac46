import Bytes
import Levels

extension RowPosition {
    /// What a position may be, in words.
    static let grammar = "first, last, a number of rows from 0, before:KEY or after:KEY"

    /// A position that is named, not a number; nil if it is malformed.
    init?(name text: String) {
        switch text {
        case "first": self = .first
        case "last": self = .last
        default:
            if text.hasPrefix("before:") {
                self = .before(String(text.dropFirst(7)))
            } else if text.hasPrefix("after:") {
                self = .after(String(text.dropFirst(6)))
            } else {
                return nil
            }
        }
    }

    /// A position in a query; nil if it is malformed.
    init?(query text: String) {
        if let number = Int(digits: text.utf8Span.span) {
            self = .offset(number)
        } else if let named = RowPosition(name: text) {
            self = named
        } else {
            return nil
        }
    }
}

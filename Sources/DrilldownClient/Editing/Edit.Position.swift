extension Edit {
    /// Where an item is put among the rows of a level.
    public enum Position: Hashable, Sendable {
        /// Before all rows.
        case first
        /// After all rows.
        case last
        /// After that many rows; a row that is moved does not count.
        case at(Int)
        /// Before the row with a key.
        case before(String)
        /// After the row with a key.
        case after(String)

        /// The value of `at` in a request.
        var value: FieldValue {
            switch self {
            case .first: .text("first")
            case .last: .text("last")
            case .at(let position): .integer(Int64(position))
            case .before(let key): .text("before:\(key)")
            case .after(let key): .text("after:\(key)")
            }
        }

        /// The same value as text, for a query.
        var text: String {
            if case .at(let position) = self { return String(position) }
            guard case .text(let text) = value else { return "" }
            return text
        }
    }
}

extension Edit {
    /// Where an item is put among the rows of a level.
    public enum Position: Hashable, Sendable {
        /// Before all rows of the section, which is the last one of the level unless the edit names another.
        case first
        /// After all rows of the section, which is the last one of the level unless the edit names another.
        case last
        /// At this index in the section, from 0; a row that is moved is not counted.
        case index(Int)
        /// Before the row with a key.
        case before(String)
        /// After the row with a key.
        case after(String)

        /// The value of `at` in a request.
        var value: FieldValue {
            switch self {
            case .first: .text("first")
            case .last: .text("last")
            case .index(let position): .integer(Int64(position))
            case .before(let key): .text("before:\(key)")
            case .after(let key): .text("after:\(key)")
            }
        }

        /// The same value as text, for a query.
        var text: String {
            if case .index(let position) = self { return String(position) }
            guard case .text(let text) = value else { return "" }
            return text
        }
    }
}

public import PropertyLists

/// Two rows of one level with the same `Key`.
public struct SharedKey: Equatable, Sendable {
    /// The key.
    public let key: String
    /// The two rows, in the order of the level.
    public let first, second: Row

    /// One of the two rows.
    public struct Row: Equatable, Sendable {
        /// Its number in the level.
        public let number: Int
        /// Its title; may be empty.
        public let title: String
        /// The position in the document; nil for a row of an edited tree.
        public let position: SourcePosition?

        fileprivate func phrase(apartFrom other: Row) -> String {
            let name = title.isEmpty ? "row \(number + 1)" : "'\(quoted: title)'"
            return name + (position.map { " \($0.phrase(apartFrom: other.position))" } ?? "")
        }
    }

    /// The whole sentence, without the final full stop.
    var message: String {
        "two rows have the Key '\(quoted: key)', \(first.phrase(apartFrom: second)) and "
            + "\(second.phrase(apartFrom: first)); a Key must be unique among siblings"
    }
}

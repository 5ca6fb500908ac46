internal import PropertyLists

/// A key that appears twice in one dictionary.
enum RepeatedKey {
    /// The warning about it.
    static func message(_ name: QuotedText, first: SourcePosition?, second: SourcePosition) -> String {
        // In a binary document both may be one shared object.
        let other = first == second ? nil : first
        let place = other.map { ", first \($0.phrase(apartFrom: second))" } ?? ""
        return "the key '\(name)' appears more than once in one dictionary\(place); the last one counts"
    }
}

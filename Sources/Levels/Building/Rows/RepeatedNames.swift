internal import PropertyLists

/// A title that several rows of one level share.
///
/// This is a class, so that an optional takes only one word. For nearly every level, the optional is nil.
final class RepeatedTitle {
    let title: String
    let count: Int
    /// The positions of the first two of these rows; nil if the position is not known.
    let first, second: SourcePosition?

    init(title: String, count: Int, first: SourcePosition?, second: SourcePosition?) {
        self.title = title
        self.count = count
        self.first = first
        self.second = second
    }

    var message: String {
        "\(count) rows have the title '\(quoted: title)'\(place); give each a Key, or their paths end in ~2, ~3, …"
    }

    /// The message for rows that are records, which have no Key.
    var messageAboutRecords: String {
        "\(count) records have the title '\(quoted: title)'\(place); "
            + "in TitleBy, name a field that differs between them; otherwise, their paths end in ~2, ~3, …"
    }

    private var place: String {
        // In a binary document, both rows may be one shared object with one position.
        let other = first == second ? nil : first
        return other.map { ", the first \($0.phrase(apartFrom: second))" } ?? ""
    }
}

/// A key that appears twice in one dictionary.
enum RepeatedKey {
    static func message(_ name: QuotedText, first: SourcePosition?, second: SourcePosition) -> String {
        // In a binary document, both keys may be one shared object with one position.
        let other = first == second ? nil : first
        let place = other.map { ", first \($0.phrase(apartFrom: second))" } ?? ""
        return "the key '\(name)' appears more than once in one dictionary\(place); the last one counts"
    }
}

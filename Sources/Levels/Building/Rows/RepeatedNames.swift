internal import PropertyLists

/// A title that several rows of one level share.
struct RepeatedTitle {
    let title: String
    let count: Int
    /// The positions of the first two of them; nil if they are not known.
    let first, second: SourcePosition?

    var message: String {
        "\(count) rows have the title '\(quoted: title)'\(place); give each a Key, or their paths end in ~2, ~3, …"
    }

    /// The message if the rows are records, which have no Key.
    var messageAboutRecords: String {
        "\(count) records have the title '\(quoted: title)'\(place); "
            + "name a field in TitleBy that tells them apart, or their paths end in ~2, ~3, …"
    }

    private var place: String { RepeatedKey.place(of: first, apartFrom: second, after: ", the first") }
}

/// A key that appears twice in one dictionary.
enum RepeatedKey {
    static func message(_ name: QuotedText, first: SourcePosition?, second: SourcePosition) -> String {
        let place = place(of: first, apartFrom: second, after: ", first")
        return "the key '\(name)' appears more than once in one dictionary\(place); the last one counts"
    }

    /// The words for a first position; empty if both are one object of a binary document.
    fileprivate static func place(
        of first: SourcePosition?, apartFrom second: SourcePosition?, after words: String
    ) -> String {
        guard let first, first != second else { return "" }
        return "\(words) \(first.phrase(apartFrom: second))"
    }
}

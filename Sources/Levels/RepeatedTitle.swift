internal import PropertyLists

/// A title that several rows of one level share.
struct RepeatedTitle {
    let title: String
    /// How many rows have it.
    let count: Int
    /// Where the first two of them are; nil where that is not known.
    let first, second: SourcePosition?

    /// The warning about it.
    var message: String {
        let place = first.map { ", the first \($0.phrase(apartFrom: second))" } ?? ""
        return
            "\(count) rows have the title '\(quoted: title)'\(place); give them a Key each, or their paths end in ~2, ~3, …"
    }
}

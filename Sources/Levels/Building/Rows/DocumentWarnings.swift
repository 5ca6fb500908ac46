public import PropertyLists

/// The warnings of one load: the first hundred, and the number of further warnings.
public struct DocumentWarnings: Sendable, Equatable {
    /// The first hundred warnings, in document order.
    public private(set) var first: [DocumentWarning] = []
    /// The number of further warnings.
    public private(set) var omitted = 0

    /// The maximum number of kept warnings.
    package static let most = 100

    /// Whether the maximum is reached, so that further warnings are only counted.
    var isFull: Bool { first.count >= Self.most }

    mutating func add(_ warning: DocumentWarning) {
        if isFull { omit() } else { first.append(warning) }
    }

    /// Counts warnings without keeping them.
    mutating func omit(_ count: Int = 1) { omitted += count }
}

/// A warning about a part of a document that can be read, but that the author probably did not intend.
public struct DocumentWarning: Sendable, Equatable {
    /// The position in the document; nil for a source without positions.
    public let position: SourcePosition?
    /// The titles from the root, such as `/Item 4`; `/` at the root.
    public let path: String
    /// A whole sentence without the final full stop.
    public let message: String

    /// - Parameters:
    ///   - position: the position in the document.
    ///   - path: the titles from the root; empty for a file without titles.
    ///   - message: a whole sentence without the final full stop.
    public init(position: SourcePosition?, path: String, message: String) {
        self.position = position
        self.path = path
        self.message = message
    }
}

extension DocumentWarning: CustomStringConvertible {
    /// `12:5: in /Item 4: message`; the caller prepends the file's name.
    public var description: String { (position.map { "\($0): " } ?? "") + "in \(path): \(message)" }
}

/// A title that several rows of one level share.
///
/// This is a class, so that an optional takes only one word. For nearly every level, the optional is nil.
final class RepeatedTitle {
    let title: String
    /// Whether the rows share a key of their own, and not only a title.
    let isKey: Bool
    let count: Int
    /// The positions of the first two of these rows; nil if the position is not known.
    let first, second: SourcePosition?

    init(title: String, isKey: Bool = false, count: Int, first: SourcePosition?, second: SourcePosition?) {
        self.title = title
        self.isKey = isKey
        self.count = count
        self.first = first
        self.second = second
    }

    var message: String {
        "\(count) rows have the title '\(quoted: title)'\(place); give each a Key, or their paths end in ~2, ~3, …"
    }

    /// The message for rows that are records, which have no Key.
    var messageAboutRecords: String {
        "\(count) records have the \(isKey ? "key" : "title") '\(quoted: title)'\(place); in \(isKey ? "KeyBy" : "TitleBy"), "
            + "name a field that differs between them; otherwise, their paths end in ~2, ~3, …"
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

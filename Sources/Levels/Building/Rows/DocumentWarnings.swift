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

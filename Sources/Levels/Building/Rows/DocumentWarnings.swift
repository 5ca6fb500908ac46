public import PropertyLists

/// The warnings of one load: the first hundred, and how many more there were.
public struct DocumentWarnings: Sendable, Equatable {
    /// The first hundred warnings, in document order.
    public private(set) var first: [DocumentWarning] = []
    /// The number of warnings after those.
    public private(set) var omitted = 0

    /// The maximum number of warnings that are kept.
    package static let most = 100

    /// Whether a further warning would only be counted, and so need not be made.
    var isFull: Bool { first.count >= Self.most }

    mutating func add(_ warning: DocumentWarning) {
        if isFull { omit() } else { first.append(warning) }
    }

    /// Counts a warning that is not kept.
    mutating func omit(_ count: Int = 1) { omitted += count }
}

/// Something in a document that can be read, but is probably not what its author meant.
public struct DocumentWarning: Sendable, Equatable {
    /// The position in the document.
    public let position: SourcePosition
    /// The titles from the root, as `/Item 4`; `/` at the root.
    public let path: String
    /// A whole sentence without the final full stop.
    public let message: String

    /// - Parameters:
    ///   - position: the position in the document.
    ///   - path: the titles from the root; empty for a file that has none.
    ///   - message: a whole sentence without the final full stop.
    public init(position: SourcePosition, path: String, message: String) {
        self.position = position
        self.path = path
        self.message = message
    }
}

extension DocumentWarning: CustomStringConvertible {
    /// `12:5: in /Item 4: message`; the caller puts the file's name before it.
    public var description: String { "\(position): in \(path): \(message)" }
}

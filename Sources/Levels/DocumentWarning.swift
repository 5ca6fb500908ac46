public import PropertyLists

/// Something in a document that is read, but is probably not what its author meant.
public struct DocumentWarning: Sendable, Equatable {
    public let position: SourcePosition
    /// The titles from the root, as `/Item 4`; `/` at the root.
    public let path: String
    /// A whole sentence without the final full stop.
    public let message: String
}

extension DocumentWarning: CustomStringConvertible {
    /// `12:5: in /Item 4: message`; a file's name is put before it by whoever knows it.
    public var description: String { "\(position): in \(path): \(message)" }
}

/// The warnings of one load: the first hundred, and how many more there were.
public struct DocumentWarnings: Sendable, Equatable {
    public private(set) var first: [DocumentWarning] = []
    public private(set) var omitted = 0

    static let most = 100

    mutating func add(_ warning: DocumentWarning) {
        if first.count < Self.most { first.append(warning) } else { omitted += 1 }
    }
}

public import PropertyLists

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

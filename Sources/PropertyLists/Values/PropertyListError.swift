/// The reason why a document was refused: what is wrong, where, and what would be right.
public struct PropertyListError: Error, Equatable, Sendable {
    /// A whole sentence without the final full stop: what is wrong and what would be right.
    public var reason: String
    /// The position; nil until the reader adds it.
    public var position: SourcePosition?
    /// The titles from the root to the place, as `/Item 4/Screen G`; nil if no level is open.
    public var path: String?
    /// Whether nothing is wrong with the document: there was no memory for it. It has no position then, because the
    /// same document can be read when there is memory.
    public private(set) var isOutOfMemory = false

    /// - Parameters:
    ///   - reason: a whole sentence without the final full stop.
    ///   - position: the position, if it is known already.
    ///   - path: the titles from the root to the place, if they are known already.
    public init(_ reason: String, at position: SourcePosition? = nil, path: String? = nil) {
        self.reason = reason
        self.position = position
        self.path = path
    }

    /// The same error with a place, unless it has one already.
    public func located(at position: SourcePosition) -> PropertyListError {
        isOutOfMemory ? self : PropertyListError(reason, at: self.position ?? position, path: path)
    }

    /// The error for anything for which there was no memory.
    public static let outOfMemory = PropertyListError(shortage: "there is not enough memory for it")

    /// The error for a document that needs more memory than there is.
    ///
    /// - Parameter shortage: a whole sentence without the final full stop.
    public init(shortage: String) {
        self.init(shortage)
        isOutOfMemory = true
    }
}

extension PropertyListError: CustomStringConvertible {
    /// `12:5: in /Item 4: reason.`; the caller puts the file's name before it.
    public var description: String {
        let place = position.map { "\($0): " } ?? ""
        let titles = path.map { "in \($0): " } ?? ""
        return "\(place)\(titles)\(reason)"
    }
}

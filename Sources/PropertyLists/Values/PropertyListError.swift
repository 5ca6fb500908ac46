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

/// A position in a document: a line and column of text, or a byte offset in a binary file.
public enum SourcePosition: Sendable, Equatable {
    /// Line and column of a text document, both counted from 1; the column counts characters.
    case text(line: Int, column: Int)
    /// Byte offset from the beginning of a binary document.
    case byte(offset: Int)
}

extension SourcePosition: CustomStringConvertible {
    /// `12:5` for text, `byte 4711` for binary.
    public var description: String {
        switch self {
        case .text(let line, let column): "\(line):\(column)"
        case .byte(let offset): "byte \(offset)"
        }
    }
}

/// The limits beyond which a document is refused.
public struct PropertyListLimits: Sendable, Equatable {
    /// The maximum nesting of containers. An item takes up to four: dictionary, sections, section, rows.
    public var nesting: Int
    /// The maximum bytes of one text, key or data value.
    public var valueBytes: Int
    /// The maximum number of values of all types; shared ones count each time they appear.
    public var values: Int

    /// The default limits: `nesting` is enough for 512 levels of any shape.
    public init(nesting: Int = 2_200, valueBytes: Int = 64 << 20, values: Int = 200_000_000) {
        self.nesting = nesting
        self.valueBytes = valueBytes
        self.values = values
    }
}

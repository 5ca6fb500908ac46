/// The refusal of a document: the fault, its position and the remedy.
public struct PropertyListError: Error, Equatable, Sendable {
    /// The fault and its remedy: a whole sentence without the final full stop.
    public var reason: String
    /// The position; nil until the reader adds it.
    public var position: SourcePosition?
    /// The titles from the root to the position, such as `/Item 4/Screen G`; nil if no level is open.
    public var path: String?
    /// Whether the cause is a lack of memory, which is not a fault of the document. The error then lacks a position.
    public private(set) var isOutOfMemory = false

    /// - Parameters:
    ///   - reason: a whole sentence without the final full stop.
    ///   - position: nil if the reader will add it.
    ///   - path: the titles from the root to the position, if already known.
    public init(reason: String, at position: SourcePosition? = nil, path: String? = nil) {
        self.reason = reason
        self.position = position
        self.path = path
    }

    /// The same error with a position and a path, unless the error already has them. A lack of memory does not get a
    /// position.
    public func located(at position: SourcePosition, path: String? = nil) -> PropertyListError {
        var located = self
        if !isOutOfMemory, located.position == nil { located.position = position }
        if located.path == nil { located.path = path }
        return located
    }

    /// The error for a lack of memory, without the amount.
    public static let outOfMemory = PropertyListError(shortage: "there is not enough memory for it")

    /// The error for a document that needs more memory than is left.
    ///
    /// - Parameter shortage: the reason, as a whole sentence without the final full stop.
    public init(shortage: String) {
        self.init(reason: shortage)
        isOutOfMemory = true
    }
}

extension String {
    /// The text with a full stop, unless it ends with a full stop or a question mark.
    package var withFullStop: String { hasSuffix(".") || hasSuffix("?") ? self : self + "." }
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
    /// The maximum nesting of containers. An item takes up to four containers: dictionary, sections, section, rows.
    public var nesting: Int
    /// The maximum size of one text, key or data value, in bytes.
    public var valueBytes: Int
    /// The maximum number of values of all types. A shared value counts each time it appears.
    public var values: Int

    /// The default limits: `nesting` is enough for 512 levels of any shape.
    public init(nesting: Int = 2_200, valueBytes: Int = 64 << 20, values: Int = 200_000_000) {
        self.nesting = nesting
        self.valueBytes = valueBytes
        self.values = values
    }
}

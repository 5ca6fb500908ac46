public import Levels
public import PropertyLists

/// The reason why a source could not be loaded, with its position and a remedy.
///
///     throw SourceError("Data.plist", "a title must be a string", at: .text(line: 12, column: 5), path: "/Item 4")
public struct SourceError: Error, Sendable, Equatable {
    /// The source or the part of the source that has the fault, in the user's words, such as the path of a file.
    public let name: String
    /// The position in the source; nil for the source as a whole.
    public let position: SourcePosition?
    /// The titles of the items from the root to the position, such as `/Item 4/Screen G`; nil if the position is
    /// outside all levels.
    public let path: String?
    /// The fault and its remedy: a whole sentence without the final full stop.
    public let reason: String
    /// Whether memory for the document was refused. If so, the load is tried again later.
    public private(set) var isOutOfMemory = false

    /// Creates an error; `reason` is a sentence without the final full stop.
    public init(_ name: String, reason: String, at position: SourcePosition? = nil, path: String? = nil) {
        self.name = name
        self.position = position
        self.path = path
        self.reason = reason
    }

    init(_ name: String, error: PropertyListError) {
        self.init(name, reason: error.reason, at: error.position, path: error.path)
        isOutOfMemory = error.isOutOfMemory
    }
}

extension SourceError: CustomStringConvertible {
    /// `Data.plist:12:5: in /Item 4: sentence.`, or `Data.plist: sentence.` for the source as a whole.
    public var description: String { SourcePlace(name: name, position: position, path: path).line(reason) }
}

/// A probable mistake of a source's author, which does not prevent the load.
public struct SourceWarning: Sendable, Equatable {
    /// The source or the part of the source that has the mistake, in the user's words.
    public let name: String
    /// The warning, with its position.
    public let warning: DocumentWarning

    public init(_ name: String, warning: DocumentWarning) { (self.name, self.warning) = (name, warning) }

    /// Creates a warning about a position in a file. Without a position, the warning is about the whole file.
    init(_ name: String, message: String, at position: SourcePosition? = nil, path: String = "") {
        self.init(
            name,
            warning: DocumentWarning(position: position ?? .text(line: 1, column: 1), path: path, message: message))
    }
}

extension SourceWarning: CustomStringConvertible {
    /// `Data.plist:12:5: in /Item 4: sentence.`
    public var description: String {
        SourcePlace(name: name, position: warning.position, path: warning.path.isEmpty ? nil : warning.path).line(
            warning.message)
    }
}

/// The place that a message is about. `line` puts it before the message, in the form that editors recognize as a
/// position.
struct SourcePlace {
    let name: String
    let position: SourcePosition?
    let path: String?

    func line(_ sentence: String) -> String {
        let place =
            switch position {
            case .text(let line, let column): "\(path: name):\(line):\(column): "
            case .byte(let offset): "\(path: name): byte \(offset): "
            case nil: "\(path: name): "
            }
        return place + (path.map { "in \($0): " } ?? "") + sentence.withFullStop
    }
}

public import Levels
public import PropertyLists

/// Why a source could not be loaded: the file, the place in it, and what would be right.
public struct SourceError: Error, Sendable, Equatable {
    /// The file as the user named it.
    public let file: String
    /// The position in the file; nil for the file as a whole.
    public let position: SourcePosition?
    /// The titles from the root to the place, as `/Item 4/Screen G`; nil if no level is open.
    public let path: String?
    /// A whole sentence without the final full stop: what is wrong and what would be right.
    public let reason: String
    /// Whether there was no memory for the document, so that it is loaded again when there may be.
    public private(set) var isOutOfMemory = false

    /// Creates an error; `reason` is a sentence without the final full stop.
    public init(_ file: String, _ reason: String, at position: SourcePosition? = nil, path: String? = nil) {
        self.file = file
        self.position = position
        self.path = path
        self.reason = reason
    }

    init(_ file: String, _ error: PropertyListError) {
        self.init(file, error.reason, at: error.position, path: error.path)
        isOutOfMemory = error.isOutOfMemory
    }
}

extension SourceError: CustomStringConvertible {
    /// `Data.plist:12:5: in /Item 4: sentence.`, or `Data.plist: sentence.` for the file as a whole.
    public var description: String { SourcePlace(file: file, position: position, path: path).line(reason) }
}

/// Something in a source that can be read, but is probably not what its author meant.
public struct SourceWarning: Sendable, Equatable {
    /// The file as the user named it.
    public let file: String
    /// The warning, with its position in the file.
    public let warning: DocumentWarning
}

extension SourceWarning: CustomStringConvertible {
    /// `Data.plist:12:5: in /Item 4: sentence.`
    public var description: String {
        SourcePlace(file: file, position: warning.position, path: warning.path.isEmpty ? nil : warning.path).line(
            warning.message)
    }
}

/// The prefix of a sentence, in the form in which editors recognize a position.
struct SourcePlace {
    let file: String
    let position: SourcePosition?
    let path: String?

    func line(_ sentence: String) -> String {
        let place =
            switch position {
            case .text(let line, let column): "\(path: file):\(line):\(column): "
            case .byte(let offset): "\(path: file): byte \(offset): "
            case nil: "\(path: file): "
            }
        return place + (path.map { "in \($0): " } ?? "") + sentence + (sentence.hasSuffix("?") ? "" : ".")
    }
}

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

public import Levels

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

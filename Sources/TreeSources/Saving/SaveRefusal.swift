/// Why edits cannot be saved.
public struct SaveRefusal: Sendable, Equatable {
    /// A whole sentence for the client that edits, without the final full stop: why, and what would be right.
    public let reason: String

    /// - Parameter reason: must not name files of the server, because clients see it.
    package init(_ reason: String) { self.reason = reason }
}

extension SaveRefusal: CustomStringConvertible {
    /// The sentence with its full stop.
    public var description: String { reason + "." }
}

extension SaveRefusal {
    static let remoteDocument = SaveRefusal(
        "the document is fetched from another server; edit it there")
    static let standardInput = SaveRefusal(
        "the document was read from standard input, which cannot be written to; use a file")
    static let anyShape = SaveRefusal(
        "a document served with the shape 'any' cannot be edited; use the shape 'items'")
    static let settingsPage = SaveRefusal(
        "a settings page cannot be edited; only the values of its controls can be set")
    static let missingFile = SaveRefusal(
        "the document's file no longer exists; restore it, then repeat the edit")
    static let unreachableFile = SaveRefusal(
        "the document's file cannot be reached; give the server permission to search its folders")
    static let readOnlyFile = SaveRefusal(
        "the document's file is read-only; give the server permission to write to it")
    static let readOnlyFolder = SaveRefusal(
        "the folder of the document's file is read-only, and saving creates a new file there; give the server permission to write to it"
    )
    static let readOnlyFileSystem = SaveRefusal(
        "the file system of the document is mounted read-only; mount it for writing")
}

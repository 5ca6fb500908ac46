/// A file of the document, and what edits have made of it.
struct EditedFile: Sendable {
    /// The file before the edits, and as it is now; nil for a document of one file.
    let original: Composition?
    var current: Composition?
    /// The document of the file before the edits, and as it is now.
    let old: Level
    var new: Level
    var provenance = Provenance.same([])
    let syntax: FileSyntax
}

/// A file that edits have changed: what a writer needs to save it.
public struct ChangedFile: Sendable {
    /// The file as it was composed before the edits; nil for a document of one file.
    public let original: Composition?
    /// The document that the file has, and the one that it should have.
    public let old, new: Level
    /// Where the rows of `new` come from.
    public let provenance: Provenance
}

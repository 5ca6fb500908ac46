public import Levels

/// Edits of the tree that a watcher loaded last, of one or many requests, which are saved together.
///
/// A watcher makes it and only its thread uses it. Without a save nothing has happened.
public protocol EditGroup: AnyObject {
    /// Applies the edits of one request to the tree with the edits so far: all of them, or none.
    ///
    /// - Parameter author: who edits, for a source that logs it; nil for a token without a name.
    /// - Returns: nil if they must wait for the next group, because this one is complete or concerns another file.
    /// - Throws: `EditRefusal`; the group goes on as it was before.
    func apply(_ batch: EditBatch, by author: String?) throws(EditRefusal) -> EditedTree?

    /// Replaces the whole document; only as the first and only one of a group.
    ///
    /// - Parameters:
    ///   - bytes: a property list of any syntax; the file keeps its own.
    ///   - author: who edits, as for `apply`.
    /// - Throws: `EditRefusal` if a load would refuse it.
    func replaceDocument(with bytes: [UInt8], by author: String?) throws(EditRefusal) -> EditedTree

    /// Whether there is something to save that the tree does not show, such as a default that is stored by an edit.
    var hasUnshownChanges: Bool { get }

    /// Saves all edits, and returns when they are on disk.
    ///
    /// - Returns: the state of the source, which a load of the same content would have; nil if only a load can tell.
    /// - Throws: `SaveError`; the files and the loaded tree are as they were.
    func save() throws(SaveError) -> Fingerprint?

    /// Does what a save leaves to be done after its clients are answered, before anything else is asked of the watcher.
    func finish()
}

extension EditGroup {
    /// The tree shows everything.
    public var hasUnshownChanges: Bool { false }
}

/// The tree after the edits of a request.
public struct EditedTree: Sendable {
    public let document: Level
    public let translations: Translations?
    public let composition: Composition?
    /// The source's own name of the state that the save leads to; nil if the store is to name it.
    public let revision: SourceRevision?
    /// One for each edit of the batch, in the new document.
    public let items: [EditedItem]

    public init(
        document: Level, translations: Translations? = nil, composition: Composition? = nil,
        revision: SourceRevision? = nil, items: [EditedItem]
    ) {
        self.document = document
        self.translations = translations
        self.composition = composition
        self.revision = revision
        self.items = items
    }
}

/// Why edits were not saved; nothing has changed then, unless the outcome is unknown.
public enum SaveError: Error, Sendable {
    /// Someone else has changed the source since it was read: load it, unless its watcher has the newer trees, and apply
    /// the edits to the newest tree.
    case changedMeanwhile
    /// The source refuses one request of the group, for its client, by its number among those that were applied, from 0. The
    /// others may be saved without it.
    case refused(number: Int, EditRefusal)
    /// The source cannot be written to for the moment, and why, for the log.
    case busy(String)
    /// There is no connection to the source's database, and why, for the log.
    case away(String)
    /// The file system has no space left, or the quota is used up.
    case noSpace(String)
    /// There was no memory for the new content.
    case outOfMemory
    /// The file or its folder cannot be written to, and why, for the client.
    case unwritable(SaveRefusal)
    /// Anything else, for the log: which step failed, on which file, and the system's reason.
    case failed(String)
    /// A step failed and could not be undone for good, so that it is not known which content the file has after a power
    /// failure; for the log, as with `failed`.
    case unknown(String)
}

/// What edits of a source's tree can be saved to it.
public enum Savability: Sendable, Equatable {
    /// Every edit of an item.
    case items
    /// The values of the controls of a settings page.
    case controls
    /// No edit.
    case nothing(SaveRefusal)
}

/// Why edits cannot be saved.
public struct SaveRefusal: Sendable, Equatable {
    /// A whole sentence for the client that edits, without the final full stop: why, and what would be right.
    public let reason: String

    /// - Parameter reason: must not name files of the server, because clients see it.
    public init(_ reason: String) { self.reason = reason }
}

extension SaveRefusal: CustomStringConvertible {
    /// The sentence with its full stop.
    public var description: String { reason + "." }
}

extension SaveRefusal {
    static let remoteDocument = SaveRefusal(
        "the document is fetched from another server; edit it there")
    static let elsewhere = SaveRefusal("the document cannot be edited here; edit it in its own place")
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

extension EditRefusal {
    /// Why a source's edits cannot be saved, as an answer.
    public init(_ refusal: SaveRefusal) {
        let sentence = refusal.description
        self.init(.conflict, sentence.prefix(1).uppercased() + sentence.dropFirst())
    }
}

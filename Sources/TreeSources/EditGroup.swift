public import Levels

/// Edits of one or more requests on the latest loaded tree, to be saved together.
///
/// A watcher makes a group, and only the watcher's thread uses it. The thread calls `apply` for each request, then
/// `save`, then `finish`. Without a save, nothing changes.
public protocol EditGroup: AnyObject {
    /// Applies the edits of one request, all of them or none. The edits build on the earlier edits of the group.
    ///
    /// - Parameter author: the name of the client's token, for a source that logs it; nil for a token without a name.
    /// - Returns: nil if the edits must wait for the next group, because this group is complete, or because its edits
    ///   are of another file.
    /// - Throws: `EditRefusal` if the edits are refused. The group keeps its earlier edits and can continue.
    func apply(_ batch: EditBatch, by author: String?) throws(EditRefusal) -> EditedTree?

    /// Replaces the whole document. This must be the only request of the group.
    ///
    /// - Parameters:
    ///   - bytes: a property list of any syntax; the file keeps its syntax.
    ///   - author: as for `apply`.
    /// - Throws: `EditRefusal` if a load would refuse the document.
    func replaceDocument(with bytes: [UInt8], by author: String?) throws(EditRefusal) -> EditedTree

    /// Whether there are changes to save that are not visible in the tree, such as an edit that stores a control's
    /// default value.
    var hasUnshownChanges: Bool { get }

    /// Checks that the tree of this group is the latest state of the source. Called before requests are answered without
    /// a save, because they were refused or changed nothing.
    ///
    /// - Throws: `SaveError`; `changedMeanwhile` if the requests must be applied again to a newer tree.
    func confirm() throws(SaveError)

    /// Saves all edits, and returns when they are on disk.
    ///
    /// - Returns: the fingerprint that a load of the saved source would have; nil if only a load can determine the
    ///   fingerprint.
    /// - Throws: `SaveError`. The loaded tree is unchanged. Except for `SaveError.unknown`, the files are unchanged,
    ///   too.
    func save() throws(SaveError) -> Fingerprint?

    /// Finishes the work that `save` leaves for later, so that clients get their answers sooner. Must be called before
    /// any other use of the watcher.
    func finish()
}

extension EditGroup {
    /// Returns false, because all changes are visible in the tree.
    public var hasUnshownChanges: Bool { false }

    /// Does nothing. A source without a log is compared with its latest state when it is saved.
    public func confirm() throws(SaveError) {}
}

/// The tree after the edits of a request.
public struct EditedTree: Sendable {
    public let document: Level
    public let translations: Translations?
    public let composition: Composition?
    /// The source's own name for the saved state; nil to let the store name it.
    public let revision: SourceRevision?
    /// The edited items in the new document, one for each edit of the batch.
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

/// The reason why edits were not saved. Except for `unknown`, nothing has changed.
public enum SaveError: Error, Sendable {
    /// Another program has changed the source since it was read. Apply the edits again to the newest tree; load the
    /// source first, unless the watcher already has the newer trees.
    case changedMeanwhile
    /// The source refuses one request. `number` is the position of this request among the applied requests, from 0. The
    /// other requests can be saved without the refused one.
    case refused(number: Int, EditRefusal)
    /// The source cannot be written at the moment; the reason is for the log.
    case busy(String)
    /// The source's database is not connected; the reason is for the log.
    case away(String)
    /// The file system has no space left, or the quota is exceeded.
    case noSpace(String)
    /// Memory for the new content was refused.
    case outOfMemory
    /// The file or its folder is not writable; the reason is for the client.
    case unwritable(SaveRefusal)
    /// Any other failure. The text is for the log; it has the failed step, the file, and the system's reason.
    case failed(String)
    /// It is not known whether the edits were saved. A failed step could not be undone durably, or the connection to
    /// the database broke during the commit. The text is for the log, as with `failed`.
    case unknown(String)
}

/// The edits that can be saved to a source.
public enum Savability: Sendable, Equatable {
    /// All edits of items.
    case items
    /// The values of the controls of a settings page.
    case controls
    /// No edit.
    case nothing(SaveRefusal)
}

/// The reason why edits cannot be saved.
public struct SaveRefusal: Sendable, Equatable {
    /// For the client: the reason and the remedy, as a whole sentence without the final full stop.
    public let reason: String

    /// - Parameter reason: the sentence; it must not name files of the server, because clients see it.
    public init(_ reason: String) { self.reason = reason }
}

extension SaveRefusal: CustomStringConvertible {
    /// The reason with its full stop.
    public var description: String { reason + "." }
}

extension SaveRefusal {
    static let remoteDocument = SaveRefusal(
        "the document is fetched from another server; edit it there")
    static let elsewhere = SaveRefusal("the document cannot be edited here; edit it in its own place")
    static let anyShape = SaveRefusal(
        "a document of the shape 'any' cannot be edited; serve it with --shape natural, or without --shape")
    static let table = SaveRefusal(
        "a table in a file cannot be edited here; edit its file, or put it into a database, which can: drilldown import x.csv sqlite:x.db"
    )
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
    /// Turns the reason why a source cannot be edited into an answer.
    public init(_ refusal: SaveRefusal) {
        let sentence = refusal.description
        self.init(.conflict, detail: sentence.prefix(1).uppercased() + sentence.dropFirst())
    }
}

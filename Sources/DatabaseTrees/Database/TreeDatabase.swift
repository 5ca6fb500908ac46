import Threads
internal import TreeSources

/// A database that holds one tree: the table `items`, the counter `head`, and the log of its revisions.
///
/// One thread uses it. Each call except `addWaits` and `isWoken` may wait for the database. After a lost connection the
/// next call connects again.
protocol TreeDatabase: AnyObject {
    /// The address as the user gave it, without a password.
    var name: String { get }

    /// Reads all items in one snapshot, in no particular order.
    ///
    /// - Parameter body: called for each row; the span of its `fields` is valid during the call.
    /// - Returns: the counter in the same snapshot.
    func readItems(
        _ body: (_ place: ItemPlace, _ fields: Span<UInt8>) throws(DatabaseError) -> Void
    ) throws(DatabaseError) -> TreeHead

    /// Reads the revisions after a known revision, with their changes.
    ///
    /// - Parameter last: the latest revision that is known, with its mark.
    /// - Returns: nil if the log does not continue from it, so that the tree must be loaded: the log was trimmed, the
    ///   changes of a revision are not in it, or an older copy replaced the database. In the last case, the counter
    ///   has a new epoch from then on, which the next commit writes.
    func revisions(after last: TreeHead) throws(DatabaseError) -> [LoggedRevision]?

    /// Reads the latest revisions up to a known revision, in ascending order, without their changes.
    func history(upTo last: TreeHead, limit: Int) throws(DatabaseError) -> [LoggedRevision]

    /// Writes one revision for each request, all of them in one transaction, and returns when they are on disk.
    ///
    /// - Parameter last: the revision that the requests were applied to.
    /// - Throws: `CommitError`; nothing was written then, unless the outcome is unknown.
    func commit(_ requests: [RevisionWrite], after last: TreeHead) throws(CommitError)

    /// Sets a closure that is called when the connection breaks during a commit, before the commit waits until its
    /// outcome is known.
    func whenInDoubt(_ report: @escaping (DatabaseError) -> Void)

    /// Reserves ids for new items; no other program gets them.
    func reserveIDs(_ count: Int) throws(DatabaseError) -> [Int64]

    /// The number of connections that are open, and the number of connections made so far.
    var connections: (open: Int, made: Int) { get }

    /// The numbers of commits whose connection broke, by their outcome.
    var doubts: DatabaseWork.Doubts { get }

    /// The reason for refusing writes, for the client; nil if writing may succeed. Cheap to call.
    var readOnlyReason: String? { get }

    /// Adds what to wait for until another program has probably written.
    func addWaits(to waits: inout WaitSet)

    /// Whether the database may have news: it has reported some, or it is time to look. Does not block.
    func isWoken(at now: ContinuousClock.Instant) -> Bool

    /// Starts to write a whole tree: in a new schema or file, or in place of an existing tree.
    ///
    /// - Parameters:
    ///   - keys: the names of structural keys as `--keys` has them; nil for the usual ones.
    ///   - replaces: whether to replace an existing tree; otherwise, an existing tree is an error.
    func beginImport(keys: String?, replaces: Bool) throws(DatabaseError) -> any TreeImport
}

extension TreeDatabase {
    /// Does nothing: without a connection that may break, the outcome of each commit is known.
    func whenInDoubt(_ report: @escaping (DatabaseError) -> Void) {}
}

/// A whole tree that is written in one transaction. Without `finish`, nothing has changed.
protocol TreeImport: AnyObject {
    /// Writes a row; parents come before their children.
    func add(_ place: ItemPlace, fields: Span<UInt8>) throws(DatabaseError)
    /// Commits, and returns when the tree is on disk.
    func finish() throws(DatabaseError)
}

/// The counter of a tree: its latest revision, and the beginning of its log.
struct TreeHead: Sendable, Equatable {
    /// The version of the schema.
    static let format = 1

    /// A random name, the same until an older copy replaces the database.
    var epoch: String
    /// The number of the latest revision.
    var revision: Int64
    /// The mark of the latest revision, a random UUID in lower case; nil if the log lacks the revision.
    var mark: String?
    /// The time of the latest revision, in seconds since 1970.
    var date: Double
    /// The first revision whose changes are in the log.
    var oldest: Int64
    /// The names of structural keys as `--keys` has them; nil for the usual ones.
    var keys: String?
}

extension TreeHead {
    /// The name of a revision that clients see, as `k3f9ab-1207`.
    func name(of revision: Int64) -> String { "\(epoch)-\(revision)" }
}

/// The columns of a row of `items`, without `fields`.
struct ItemPlace: Sendable, Equatable {
    /// 0 for the root.
    var id: Int64
    /// Nil for the root.
    var parent: Int64?
    /// The number of the place for rows in the parent's fields.
    var section: Int
    /// Orders the rows of a section; ties are in the order of ids.
    var position: Int64
}

/// A row of `items`.
struct ItemRow: Sendable, Equatable {
    var place: ItemPlace
    /// JSON, in UTF-8.
    var fields: [UInt8]
}

/// The change of one item in a revision.
enum ItemChange: Sendable, Equatable {
    /// The item is new, or was changed: the row as it is now.
    case row(ItemRow)
    /// The item was deleted, with everything below it.
    case gone(Int64)
}

/// A revision in the log.
struct LoggedRevision: Sendable {
    var number: Int64
    var mark: String?
    /// In seconds since 1970.
    var date: Double
    /// The author: the name of the token of a server's edit, or the role of another program; nil if unnamed.
    var author: String?
    var writer: Writer
    var changes: [ItemChange]

    /// The kind of program that wrote a revision.
    enum Writer: Sendable, Equatable {
        case server, importer, other

        /// - Parameter text: `import`, text that begins with `server`, or nil for any other program.
        init(_ text: String?) {
            self = text == "import" ? .importer : text?.hasPrefix("server") == true ? .server : .other
        }
    }
}

/// The edits of one client's request, which become one revision.
struct RevisionWrite: Sendable {
    /// The name of the client's token; nil for a token without a name.
    var author: String?
    /// A random UUID in lower case, by which the revision is found again when the outcome of a commit is unknown.
    var mark: String
    /// The time of the request in milliseconds since 1970, which is the precision of the database, so that all servers
    /// show the same time.
    var date = Int64(WallClock.now * 1_000)
    /// The changes of rows, in an order in which each can be written.
    var writes: [ItemWrite]
}

/// One statement of an edit.
enum ItemWrite: Sendable, Equatable {
    case insert(ItemRow)
    /// An existing row gets other fields and another place.
    case update(ItemRow)
    /// An existing row gets other fields; its place stays as it is.
    case fields(ItemRow)
    /// An existing row gets another place; its fields stay as they are.
    case place(ItemPlace)
    /// The item is deleted, with everything below it.
    case delete(Int64)
}

/// The reason why a database cannot be read or written.
package struct DatabaseError: Error, Sendable, Equatable {
    /// The kind of an error, on which the reaction of a caller depends.
    package enum Kind: Sendable, Equatable {
        /// The connection was lost or cannot be made; a later call connects again.
        case away
        /// Another program holds a lock.
        case busy
        /// The disk is full.
        case noSpace
        /// Nothing can be written here.
        case readOnly
        /// A statement was interrupted at the end of its time.
        case timeout
        /// The server refuses the statement.
        case refused
        /// Any other error; the operator must correct its cause.
        case other
    }

    package var kind: Kind
    /// A sentence without its full stop: the fault and its remedy, without SQL and passwords.
    package var reason: String

    package init(kind: Kind, reason: String) { (self.kind, self.reason) = (kind, reason) }
}

/// The reason why a commit has failed.
enum CommitError: Error, Sendable, Equatable {
    /// Someone else has committed since the revision that the requests were applied to.
    case changedMeanwhile
    /// A constraint or a trigger of the database's owner refuses a request, by its number from 0: the database's own
    /// message, and the constraint's name if it has one.
    case refused(number: Int, message: String, constraint: String?)
    /// The database cannot be written to.
    case failed(DatabaseError)
    /// The connection broke during the commit, and it could not be found out whether the revisions were written.
    case unknown(String)
}

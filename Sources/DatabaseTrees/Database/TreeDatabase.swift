import Threads
internal import TreeSources

/// A database that holds one tree: the table `items`, the counter `head`, and the log of its revisions.
///
/// Only one thread uses an instance. Each method except `addWaits` and `isWoken` may wait for the database. If the
/// connection was lost, the next call connects again.
protocol TreeDatabase: AnyObject {
    /// The address as the user gave it, without a password.
    var name: String { get }

    /// Reads all items in one snapshot, in no particular order.
    ///
    /// - Parameter body: called for each row; the span of its `fields` is valid during the call. It is empty if the
    ///   fields have more than `ItemRow.mostBytes`.
    /// - Returns: the counter, read in the same snapshot.
    func readItems(
        _ body: (_ place: ItemPlace, _ fields: Span<UInt8>) throws(DatabaseError) -> Void
    ) throws(DatabaseError) -> TreeHead

    /// Reads the revisions after a known revision, with their changes.
    ///
    /// - Parameter last: the latest revision that is known, with its mark.
    /// - Returns: the revisions; nil if the tree must be loaded, because the log does not continue from `last`. Either
    ///   the log was trimmed, or it lacks the changes of a revision, or an older copy has replaced the database. In the
    ///   last case, the counter has a new epoch from then on, and the next commit writes the new epoch.
    func revisions(after last: TreeHead) throws(DatabaseError) -> [LoggedRevision]?

    /// Reads the latest revisions up to a known revision, in ascending order, without their changes.
    func history(upTo last: TreeHead, limit: Int) throws(DatabaseError) -> [LoggedRevision]

    /// Writes one revision for each request, all of them in one transaction, and returns when they are on disk.
    ///
    /// - Parameter last: the revision that the requests were applied to.
    /// - Throws: `CommitError`. Nothing was written, unless the error is `unknown`.
    func commit(_ requests: [RevisionWrite], after last: TreeHead) throws(CommitError)

    /// Checks that a revision is still the latest one, where edits are written.
    ///
    /// - Throws: `CommitError`; `changedMeanwhile` if there is a newer revision, or the revision is no longer there.
    func confirm(_ last: TreeHead) throws(CommitError)

    /// Sets the closure that is called when the connection breaks during a commit, before the outcome of the commit is
    /// known.
    func whenInDoubt(_ report: @escaping (DatabaseError) -> Void)

    /// Returns ids for new items. No item has these ids, and no later call returns them again. In a SQLite file,
    /// another program may still use one of the ids; a commit then fails with `changedMeanwhile`.
    func reserveIDs(_ count: Int) throws(DatabaseError) -> [Int64]

    /// The number of connections that are open, and the number of connections made so far.
    var connections: (open: Int, made: Int) { get }

    /// The numbers of commits during which the connection broke, by outcome.
    var doubts: DatabaseWork.Doubts { get }

    /// Adds the events and the time to wait for. After one of them, another program may have written.
    func addWaits(to waits: inout WaitSet)

    /// Whether another program may have written: an event has arrived, or the next look at the database is due. Does
    /// not block.
    func isWoken(at now: ContinuousClock.Instant) -> Bool

    /// Starts to write a whole tree: into a new schema or file, or in place of an existing tree.
    ///
    /// - Parameters:
    ///   - keys: the names of structural keys in the format of `--keys`; nil for the default names.
    ///   - replaces: whether to replace an existing tree; otherwise, an existing tree is an error.
    func beginImport(keys: String?, replaces: Bool) throws(DatabaseError) -> any TreeImport
}

extension TreeDatabase {
    /// Does nothing: without a connection that may break, the outcome of each commit is known.
    func whenInDoubt(_ report: @escaping (DatabaseError) -> Void) {}
}

/// Writes a whole tree in one transaction. Nothing changes before `finish`.
protocol TreeImport: AnyObject {
    /// Writes a row. Parents must be written before their children.
    func add(_ place: ItemPlace, fields: Span<UInt8>) throws(DatabaseError)
    /// Commits, and returns when the tree is on disk.
    func finish() throws(DatabaseError)
}

/// The counter of a tree: its latest revision, and the beginning of its log.
struct TreeHead: Sendable, Equatable {
    /// The version of the schema.
    static let format = 1

    /// A random name, which stays the same until an older copy replaces the database.
    var epoch: String
    /// The number of the latest revision.
    var revision: Int64
    /// The mark of the latest revision, a random UUID in lower case; nil if the log lacks the revision.
    var mark: String?
    /// The time of the latest revision, in seconds since 1970.
    var date: Double
    /// The first revision whose changes are in the log.
    var oldest: Int64
    /// The names of structural keys in the format of `--keys`; nil for the default names.
    var keys: String?
}

extension TreeHead {
    /// The name of a revision for clients, such as `k3f9ab-1207`.
    func name(of revision: Int64) -> String { "\(epoch)-\(revision)" }

    /// The error for a tree without its row in the table `head`.
    static let missing = DatabaseError(
        kind: .other, reason: "the tree has no row in its table 'head'; restore it, or import it again")

    /// The error for numbers of another program with which the server cannot count; nil for numbers without overflow.
    var fault: DatabaseError? {
        let numbers = 0...Int64.max / 2
        guard !numbers.contains(revision) || !numbers.contains(oldest) else { return nil }
        return DatabaseError(
            kind: .other,
            reason:
                "the table 'head' has the revision \(revision), and \(oldest) as the oldest; set both to numbers from 0 to 2^62"
        )
    }

    /// Returns the error for a tree of another format than this program reads; nil for a tree of this format.
    static func fault(ofFormat found: Int64) -> DatabaseError? {
        guard found != format else { return nil }
        return DatabaseError(
            kind: .other,
            reason:
                "the tree has the format \(found), and this program reads the format \(format); use a newer drilldown")
    }
}

/// An epoch that a server gives to a tree in place of the epoch in the database. A commit of the server writes it.
struct NewEpoch {
    /// The epoch in the database.
    let old: String
    let new = RandomNames.epoch()
}

extension TreeHead {
    /// Replaces the epoch by a new one. Forgets the new epoch if the database no longer has the old one.
    mutating func adopt(_ newEpoch: inout NewEpoch?) {
        if newEpoch?.old != epoch { newEpoch = nil }
        epoch = newEpoch?.new ?? epoch
    }
}

/// The columns of a row of `items`, without `fields`.
struct ItemPlace: Sendable, Equatable {
    /// The id of the item; 0 for the root.
    var id: Int64
    /// The id of the item above; nil for the root.
    var parent: Int64?
    /// The number of the row's section, from 0. The parent's fields have a place for the rows of each section.
    var section: Int
    /// The rows of a section are in ascending order of their positions. Rows with equal positions are in the order of
    /// their ids.
    var position: Int64

    /// Whether the item or its parent has the id that stands for no item in memory.
    var hasReservedID: Bool { id == .min || parent == .min }
}

/// A row of `items`.
struct ItemRow: Sendable, Equatable {
    var place: ItemPlace
    /// The fields of the item as JSON, in UTF-8. Empty if the column has more than the bytes that are read.
    var fields: [UInt8]

    /// The maximum size of an item's fields, in bytes.
    static let mostBytes = 512 << 20
}

/// The change of one item in a revision.
enum ItemChange: Sendable, Equatable {
    /// The item is new or has changed. Holds the row after the change.
    case row(ItemRow)
    /// The item with this id was deleted, with everything below it.
    case gone(Int64)
}

/// A revision in the log.
struct LoggedRevision: Sendable {
    var number: Int64
    var mark: String?
    /// The time of the revision, in seconds since 1970.
    var date: Double
    /// The author of the revision: the name of the client's token if a server wrote the revision, or the role of
    /// another program; nil if the author is unnamed.
    var author: String?
    var writer: Writer
    var changes: [ItemChange]

    /// Returns a time in seconds since 1970; 0 for a time of another program beyond the years 1 to 9999.
    static func date(_ seconds: Double?) -> Double {
        seconds.flatMap { (-62_135_596_800..<253_402_300_800).contains($0) ? $0 : nil } ?? 0
    }

    /// The largest number of changed rows that the log holds for a revision. A revision with more rows is logged
    /// without its rows and marked as whole. Servers then load the tree again.
    static let mostChanges = 10_000

    /// The kind of program that wrote a revision.
    enum Writer: Sendable, Equatable {
        case server, importer, other

        /// - Parameter text: the value of the column `writer`. `import` stands for an import, and text that begins with
        ///   `server` stands for a server. Any other value stands for another program.
        init(_ text: String?) {
            self = text == "import" ? .importer : text?.hasPrefix("server") == true ? .server : .other
        }
    }
}

/// The edits of one client's request, which become one revision.
struct RevisionWrite: Sendable {
    /// The name of the client's token; nil for a token without a name.
    var author: String?
    /// A random UUID in lower case. If the outcome of a commit is unknown, the revision is looked up by its mark.
    var mark: String
    /// The time of the request, in milliseconds since 1970. Databases store the milliseconds exactly, so all servers
    /// show the same time.
    var date = Int64(WallClock.now * 1_000)
    /// The changes to rows, in the order in which they must be written.
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

    var isDelete: Bool { if case .delete = self { true } else { false } }
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
        /// This program lacks the permission to write, or the database is read-only.
        case readOnly
        /// A statement exceeded its time limit and was interrupted.
        case timeout
        /// The server refuses the statement.
        case refused
        /// A value is larger than the limit of the connection.
        case tooLarge
        /// Any other error; the operator must correct its cause.
        case other
    }

    package var kind: Kind
    /// A sentence without its full stop, about the fault and its remedy. It contains neither SQL nor passwords.
    package var reason: String

    package init(kind: Kind, reason: String) { (self.kind, self.reason) = (kind, reason) }
}

/// The reason why a commit has failed.
enum CommitError: Error, Sendable, Equatable {
    /// Another program has committed after the revision that the requests were applied to.
    case changedMeanwhile
    /// A constraint or a trigger of the database refuses a request. Holds the request's number from 0, the message of
    /// the database, and the constraint's name if a constraint is the reason.
    case refused(number: Int, message: String, constraint: String?)
    /// The database cannot be written to.
    case failed(DatabaseError)
    /// The connection broke during the commit. Whether the revisions were written could not be determined.
    case unknown(String)

    /// The refusal of a request whose rows were not written as the server wrote them.
    static func otherThanPlanned(number: Int) -> CommitError {
        .refused(
            number: number,
            message: "a row is not in the table, or a trigger suppresses the edit or changes rows besides",
            constraint: nil)
    }
}

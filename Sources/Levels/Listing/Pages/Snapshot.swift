/// One immutable state of the whole tree. A request holds a snapshot until its response is complete.
///
/// A store makes a snapshot for each load and each edit. Two snapshots share the levels that are equal in both.
public final class Snapshot: Sendable {
    /// The cause of a publication.
    public enum Cause: Sendable, Equatable {
        /// The source was loaded.
        case load
        /// A client edited the document. `author` is the name of the client's token, if any.
        case edit(author: String?)
        /// Another program changed the database. `author` is the name of the program's role; nil if the role is not
        /// known.
        case database(author: String?)
        /// The whole tree was imported again.
        case importer
    }

    /// A level whose one row is the root item.
    public let document: Level
    /// The source of answers; nil if the document itself is the source.
    public let rows: (any RowSource)?
    /// The document in other languages, if any.
    public let translations: Translations?
    /// How a document was read as it is, as a sentence without its full stop; otherwise nil.
    public let reading: String?
    /// An opaque name of this state, such as `k3f9ab-12`. After a restart the state has another name, unless the source
    /// named it.
    public let revision: String
    /// Whether the source named the revision, so that the name is the same on every server and after a restart.
    public let isNamedBySource: Bool
    /// The parts of the source's name of the revision; nil if the source gave it none.
    private let name: RevisionName?
    /// The time of loading, in seconds since 1970.
    public let loadedAt: Double
    /// The files of a composed tree; nil for one file.
    public let composition: Composition?
    /// The cause of the publication.
    public let cause: Cause
    /// If the state was loaded, the entries of the source's log up to this state, the oldest first. Empty without a
    /// log, or if the state directly follows the previously published state.
    public let history: [RevisionEntry]

    /// Takes the document when the last reference to the snapshot is released; nil to free the document at once.
    private let release: (@Sendable (Level) -> Void)?

    /// - Parameters:
    ///   - rows: the source of answers; nil for the document itself.
    ///   - translations: the document in other languages.
    ///   - reading: how the document was read, if it was read as it is.
    ///   - isNamedBySource: whether the source gave the revision its name.
    ///   - history: the entries of the source's log up to this state, the oldest first.
    ///   - release: takes the document, on the thread that releases the last reference to the snapshot; nil to free the
    ///     document on that thread.
    public init(
        document: Level, rows: (any RowSource)? = nil, translations: Translations? = nil, reading: String? = nil,
        revision: String,
        isNamedBySource: Bool = false, loadedAt: Double, composition: Composition? = nil, cause: Cause = .load,
        history: [RevisionEntry] = [], release: (@Sendable (Level) -> Void)? = nil
    ) {
        self.document = document
        self.rows = rows
        self.translations = translations
        self.reading = reading
        self.revision = revision
        self.isNamedBySource = isNamedBySource
        name = isNamedBySource ? RevisionName(revision) : nil
        self.loadedAt = loadedAt
        self.composition = composition
        self.cause = cause
        self.history = history
        self.release = release
    }

    deinit { release?(document) }

    /// The number of items, not counting the root.
    public var itemCount: Int { document.itemCount - 1 }
}

extension Snapshot {
    /// Returns the variant of the document with a number, or else the variant for clients that accept none of the
    /// languages. For nil, returns the document as written.
    @inline(__always)
    public func document(in number: UInt64?) -> Level {
        guard let number, let translations else { return document }
        return translations.variant(number)?.document ?? document
    }
}

extension Snapshot.Cause: CustomStringConvertible {
    /// The origin of the change, in the form of `by` in `/changes` and in the log, such as `edit alice` or
    /// `database alice`.
    public var description: String {
        switch self {
        case .load: "reload"
        case .edit(nil): "edit"
        case .edit(let author?): "edit \(author)"
        case .database(nil): "database"
        case .database(let author?): "database \(author)"
        case .importer: "import"
        }
    }
}

/// An entry of a source's log: a revision, its time and its cause.
public struct RevisionEntry: Sendable, Equatable {
    /// The source's name of the revision.
    public let name: String
    /// The time of the revision, in seconds since 1970.
    public let date: Double
    /// The cause of the revision.
    public let cause: Snapshot.Cause

    public init(name: String, date: Double, cause: Snapshot.Cause) {
        (self.name, self.date, self.cause) = (name, date, cause)
    }
}

/// The parts of a revision's name: `k3f9ab-1207` is number 1207 of the epoch `k3f9ab`.
public struct RevisionName: Sendable, Equatable {
    /// The name of the history that the revision belongs to.
    public let epoch: String
    /// The number of the revision in its history. It is one more than the number of the previous revision.
    public let number: Int

    private init(epoch: String, number: Int) { (self.epoch, self.number) = (epoch, number) }

    /// Reads a name; nil unless it ends with `-` and a number.
    public init?(_ text: String) {
        guard let dash = text.utf8.lastIndex(of: UInt8(ascii: "-")), dash > text.startIndex else { return nil }
        let digits = text[text.index(after: dash)...]
        guard digits.utf8.allSatisfy({ UInt8(ascii: "0")...UInt8(ascii: "9") ~= $0 }), let number = Int(digits) else {
            return nil
        }
        self.init(epoch: String(text[..<dash]), number: number)
    }

    /// The name of the previous revision.
    public var previous: RevisionName { RevisionName(epoch: epoch, number: number - 1) }

    /// The name as clients see it.
    public var text: String { "\(epoch)-\(number)" }
}

extension Snapshot {
    /// Whether this snapshot belongs to the same history as the snapshot that it replaces, and is newer.
    ///
    /// Always true if the source does not name its revisions. Otherwise, false after the source was replaced, for
    /// example by an older copy.
    public func continues(_ old: Snapshot) -> Bool {
        guard let own = name, let earlier = old.name else { return true }
        return own.epoch == earlier.epoch && own.number > earlier.number
    }

    /// The entries of the revisions that were published, or missed, since the snapshot that this snapshot replaces. The
    /// last entry is this snapshot's own.
    ///
    /// - Parameter old: the snapshot that this snapshot replaces; nil for the first snapshot.
    /// - Returns: the whole history for the first snapshot, and for a snapshot that does not continue the old one; only
    ///   the entry of this snapshot if the history does not reach back to the old one.
    public func entries(after old: Snapshot?) -> [RevisionEntry] {
        guard let old, continues(old) else { return history }
        if let own = name, let earlier = old.name {
            let missed = own.number - earlier.number
            if missed > 1, history.count >= missed { return Array(history.suffix(missed)) }
        }
        return [RevisionEntry(name: revision, date: loadedAt, cause: cause)]
    }
}

/// The rows below an item of a document. They are not in memory, but are read for each answer.
public protocol ItemRows: RowsElsewhere {
    /// Returns the source of the rows below an item of a document.
    func rows(below item: Item) -> any RowSource
}

extension Snapshot {
    /// Whether the snapshot was published because the database of an item has changed.
    public var isCommitElsewhere: Bool {
        guard case .database = cause else { return false }
        return composition?.holdsRowsElsewhere == true
    }

    /// The source of the rows at a path, if the path leads to an item whose rows are not in memory, or to one of these
    /// rows; otherwise nil.
    public func rowsElsewhere(at path: ItemPath) -> (any RowSource)? {
        guard let composition, composition.holdsRowsElsewhere else { return nil }
        let item: Item
        switch Item.find(path, in: document) {
        case .found(let found): item = found
        case .missing(let nearest, _): item = nearest
        }
        guard item.level?.countElsewhere != nil else { return nil }
        let (file, own) = composition.origin(of: item)
        var part = own.own.level.part(own.own.row).flatMap { file.parts[$0] }
        // The root of a mounted document may have the rows.
        while case .composed(let mounted)? = part { part = mounted.source.part(0).flatMap { mounted.parts[$0] } }
        guard case .elsewhere(let rows)? = part else { return nil }
        return (rows as? any ItemRows)?.rows(below: item)
    }
}

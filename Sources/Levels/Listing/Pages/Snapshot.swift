/// One immutable state of the whole tree; a reader holds it during the whole response.
public final class Snapshot: Sendable {
    /// Why a snapshot was published.
    public enum Cause: Sendable, Equatable {
        /// The source was loaded.
        case load
        /// A client edited the document; the name of its token, if any.
        case edit(author: String?)
    }

    /// A level whose one row is the root item.
    public let document: Level
    /// What answers instead of the document; nil if that does.
    public let rows: (any RowSource)?
    /// The document in other languages, if any.
    public let translations: Translations?
    /// An opaque name of this state, such as `k3f9ab-12`; it differs after a restart.
    public let revision: String
    /// The time of loading, in seconds since 1970.
    public let loadedAt: Double
    /// The files of a composed tree; nil for one file.
    public let composition: Composition?
    /// Why it was published.
    public let cause: Cause

    /// Takes over the tree from the last reader; without it, that reader frees the tree.
    private let release: (@Sendable (Level) -> Void)?

    /// - Parameters:
    ///   - rows: the source of answers; nil for the document itself.
    ///   - translations: the document in other languages.
    ///   - release: takes over the document on the last reader's thread; without it, that thread frees the document.
    public init(
        document: Level, rows: (any RowSource)? = nil, translations: Translations? = nil, revision: String,
        loadedAt: Double,
        composition: Composition? = nil, cause: Cause = .load,
        release: (@Sendable (Level) -> Void)? = nil
    ) {
        self.document = document
        self.rows = rows
        self.translations = translations
        self.revision = revision
        self.loadedAt = loadedAt
        self.composition = composition
        self.cause = cause
        self.release = release
    }

    deinit { release?(document) }

    /// The number of items, not counting the root.
    public var itemCount: Int { document.itemCount - 1 }
}

extension Snapshot {
    /// The document in the language of a variant's number, or else for clients that accept none of the languages; for
    /// nil, the document as written.
    @inline(__always)
    public func document(in number: UInt64?) -> Level {
        guard let number, let translations else { return document }
        return translations.variant(number)?.document ?? document
    }
}

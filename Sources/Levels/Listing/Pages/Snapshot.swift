/// One immutable state of the whole tree; a reader holds it for the whole response.
public final class Snapshot: Sendable {
    /// Why a snapshot was published.
    public enum Cause: Sendable, Equatable {
        /// The source was loaded.
        case load
        /// A client edited the document: the name of its token, nil for one without a name.
        case edit(author: String?)
    }

    /// A level whose one row is the root item.
    public let document: Level
    /// What answers instead of the document; nil if that does.
    public let rows: (any RowSource)?
    /// The document in other languages; nil if it has no translations.
    public let translations: Translations?
    /// An opaque name of this state, such as `k3f9ab-12`; it differs after a restart.
    public let revision: String
    /// The time of loading, in seconds since 1970.
    public let loadedAt: Double
    /// The files of a tree that was composed of several; nil for one file.
    public let composition: Composition?
    /// Why it was published.
    public let cause: Cause

    /// Takes the tree over when the last reader releases it; if nil, that reader frees it.
    private let release: (@Sendable (Level) -> Void)?

    /// - Parameters:
    ///   - rows: what answers instead of the document; nil if that does.
    ///   - translations: the document in other languages.
    ///   - release: takes the document over on the thread of the last reader, when that reader releases it; if nil,
    ///     that thread frees the document itself.
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
    /// The document in a language, or else in the one for clients that accept none.
    ///
    /// - Parameter number: the number of a variant; nil for the document as it is written.
    @inline(__always)
    public func document(in number: UInt64?) -> Level {
        guard let number, let translations else { return document }
        return translations.variant(number)?.document ?? document
    }
}

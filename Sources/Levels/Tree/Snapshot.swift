public import Levels

/// One immutable state of the whole tree; a reader holds it for the whole response.
public final class Snapshot: Sendable {
    /// A level whose one row is the root item.
    public let document: Level
    /// An opaque name of this state, as `k3f9ab-12`; another after a restart.
    public let revision: String
    /// When it was loaded, in seconds since 1970.
    public let loadedAt: Double

    /// Receives the tree when the last reader releases it; if nil, that reader frees it.
    private let released: ReleasedTrees?

    public convenience init(document: Level, revision: String, loadedAt: Double) {
        self.init(document: document, revision: revision, loadedAt: loadedAt, released: nil)
    }

    init(document: Level, revision: String, loadedAt: Double, released: ReleasedTrees?) {
        self.document = document
        self.revision = revision
        self.loadedAt = loadedAt
        self.released = released
    }

    deinit { released?.take(document) }

    /// The number of items, not counting the root.
    public var itemCount: Int { document.itemCount - 1 }
}

internal import Synchronization

/// How much of a document has been read so far, for another thread to look at.
///
/// One thread counts, in steps of some kilobytes and some thousand items; each step is a relaxed store.
public final class ReadingProgress: Sendable {
    private let byteCount = Atomic(0)
    private let itemCount = Atomic(0)

    public init() {}

    /// The bytes that were read; those that were read twice count twice.
    public var bytes: Int { byteCount.load(ordering: .relaxed) }

    /// The items that were built, rounded down.
    public var items: Int { itemCount.load(ordering: .relaxed) }

    /// How many items a builder lets pass before it counts them.
    public static let itemStep = 4_096

    /// Counts bytes.
    public func add(bytes: Int) { byteCount.store(self.bytes + bytes, ordering: .relaxed) }

    /// Counts items.
    public func add(items: Int) { itemCount.store(self.items + items, ordering: .relaxed) }

    /// Begins again at zero.
    public func reset() {
        byteCount.store(0, ordering: .relaxed)
        itemCount.store(0, ordering: .relaxed)
    }
}

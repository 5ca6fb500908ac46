import Levels
import Locking
internal import TreeSources

/// The state that the store's thread shares with all others.
final class StoreState: Sendable {
    private let current: Guarded<Snapshot>
    private let status = Guarded(StoreStatus.ok)
    private let subscribers = Guarded<[@Sendable (Snapshot, Snapshot) -> Void]>([])

    init(_ first: Snapshot) { current = Guarded(first) }

    /// The published snapshot.
    var snapshot: Snapshot { current.withLock { $0 } }

    /// Whether the latest load was published.
    var storeStatus: StoreStatus {
        get { status.withLock { $0 } }
        set { status.withLock { $0 = newValue } }
    }

    /// Publishes a snapshot and notifies the subscribers.
    func publish(_ new: Snapshot) {
        // Held while they are notified, so that each receives the snapshots in order, and none twice.
        subscribers.withLock { subscribers in
            let old = snapshot
            current.withLock { $0 = new }
            for subscriber in subscribers { subscriber(old, new) }
        }
    }

    func subscribe(after seen: Snapshot, _ subscriber: @escaping @Sendable (Snapshot, Snapshot) -> Void) {
        subscribers.withLock { subscribers in
            let now = snapshot
            if now !== seen { subscriber(seen, now) }
            subscribers.append(subscriber)
        }
    }
}

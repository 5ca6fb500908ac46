import Levels
import Locking
internal import TreeSources

/// The state that the store's thread shares with all others.
final class StoreState: Sendable {
    let publications: Publications
    private let notifier: Notifier
    private let status = Guarded(StoreStatus.ok)

    init(_ first: Snapshot, historyBytes: Int, notifier: Notifier) {
        publications = Publications(first, historyBytes: historyBytes, hasTurns: true) { notifier.ring() }
        self.notifier = notifier
    }

    /// The published snapshot.
    var snapshot: Snapshot { publications.current.snapshot }

    /// Whether the latest load was published.
    var storeStatus: StoreStatus {
        get { status.withLock { $0 } }
        set { status.withLock { $0 = newValue } }
    }

    /// Publishes a snapshot that was loaded; its subscribers are notified on the notifier's thread.
    func publish(_ new: Snapshot) {
        // Before the snapshot is visible, so that nobody sees it as stale.
        storeStatus = .ok
        publications.publish(new)
        waitForSubscribers()
    }

    /// Ends the turn in which something was published, and waits while the subscribers lag too far behind.
    func waitForSubscribers() {
        publications.endTurn()
        notifier.waitForRoom(publications)
    }
}

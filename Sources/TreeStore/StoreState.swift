internal import Glibc
import Levels
import Locking
internal import Synchronization
internal import Threads
internal import TreeSources

/// The state that the store's thread shares with all others.
final class StoreState: Sendable {
    let publications: Publications
    private let notifier: Notifier
    private let status = Guarded(StoreStatus.ok)
    private let connection = Guarded<DatabaseConnection?>(nil)

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

    /// The connection to the source's database; nil for a source that is not one.
    var databaseConnection: DatabaseConnection? { connection.withLock { $0 } }

    /// Notes whether the source's database is connected; nil for a source that is not one.
    func note(isConnected: Bool?) {
        connection.withLock { connection in
            guard isConnected != connection?.isConnected else { return }
            connection = isConnected.map { DatabaseConnection(isConnected: $0, since: WallClock.now) }
        }
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

/// The thread that notifies subscribers of publications, at the usual priority; it sleeps while there is nothing to tell.
final class Notifier: Sendable {
    /// Wakes the thread.
    private let bell: Wakeup
    /// Wakes a publisher that waits for room.
    private let room: Wakeup
    private let isStopping = Atomic(false)
    private let isUnlimited = Atomic(false)

    /// How far the thread may lag behind: each publication that it has not told of holds a tree.
    private static let limit = 8

    /// - Throws: `SystemCallError` if the system has no descriptor left.
    init() throws(SystemCallError) {
        bell = try Wakeup()
        room = try Wakeup()
    }

    /// Starts the thread; the caller's niceness is its own.
    ///
    /// - Throws: `SystemCallError` if the system starts no more threads.
    func start(_ publications: Publications) throws(SystemCallError) -> Thread {
        try Thread(name: "notifier") { self.run(publications) }
    }

    /// Has the thread notify the subscribers; returns at once.
    func ring() { bell.signal() }

    /// Waits while the thread lags too far behind.
    func waitForRoom(_ publications: Publications) {
        while publications.pendingCount >= Self.limit, !isUnlimited.load(ordering: .acquiring) { room.wait() }
    }

    /// Ends the limit, so that no publisher waits any more, even if this is called on the thread itself.
    func endLimit() {
        isUnlimited.store(true, ordering: .releasing)
        room.signal()
    }

    /// Has the thread end when it has told everything; returns at once.
    func stop() {
        isStopping.store(true, ordering: .releasing)
        bell.signal()
    }

    private func run(_ publications: Publications) {
        var isLast = false
        while !isLast {
            bell.wait()
            // Asked first, so that what was published before the stop is told.
            isLast = isStopping.load(ordering: .acquiring)
            publications.notify()
            room.signal()
        }
    }
}

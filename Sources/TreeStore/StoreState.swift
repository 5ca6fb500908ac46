internal import Glibc
import Levels
import Locking
internal import Synchronization
internal import Threads
internal import TreeSources

/// The state that the store's thread shares with other threads.
final class StoreState: Sendable {
    let publications: Publications
    private let notifier: Notifier
    private let status = Guarded(StoreStatus.ok)
    private let connection = Guarded<DatabaseConnection?>(nil)
    /// The status while the outcome of a save is unknown; otherwise nil.
    private let doubt = Guarded<StoreStatus?>(nil)

    init(first: Snapshot, historyBytes: Int, notifier: Notifier) {
        publications = Publications(first: first, historyBytes: historyBytes, hasTurns: true) { notifier.ring() }
        self.notifier = notifier
    }

    /// The published snapshot.
    var snapshot: Snapshot { publications.current.snapshot }

    /// The status of the published tree. While the outcome of a save is unknown, the getter reports that instead of the
    /// value that was set.
    var storeStatus: StoreStatus {
        get { doubt.withLock { $0 } ?? status.withLock { $0 } }
        set { status.withLock { $0 = newValue } }
    }

    /// The connection to the source's database; nil for other sources.
    var databaseConnection: DatabaseConnection? { connection.withLock { $0 } }

    /// Notes the state and the work of the connection to the source's database.
    func noteConnection(of watcher: any SourceWatcher) {
        note(isConnected: watcher.isConnected)
        connection.withLock { $0?.work = watcher.databaseWork }
    }

    private func note(isConnected: Bool?) {
        connection.withLock { connection in
            guard isConnected != connection?.isConnected else { return }
            let work = connection?.work
            connection = isConnected.map { DatabaseConnection(isConnected: $0, since: WallClock.now) }
            if let work { connection?.work = work }
        }
    }

    /// Notes that the outcome of a save is unknown because the database is away.
    func noteDoubt(_ error: SourceError) {
        doubt.withLock { $0 = .stale(error, since: WallClock.now) }
        note(isConnected: false)
    }

    /// Notes that the outcome of the save is known, or that the store no longer waits for it.
    func endDoubt() { doubt.withLock { $0 = nil } }

    /// Publishes a loaded snapshot; the notifier's thread notifies the subscribers.
    func publish(_ new: Snapshot) {
        // The status is set before the snapshot is visible, so that no request sees the new snapshot as stale.
        storeStatus = .ok
        publications.publish(new)
        waitForSubscribers()
    }

    /// Ends the publisher's turn, and waits while the subscribers lag too far behind.
    func waitForSubscribers() {
        publications.endTurn()
        notifier.waitForRoom(publications)
    }
}

/// The thread that notifies subscribers of publications. It sleeps between publications.
final class Notifier: Sendable {
    /// Wakes the thread.
    private let bell: Wakeup
    /// Wakes a publisher that waits for room.
    private let room: Wakeup
    private let isStopping = Atomic(false)
    private let isUnlimited = Atomic(false)

    /// The maximum number of publications that wait for the subscribers. The number is small, because each publication
    /// holds a tree.
    private static let limit = 8

    /// - Throws: `SystemCallError` if no descriptor is available.
    init() throws(SystemCallError) {
        bell = try Wakeup()
        room = try Wakeup()
    }

    /// Starts the thread.
    ///
    /// - Throws: `SystemCallError` if the system cannot start a thread.
    func start(_ publications: Publications) throws(SystemCallError) -> Thread {
        try Thread(name: "notifier") { self.run(publications) }
    }

    /// Wakes the thread to notify subscribers, and returns immediately.
    func ring() { bell.signal() }

    /// Waits while too many publications are still to be delivered to subscribers.
    func waitForRoom(_ publications: Publications) {
        while publications.pendingCount >= Self.limit, !isUnlimited.load(ordering: .acquiring) { room.wait() }
    }

    /// Ends the limit, so that no publisher waits any longer. May be called on the notifier's own thread.
    func endLimit() {
        isUnlimited.store(true, ordering: .releasing)
        room.signal()
    }

    /// Makes the thread end after it has notified the subscribers of all publications. Returns immediately.
    func stop() {
        isStopping.store(true, ordering: .releasing)
        bell.signal()
    }

    private func run(_ publications: Publications) {
        var isLast = false
        while !isLast {
            bell.wait()
            // The flag is read before notifying, so that the subscribers receive everything that was published before
            // the stop.
            isLast = isStopping.load(ordering: .acquiring)
            publications.notify()
            room.signal()
        }
    }
}

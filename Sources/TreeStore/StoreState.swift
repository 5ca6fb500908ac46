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

    /// The status of the published tree; setting it has no effect on the value while the outcome of a save is unknown.
    var storeStatus: StoreStatus {
        get { doubt.withLock { $0 } ?? status.withLock { $0 } }
        set { status.withLock { $0 = newValue } }
    }

    /// The connection to the source's database; nil for other sources.
    var databaseConnection: DatabaseConnection? { connection.withLock { $0 } }

    /// Notes the state of the connection to the source's database.
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

    /// Notes that the outcome of the save is known, or was given up on.
    func endDoubt() { doubt.withLock { $0 = nil } }

    /// Publishes a loaded snapshot; the notifier's thread notifies the subscribers.
    func publish(_ new: Snapshot) {
        // Before the snapshot is visible, so that no request sees it as stale.
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

/// The thread that notifies subscribers of publications, at the usual priority; it sleeps between publications.
final class Notifier: Sendable {
    /// Wakes the thread.
    private let bell: Wakeup
    /// Wakes a publisher that waits for room.
    private let room: Wakeup
    private let isStopping = Atomic(false)
    private let isUnlimited = Atomic(false)

    /// The largest number of publications that subscribers have not received, because each holds a tree.
    private static let limit = 8

    /// - Throws: `SystemCallError` if no descriptor is available.
    init() throws(SystemCallError) {
        bell = try Wakeup()
        room = try Wakeup()
    }

    /// Starts the thread, which inherits the caller's niceness.
    ///
    /// - Throws: `SystemCallError` if the system cannot start a thread.
    func start(_ publications: Publications) throws(SystemCallError) -> Thread {
        try Thread(name: "notifier") { self.run(publications) }
    }

    /// Wakes the thread to notify subscribers; returns at once.
    func ring() { bell.signal() }

    /// Waits while too many publications are still to be delivered to subscribers.
    func waitForRoom(_ publications: Publications) {
        while publications.pendingCount >= Self.limit, !isUnlimited.load(ordering: .acquiring) { room.wait() }
    }

    /// Ends the limit, so that no publisher waits any longer. May be called on the thread itself.
    func endLimit() {
        isUnlimited.store(true, ordering: .releasing)
        room.signal()
    }

    /// Ends the thread after it has notified the subscribers of all publications; returns at once.
    func stop() {
        isStopping.store(true, ordering: .releasing)
        bell.signal()
    }

    private func run(_ publications: Publications) {
        var isLast = false
        while !isLast {
            bell.wait()
            // Read before notifying, so that everything published before the stop is notified.
            isLast = isStopping.load(ordering: .acquiring)
            publications.notify()
            room.signal()
        }
    }
}

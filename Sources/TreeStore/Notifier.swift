internal import Synchronization
internal import Threads

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

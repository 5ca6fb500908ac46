import Glibc
import Synchronization

/// Puts one connection to sleep and wakes it: each sleep ends once, however many threads wake it, and no wake is lost.
///
/// A connection calls `stayAwake`, checks whether it has something to do, and otherwise sleeps; a wake in between keeps
/// it awake.
///
/// Unchecked Sendable: the library's handle is used on the connection's own thread to suspend, and by the one thread
/// that resumes, before which the connection cannot end. `place` belongs to the deadline heap and is protected by its
/// lock, as are the changes that `SuspendedConnections` makes; the connection's thread sets the other properties before
/// it sleeps.
final class Suspension: Scheduled, @unchecked Sendable {
    let state: ConnectionState
    /// Whether the sleeper is notified of input as it is of a hang-up (`clientHasGone`).
    let wakesOnInput: Bool
    private let handle: ConnectionHandle
    private let suspended: SuspendedConnections
    private let phase = Atomic<UInt8>(Phase.awake)
    var sleeper: (any Sleeper)?
    /// The time at which `SuspendedConnections` ends the sleep, or begins to watch it, in milliseconds of the exact
    /// clock.
    var deadline = Int64.max
    /// The time at which `timeIsOver` is called, in milliseconds of the exact clock.
    private(set) var end = Int64.max
    /// Whether the socket is watched for the client's hang-up, so that only the watching thread may resume.
    var isWatched = true
    /// The library's thread that serves the connection (`pthread_self(3)`).
    private(set) var worker = pthread_t()
    var place = -1

    /// The values of `phase`.
    private enum Phase {
        static let awake: UInt8 = 0
        static let asleep: UInt8 = 1
        /// The connection is being resumed or, if it was awake, must not fall asleep.
        static let woken: UInt8 = 2
    }

    init(
        handle: ConnectionHandle, state: ConnectionState, suspended: SuspendedConnections, wakesOnInput: Bool = false
    ) {
        self.wakesOnInput = wakesOnInput
        self.handle = handle
        self.state = state
        self.suspended = suspended
    }

    /// Clears earlier wakes; the caller then checks for whatever they announced.
    func stayAwake() { _ = phase.exchange(Phase.awake, ordering: .acquiringAndReleasing) }

    /// Suspends the connection until `wake`; called only in the library's callbacks.
    ///
    /// - Parameters:
    ///   - deadline: the time at which `timeIsOver` is called, in milliseconds of the exact clock.
    ///   - isBrief: whether it probably sleeps for less than a second; its socket is watched only after that.
    /// - Returns: false if the connection stays awake, because it was woken, or because the server is stopping and
    ///   `serverStops` has been called.
    func sleep(for sleeper: any Sleeper, until deadline: Int64, isBrief: Bool = false) -> Bool {
        guard phase.load(ordering: .acquiring) == Phase.awake else { return false }
        self.sleeper = sleeper
        end = deadline
        isWatched = !isBrief
        self.deadline = isBrief ? min(deadline, ExactClock.next + Suspension.unwatchedMilliseconds) : deadline
        worker = pthread_self()
        guard suspended.takeIn(self) else {
            self.sleeper = nil
            sleeper.serverStops()
            return false
        }
        handle.suspend()
        let (fellAsleep, _) = phase.compareExchange(
            expected: Phase.awake, desired: Phase.asleep, ordering: .acquiringAndReleasing)
        // From here on the connection may be awake again in the library's next cycle.
        if !fellAsleep { suspended.wake(self) }
        return true
    }

    /// The time for which a brief sleep is not watched.
    private static let unwatchedMilliseconds: Int64 = 1_000

    /// Wakes the connection, or keeps it from falling asleep; called from any thread at any time.
    func wake() { if wasAsleep() { suspended.wake(self) } }

    /// Wakes several connections, the connections of one server together.
    static func wake(_ suspensions: [Suspension]) {
        var asleep = suspensions.filter { $0.wasAsleep() }
        while let server = asleep.first?.suspended {
            let count = asleep.partition { $0.suspended !== server }
            server.wake(Array(asleep[..<count]))
            asleep.removeFirst(count)
        }
    }

    /// Notes a wake; returns whether the connection is to be resumed.
    private func wasAsleep() -> Bool {
        phase.exchange(Phase.woken, ordering: .acquiringAndReleasing) == Phase.asleep
    }

    /// Makes the library visit the connection once more; called at the end of its content reader.
    ///
    /// The library closes a stream that fails, or that ends with the connection, within the reader. Its epoll loop
    /// visits the connection again when something happens to its socket; but a connection that has slept is not in the
    /// epoll set, and would keep its socket open until all older connections have ended.
    func haveClosed() {
        handle.suspend()
        handle.resume()
    }

    /// Returns the connection to the library; `SuspendedConnections` calls this once for each sleep.
    func resume() { handle.resume() }

    /// Resumes the connections that were woken together with this one; called on the connection's thread.
    func resumeFollowers() { suspended.resumeFollowers(of: worker) }
}

/// The object for which a connection sleeps: it is notified of events, and wakes the connection.
///
/// Each method is called on the thread of `SuspendedConnections` or on the connection's own, with no lock held.
protocol Sleeper: AnyObject, Sendable {
    /// The deadline has passed.
    func timeIsOver()
    /// The client has closed the connection, or, if the suspension wakes on input, has sent something.
    func clientHasGone()
    /// The server is stopping.
    func serverStops()
}

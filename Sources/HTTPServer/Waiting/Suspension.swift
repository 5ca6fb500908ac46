import Glibc
import Synchronization

/// Puts one connection to sleep and wakes it: each sleep ends once, however many threads wake it, and no wake is lost.
///
/// A connection calls `stayAwake` and then checks whether it has something to do. If not, it calls `sleep`. A wake
/// between the two calls keeps the connection awake.
///
/// Unchecked Sendable: the connection's own thread uses the library's handle to suspend. One thread uses it to resume,
/// and the connection cannot end before that. The lock of `SuspendedConnections` protects `place`, which belongs to the
/// deadline heap, and the changes that `SuspendedConnections` makes to other properties. The connection's thread sets
/// these other properties before the connection sleeps.
final class Suspension: Scheduled, @unchecked Sendable {
    let state: ConnectionState
    /// Whether `clientHasGone` is called for input as well as for a hang-up.
    let wakesOnInput: Bool
    private let handle: ConnectionHandle
    private let suspended: SuspendedConnections
    private let phase = Atomic<UInt8>(Phase.awake)
    var sleeper: (any Sleeper)?
    /// The time at which `SuspendedConnections` ends the sleep, or begins to watch the socket, in milliseconds of the
    /// exact clock.
    var deadline = Int64.max
    /// The time at which `timeIsOver` is called, in milliseconds of the exact clock.
    private(set) var end = Int64.max
    /// Whether the socket is watched for the client's hang-up. If it is, only the watching thread may resume the
    /// connection.
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

    /// Clears earlier wakes. The caller then checks for the events that these wakes announced.
    func stayAwake() { _ = phase.exchange(Phase.awake, ordering: .acquiringAndReleasing) }

    /// Suspends the connection until `wake`; called only in the library's callbacks.
    ///
    /// - Parameters:
    ///   - deadline: the time at which `timeIsOver` is called, in milliseconds of the exact clock.
    ///   - isBrief: whether the connection probably sleeps for less than a second. Its socket is watched only after
    ///     that second.
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
        // From here on, another thread may have woken the connection, and the library may serve it in its next cycle.
        if !fellAsleep { suspended.wake(self) }
        return true
    }

    /// The time for which a brief sleep is not watched, in milliseconds.
    private static let unwatchedMilliseconds: Int64 = 1_000

    /// Wakes the connection, or keeps it from falling asleep; called from any thread at any time.
    func wake() { if wasAsleep() { suspended.wake(self) } }

    /// Wakes several connections. The connections of the same server are woken together.
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

    /// Makes the library visit the connection once more. Called at the end of the response's content reader.
    ///
    /// The library closes a stream within the reader if the stream fails, or if the stream ends with the connection.
    /// The library's epoll loop then visits the connection again when something happens to its socket. But a connection
    /// that has slept is not in the epoll set. It would keep its socket open until all older connections have ended.
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

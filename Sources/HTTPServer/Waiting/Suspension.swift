import CMicroHTTPD
import Synchronization

/// Puts one connection to sleep and wakes it: each sleep is ended once, however many wake it, and no wake is lost.
///
/// A connection says `stayAwake`, looks whether there is something to do, and sleeps where there is not: a wake between
/// the two keeps it awake.
///
/// Sendable although unchecked: the library's handle is used to suspend on the connection's own thread, and to resume
/// by the one that found it asleep, before which the connection cannot go away. `place` is the agenda's, under its
/// lock; `sleeper` and `deadline` are set by the connection's thread before it sleeps.
@safe
final class Suspension: Scheduled, @unchecked Sendable {
    let state: ConnectionState
    private let handle: OpaquePointer
    private let suspended: SuspendedConnections
    private let phase = Atomic<UInt8>(Phase.awake)
    private(set) var sleeper: (any Sleeper)?
    private(set) var deadline = Int64.max
    var place = -1

    /// The values of `phase`.
    private enum Phase {
        static let awake: UInt8 = 0
        static let asleep: UInt8 = 1
        /// To be resumed, or, where it was awake, not to fall asleep.
        static let woken: UInt8 = 2
    }

    init(_ handle: OpaquePointer, state: ConnectionState, suspended: SuspendedConnections) {
        unsafe self.handle = handle
        self.state = state
        self.suspended = suspended
    }

    /// Forgets the wakes until now; what they told of is looked for after this.
    func stayAwake() { _ = phase.exchange(Phase.awake, ordering: .acquiringAndReleasing) }

    /// Suspends the connection until `wake`; to be called in the library's callbacks only.
    /// - Parameter deadline: when the sleeper is told that its time is over, in milliseconds of the exact clock.
    /// - Returns: false where the connection stays awake, since it was woken, or the sleeper was told of the stop.
    func sleep(for sleeper: any Sleeper, until deadline: Int64) -> Bool {
        guard phase.load(ordering: .acquiring) == Phase.awake else { return false }
        self.sleeper = sleeper
        self.deadline = deadline
        guard suspended.takeIn(self) else {
            self.sleeper = nil
            sleeper.serverStops()
            return false
        }
        unsafe MHD_suspend_connection(handle)
        let (fellAsleep, _) = phase.compareExchange(
            expected: Phase.awake, desired: Phase.asleep, ordering: .acquiringAndReleasing)
        // From here on the connection may be awake again on the library's next turn.
        if !fellAsleep { suspended.wake(self) }
        return true
    }

    /// Wakes the connection, or keeps it from falling asleep; from any thread, at any time.
    func wake() {
        if phase.exchange(Phase.woken, ordering: .acquiringAndReleasing) == Phase.asleep { suspended.wake(self) }
    }

    /// Has the library look at the connection once more; to be called in its content reader when that ends.
    ///
    /// A stream that fails, or that ends with the connection, is closed within the reader. The library's epoll loop
    /// visits it again when something happens to its socket; but one that has slept is not in its epoll set, and would
    /// stay there with its socket open until all older ones have ended.
    func haveClosed() {
        unsafe MHD_suspend_connection(handle)
        unsafe MHD_resume_connection(handle)
    }

    /// Gives the connection back to the library; once for each sleep, by the watch.
    func resume() {
        sleeper = nil
        unsafe MHD_resume_connection(handle)
    }
}

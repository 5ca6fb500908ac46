/// Puts a connection to sleep during its handshake until the client sends something.
///
/// The library does not notice that the socket has nothing to read during a handshake: it would try again without a
/// pause, at the cost of a whole processor for a client that is slow.
///
/// Sendable: all that changes is in the suspension.
final class HandshakePause: Sleeper {
    private let suspension: Suspension
    /// When the first request must have arrived, in milliseconds of the coarse clock.
    private let deadline: Int64

    init(_ handle: OpaquePointer, state: ConnectionState, suspended: SuspendedConnections) {
        suspension = unsafe Suspension(handle, state: state, suspended: suspended, wakesOnInput: true)
        deadline = state.deadline
    }

    /// Sleeps until the client sends something; false if its time is over.
    func sleep() -> Bool {
        // Sleeping has extended it.
        suspension.state.wait(until: deadline)
        guard CoarseClock.now < deadline else { return false }
        suspension.stayAwake()
        _ = suspension.sleep(for: self, until: deadline)
        return true
    }

    func timeIsOver() { suspension.wake() }
    func clientHasGone() { suspension.wake() }
    func serverStops() { suspension.wake() }
}

import Synchronization

/// The open connections of a server.
///
/// Whoever shuts a socket down does so under this lock, and a connection leaves the list before its socket is closed:
/// so a descriptor that has been given to another connection is never hit.
final class Connections: Sendable {
    private let open = Mutex<[ObjectIdentifier: ConnectionState]>([:])
    /// Signalled when the last one goes.
    private let emptied: Wakeup

    init(emptied: consuming Wakeup) { self.emptied = emptied }

    func insert(_ state: ConnectionState) {
        open.withLock { $0[ObjectIdentifier(state)] = state }
    }

    func remove(_ state: ConnectionState) {
        let isEmpty = open.withLock { open in
            open[ObjectIdentifier(state)] = nil
            return open.isEmpty
        }
        if isEmpty { emptied.signal() }
    }

    /// Cuts every connection that is past its deadline.
    func cutLate(at now: Int64) {
        open.withLock { open in
            for state in open.values where state.deadline < now { state.cut() }
        }
    }

    /// Ends every connection as soon as it has no request in progress, and waits for that.
    func drain(until end: ContinuousClock.Instant) {
        while true {
            let isEmpty = open.withLock { open in
                for state in open.values where !state.isBusy { state.endReading() }
                return open.isEmpty
            }
            let left = (end - .now).milliseconds
            if isEmpty || left <= 0 { return }
            // A request that was answered just before answers began to end their connections leaves it open.
            emptied.wait(milliseconds: min(left, 20))
        }
    }
}

import Locking

/// The open connections of a server.
///
/// Whoever shuts a socket down does so under this lock, and a connection leaves the list before its socket is closed:
/// so a descriptor that has been given to another connection is never hit.
final class Connections: Sendable {
    private let open = Guarded(Open())
    /// Signalled when the last one goes while the server stops.
    private let emptied: Wakeup

    private struct Open {
        var states: [ObjectIdentifier: ConnectionState] = [:]
        /// How many more there are that sleep: they are neither late nor idle.
        var aside = 0
        var isDraining = false

        var isEmpty: Bool { states.isEmpty && aside == 0 }
    }

    init(emptied: consuming Wakeup) { self.emptied = emptied }

    func insert(_ state: ConnectionState) {
        open.withLock { $0.states[ObjectIdentifier(state)] = state }
    }

    func remove(_ state: ConnectionState) {
        let isLast = open.withLock { open in
            open.states[ObjectIdentifier(state)] = nil
            return open.isDraining && open.isEmpty
        }
        if isLast { emptied.signal() }
    }

    /// A connection is about to sleep.
    func setAside(_ state: ConnectionState) {
        open.withLock { open in
            open.states[ObjectIdentifier(state)] = nil
            open.aside += 1
        }
    }

    /// Connections that slept are about to be resumed.
    func takeBack(_ states: [ConnectionState]) {
        open.withLock { open in
            for state in states { open.states[ObjectIdentifier(state)] = state }
            open.aside -= states.count
        }
    }

    /// Cuts every connection that is past its deadline.
    func cutLate(at now: Int64) {
        open.withLock { open in
            for state in open.states.values where state.deadline < now { state.cut() }
        }
    }

    /// How long a connection without a request may still send one when the server stops: a client in full flow asks
    /// again at once, and is told in the answer that the connection ends.
    private static let farewell = Duration.milliseconds(250)

    /// Waits for all connections to end, and ends those that have no request in progress after a short farewell.
    func drain(until end: ContinuousClock.Instant) {
        let start = ContinuousClock.now
        let parting = min(start + Connections.farewell, start + (end - start) / 2)
        while true {
            let now = ContinuousClock.now
            let isEmpty = open.withLock { open in
                open.isDraining = true
                if now >= parting { for state in open.states.values where !state.isBusy { state.endReading() } }
                return open.isEmpty
            }
            if isEmpty || now >= end { return }
            // A request that was answered just before answers began to end their connections leaves it open.
            emptied.wait(milliseconds: min((end - now).milliseconds + 1, 20))
        }
    }
}

import Synchronization

/// The open connections of a server.
///
/// Whoever shuts a socket down does so under this lock, and no socket is closed before its connection has left the
/// list: so a descriptor that was given to another connection is never hit.
final class Connections: Sendable {
    private let open = Mutex<[ObjectIdentifier: Entry]>([:])

    private struct Entry {
        let state: ConnectionState
    }

    func insert(_ connection: Connection) {
        open.withLock { $0[ObjectIdentifier(connection)] = Entry(state: connection.state) }
    }

    func remove(_ connection: Connection) {
        open.withLock { _ = $0.removeValue(forKey: ObjectIdentifier(connection)) }
    }

    var count: Int { open.withLock { $0.count } }

    /// Cuts every connection that is past its deadline.
    func cutLate(at now: Int64) {
        open.withLock { open in
            for entry in open.values where entry.state.deadline < now { entry.state.cut() }
        }
    }

    /// Ends every connection that has no request in progress, once it has read what came before.
    func endIdle() {
        open.withLock { open in
            for entry in open.values where !entry.state.isBusy { entry.state.endReading() }
        }
    }
}

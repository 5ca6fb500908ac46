import Synchronization
import Threads

/// The state that the connections of one server share.
final class Service: Sendable {
    let responder: any Responder
    let configuration: Server.Configuration
    let connections: Connections
    let suspended: SuspendedConnections
    let lingering: Lingering
    let largeBodies = LargeBodies()
    let heapTrimmer = HeapTrimmer()
    let requestIDs = RequestIDs()
    let idleMilliseconds: Int64
    let deadlineMilliseconds: Int64
    let unreadMilliseconds: Int64
    /// The minimum rate at which a client must send a large body, in bytes per second.
    let slowestSender: Int64
    private let draining = Atomic<Bool>(false)

    init(responder: any Responder, configuration: Server.Configuration) throws(ServerError) {
        self.responder = responder
        self.configuration = configuration
        connections = try ServerError.wrapping { () throws(SystemCallError) in
            Connections(emptied: try Wakeup(), reaping: try Wakeup())
        }
        lingering = Lingering(limit: configuration.lingeringLimit)
        idleMilliseconds = configuration.idleTimeout.timeoutMilliseconds
        deadlineMilliseconds = configuration.requestDeadline.timeoutMilliseconds
        unreadMilliseconds = configuration.unreadTimeout.timeoutMilliseconds
        suspended = try SuspendedConnections(connections: connections, deadline: deadlineMilliseconds)
        slowestSender = Int64(max(1, configuration.slowestSender))
    }

    /// Whether the server is stopping. While it is, each queued response ends its connection.
    var isDraining: Bool { draining.load(ordering: .relaxed) }

    func drain() { draining.store(true, ordering: .relaxed) }

    func bodyLimit(of request: Request) -> Int { responder.bodyLimit(of: request) ?? configuration.bodyLimit }

    /// The responder's response to a fault.
    ///
    /// - Parameter target: the target of the request; empty if the request line is invalid.
    func response(to fault: Fault, target: String) -> Response {
        responder.response(to: .badRequest(fault.reason, status: fault.status), target: target)
    }

    /// Makes the object for an accepted connection. The object exists until it is passed to `closed`.
    func opened(_ handle: ConnectionHandle) -> Connection {
        let connection = Connection(handle: handle, service: self)
        connections.insert(connection.state)
        if configuration.countsConnections { connection.counters.noteConnectionOpened() }
        return connection
    }

    /// Removes a connection that is about to be closed. Its socket is still open.
    func closed(_ connection: Connection) {
        connections.remove(connection.state)
        if configuration.countsConnections { connection.counters.noteConnectionClosed() }
        heapTrimmer.note()
        if connection.needsLingering, lingering.keep(connection.state.descriptor, now: CoarseClock.now) {
            connections.reaping.signal()
        }
    }

    /// The time until the reaper has work to do, in milliseconds; nil if the reaper may sleep until it is signalled.
    func pause(atMost period: Int64) -> Int64? {
        if !lingering.isEmpty { return min(period, 20) }
        return heapTrimmer.isCrowd || !connections.rest() ? period : nil
    }
}

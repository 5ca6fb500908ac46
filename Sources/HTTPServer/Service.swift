import CMicroHTTPD
import Synchronization

/// What the connections of one server share.
final class Service: Sendable {
    let responder: any Responder
    let configuration: Server.Configuration
    let connections = Connections()
    let idleMilliseconds: Int64
    let deadlineMilliseconds: Int64
    /// Whether the server is stopping: answers queued from then on end their connection.
    let draining = Atomic<Bool>(false)

    init(responder: any Responder, configuration: Server.Configuration) {
        self.responder = responder
        self.configuration = configuration
        idleMilliseconds = configuration.idleTimeout.milliseconds
        deadlineMilliseconds = configuration.requestDeadline.milliseconds
    }

    /// A connection was accepted: its object lives until `closed`.
    func opened(_ handle: OpaquePointer) -> Unmanaged<Connection> {
        let connection = unsafe Connection(handle, service: self)
        connections.insert(connection)
        return unsafe Unmanaged.passRetained(connection)
    }

    /// A connection is about to be closed: its socket is still its own.
    func closed(_ connection: Unmanaged<Connection>) {
        unsafe connections.remove(connection.takeRetainedValue())
    }
}

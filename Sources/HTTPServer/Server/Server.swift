import Glibc
import Locking
import Synchronization

/// An HTTP/1.1 server: it binds, serves on threads of its own, and stops without losing a response.
public final class Server: Sendable {
    /// The version of libmicrohttpd that is linked.
    public static let libraryVersion = Daemon.version

    /// The address that it listens on.
    public let address: BoundAddress
    let service: Service
    private let reaper: Reaper
    let daemon: Guarded<Daemon?>

    /// The port that it listens on, the actual one if 0 was requested; 0 if the socket has none.
    public var port: UInt16 { address.port ?? 0 }

    /// Binds and begins to serve.
    ///
    /// - Throws: `ServerError` if the address cannot be bound, the process may open too few descriptors, or the system
    ///   refuses threads or memory.
    public convenience init(configuration: Configuration, responder: any Responder) throws(ServerError) {
        let listener = try Listener(host: configuration.host, port: configuration.port)
        try self.init(configuration: configuration, responder: responder, listener: listener)
    }

    /// Begins to serve on a socket.
    ///
    /// - Throws: `ServerError` if the process may open too few descriptors, or the system refuses threads or memory.
    public init(
        configuration: Configuration, responder: any Responder, listener: consuming Listener
    ) throws(ServerError) {
        signal(SIGPIPE, SIG_IGN)
        let configuration = try configuration.fitted(to: .raise())
        address = listener.address
        service = try Service(responder: responder, configuration: configuration)
        reaper = try Reaper(service: service)
        let daemon: Daemon
        do throws(ServerError) {
            try service.suspended.start()
            daemon = try Daemon(listener: listener, configuration: configuration, service: service)
        } catch {
            service.suspended.stop()
            reaper.stop()
            throw error
        }
        self.daemon = Guarded(daemon)
    }

    deinit { stop(grace: .zero) }

    /// Stops: refuses new connections, answers the requests in progress, then closes.
    ///
    /// Waiting requests are answered as if their time were over, and event streams end.
    ///
    /// It returns when everything is closed, and does nothing the second time. A responder must not call it.
    ///
    /// - Parameter grace: how long to wait for requests in progress.
    public func stop(grace: Duration) {
        guard let daemon = daemon.withLock({ $0.take() }) else { return }
        service.draining.store(true, ordering: .relaxed)
        daemon.quiesce()
        // The library must not be stopped while a connection sleeps.
        service.suspended.stop()
        service.connections.drain(until: .now + grace)
        // The connections that are left end with the daemon.
        _ = consume daemon
        reaper.stop()
    }
}

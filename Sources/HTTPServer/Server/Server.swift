import Glibc
import Locking
import Synchronization

/// An HTTP/1.1 server: binds, serves on threads of its own, and stops without losing an answer.
public final class Server: Sendable {
    /// The version of libmicrohttpd that serves.
    public static let libraryVersion = Daemon.version

    /// The port it listens on, also where 0 was asked for.
    public let port: UInt16
    private let service: Service
    private let reaper: Reaper
    private let daemon: Guarded<Daemon?>

    /// Binds and begins to serve.
    /// - Throws: `ServerError` if the address cannot be bound, the process may open too few descriptors, or the system
    ///   refuses threads or memory.
    public init(configuration: Configuration, responder: any Responder) throws(ServerError) {
        signal(SIGPIPE, SIG_IGN)
        let configuration = try configuration.fitted(to: .raise())
        let listener = try Listener(host: configuration.host, port: configuration.port)
        port = listener.port
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

    /// Stops: refuses new connections, lets the requests in progress be answered, then closes.
    ///
    /// Whoever waits is answered as if the time were over, and event streams end.
    ///
    /// Returns when all is closed; does nothing the second time. Not to be called by a responder.
    /// - Parameter grace: how long requests in progress are waited for.
    public func stop(grace: Duration) {
        guard let daemon = daemon.withLock({ $0.take() }) else { return }
        service.draining.store(true, ordering: .relaxed)
        daemon.quiesce()
        // The library must not be stopped while a connection sleeps.
        service.suspended.stop()
        service.connections.drain(until: .now + grace)
        // With the daemon ends what is still connected.
        _ = consume daemon
        reaper.stop()
    }
}

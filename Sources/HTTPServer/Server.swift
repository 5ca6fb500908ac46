import Glibc
import Synchronization

/// An HTTP/1.1 server: binds, serves on threads of its own, and stops without losing an answer.
public final class Server: Sendable {
    /// The port it listens on, also where 0 was asked for.
    public let port: UInt16
    private let service: Service
    private let running: Mutex<Running?>
    private let reaper: Reaper

    /// What exists only until the server is stopped; the daemon goes before its socket.
    private struct Running: ~Copyable {
        let daemon: Daemon
        let listener: Listener
    }

    /// Binds and begins to serve.
    /// - Throws: `ServerError` where the address cannot be bound, or the system refuses threads or memory.
    public init(configuration: Configuration, responder: any Responder) throws(ServerError) {
        signal(SIGPIPE, SIG_IGN)
        let configuration = configuration.fitted(toDescriptors: DescriptorLimit.raise())
        let service = Service(responder: responder, configuration: configuration)
        let listener = try Listener(host: configuration.host, port: configuration.port)
        guard let daemon = Daemon(listener: listener, configuration: configuration, service: service) else {
            throw .system("MHD_start_daemon", errno: errno)
        }
        port = listener.port
        self.service = service
        reaper = Reaper(service: service)
        running = Mutex(Running(daemon: daemon, listener: listener))
    }

    deinit { stop(grace: .zero) }

    /// Stops: refuses new connections, lets the requests in progress end, then closes.
    /// - Parameter grace: how long requests in progress are waited for.
    public func stop(grace: Duration) {
        guard let running = running.withLock({ $0.take() }) else { return }
        service.draining.store(true, ordering: .sequentiallyConsistent)
        running.daemon.quiesce()
        running.listener.refuse()
        let end = ContinuousClock.now + grace
        while service.connections.count > 0, ContinuousClock.now < end {
            service.connections.endIdle()
            usleep(5000)
        }
        reaper.stop()
    }
}

extension Server.Configuration {
    /// Fills in what was left open, and keeps the connections within the descriptors of the process.
    func fitted(toDescriptors descriptors: Int) -> Server.Configuration {
        var fitted = self
        if fitted.threads <= 0 { fitted.threads = max(1, sysconf(Int32(_SC_NPROCESSORS_ONLN))) }
        // The program needs some for itself: files, logs, databases.
        let most = min(max(descriptors - 64, 16), 1 << 20)
        fitted.connectionLimit = connectionLimit <= 0 ? most : min(connectionLimit, most)
        return fitted
    }
}

import Glibc
import Locking
import Synchronization

/// An HTTP/1.1 server: it binds, serves on threads of its own, and stops without losing a response.
public final class Server: Sendable {
    /// The version of libmicrohttpd that is linked.
    public static let libraryVersion = Daemon.version

    /// The addresses that the server listens on, in the order of its sockets.
    public let addresses: [BoundAddress]
    let service: Service
    private let reaper: Reaper
    let daemon: Guarded<Daemon?>
    /// Accepts connections at the sockets after the first; nil for a single socket.
    private let acceptor: Guarded<Acceptor?>
    private let further: Guarded<[Listener]>

    /// The port of the first address: the actual port if 0 was requested; 0 for a Unix domain socket.
    public var port: UInt16 { addresses.first?.port ?? 0 }

    /// Begins to serve on one socket or several.
    ///
    /// - Throws: `ServerError` if the process may open too few descriptors, or the system refuses threads or memory.
    public init(
        configuration: Configuration, responder: any Responder, listeners: [Listener]
    ) throws(ServerError) {
        signal(SIGPIPE, SIG_IGN)
        let configuration = try configuration.fitted(to: .raise())
        if configuration.countsConnections {
            configuration.counters.connectionLimit.store(configuration.connectionLimit, ordering: .relaxed)
        }
        addresses = listeners.map(\.address)
        guard let first = listeners.first else { throw .unusableSocket("there is no socket to listen on") }
        service = try Service(responder: responder, configuration: configuration)
        try service.suspended.start()
        do throws(ServerError) {
            let daemon = Guarded<Daemon?>(try Daemon(listener: first, configuration: configuration, service: service))
            self.daemon = daemon
            let threads = configuration.threads
            reaper = try Reaper(service: service) {
                for thread in 0..<threads { Server.probe(thread, of: threads, in: daemon).map { _ = close($0) } }
            }
        } catch {
            service.suspended.stop()
            throw error
        }
        let others = Array(listeners.dropFirst())
        further = Guarded(others)
        acceptor = Guarded(nil)
        guard !others.isEmpty else { return }
        do throws(ServerError) {
            let limit = configuration.connectionLimit
            let started = try Acceptor(sockets: others.map(\.descriptor)) { [service, daemon] in
                service.connections.count < limit && daemon.withLock { ($0?.connectionCount ?? 0) < limit }
            } serve: { [weak self] descriptor in
                if self?.add(descriptor) != true { close(descriptor) }
            }
            acceptor.withLock { $0 = started }
        } catch {
            stop(grace: .zero)
            throw error
        }
    }

    deinit { stop(grace: .zero) }

    /// Passes a connection to the daemon. Returns false if the daemon has stopped; the caller then still owns the
    /// descriptor.
    private func add(_ descriptor: Int32) -> Bool {
        daemon.withLock { daemon in
            guard daemon != nil else { return false }
            // The library closes a descriptor that it refuses.
            _ = daemon?.add(descriptor)
            return true
        }
    }

    /// Stops: refuses new connections, answers the requests in progress, then closes.
    ///
    /// Waiting requests are answered as if their time were over, and event streams end. The method returns when
    /// everything is closed. A second call does nothing. A responder must not call this method.
    ///
    /// - Parameter grace: the maximum wait for requests in progress.
    public func stop(grace: Duration) {
        acceptor.withLock { $0.take() }?.stop()
        guard let daemon = daemon.withLock({ $0.take() }) else { return }
        further.withLock { $0 = [] }
        service.drain()
        daemon.quiesce()
        // The library must not be stopped while a connection sleeps.
        service.suspended.stop()
        service.connections.drain(until: .now + grace)
        // The remaining connections end with the daemon.
        _ = consume daemon
        reaper.stop()
    }
}

extension Server {
    /// The number of threads that serve.
    public var threadCount: Int { service.configuration.threads }

    /// Opens a connection to one serving thread. The thread closes the connection as soon as it looks for work.
    ///
    /// The log does not show the connection, because no request is sent on it.
    ///
    /// - Parameter thread: the number of the thread, from 0.
    /// - Returns: a descriptor that the caller owns. It becomes readable when the thread has responded. Nil if all
    ///   connections or descriptors are in use, or the server has stopped.
    public func probe(thread: Int) -> Int32? { Server.probe(thread, of: threadCount, in: daemon) }

    private static func probe(_ thread: Int, of count: Int, in daemon: Guarded<Daemon?>) -> Int32? {
        guard let (own, other) = Socket.pair() else { return nil }
        _ = shutdown(own, Int32(SHUT_WR))
        let isAdded = daemon.withLock { daemon in
            guard let lent = numbered(other, thread: thread, of: count) else { return false }
            guard daemon != nil else {
                close(lent)
                return false
            }
            return daemon?.add(lent) ?? false
        }
        if isAdded { return own }
        close(own)
        return nil
    }

    /// Replaces a descriptor by a duplicate that the library passes to a certain thread. Returns nil if descriptors are
    /// used up.
    ///
    /// The library divides the descriptor by the number of threads; the remainder is the number of the thread.
    private static func numbered(_ descriptor: Int32, thread: Int, of count: Int) -> Int32? {
        var candidate = descriptor
        for _ in 0..<16 {
            let distance = Int32((thread - Int(candidate) % count + count) % count)
            if distance == 0 { return candidate }
            let next = fcntl(candidate, F_DUPFD_CLOEXEC, candidate + distance)
            close(candidate)
            guard next >= 0 else { return nil }
            candidate = next
        }
        // All nearby numbers that lead to this thread are in use, so another thread responds.
        return candidate
    }
}

import CGnuTLS
import CMicroHTTPD
import Glibc

/// The sole owner of a library daemon and of its listening socket. Deinitialization stops the daemon.
@safe
struct Daemon: ~Copyable {
    private let pointer: OpaquePointer
    private let listener: Listener
    /// The library's own descriptor of the listening socket, which the library closes when the daemon stops.
    private let lent: Int32

    init(
        listener: Listener, configuration: Server.Configuration, service: Service
    ) throws(ServerError) {
        unsafe MHD_set_panic_func(panicked, nil)
        // The library gets a descriptor of its own, because it closes that descriptor on most failures to start.
        lent = fcntl(listener.descriptor, F_DUPFD_CLOEXEC, 0)
        guard lent >= 0 else { throw .system("fcntl", errno: errno) }
        let isSecure = configuration.certificates != nil
        if isSecure, shim_supports_tls() != .YES {
            throw .system(call: "MHD_start_daemon", reason: "this libmicrohttpd was built without TLS")
        }
        errno = 0
        let pointer = unsafe shim_start_daemon(
            UInt32(configuration.threads), lent, RequestMemory.size,
            UInt32(configuration.connectionLimit), UInt32(configuration.connectionLimitPerAddress),
            // In strict mode, versions before 1.0 garble the answer to a request without Host.
            Daemon.isOld ? 0 : 1, handle,
            requestLine, leaveEscaped, requestCompleted, notifyConnection,
            Unmanaged.passUnretained(service).toOpaque(),
            isSecure ? UnsafeRawPointer(Certificates.priorities.utf8Start).assumingMemoryBound(to: CChar.self) : nil,
            shim_certificate_callback(retrieveCertificate))
        guard let pointer = unsafe pointer else { throw .system("MHD_start_daemon", errno: errno) }
        unsafe self.pointer = pointer
        self.listener = listener
    }

    /// The library closes `lent`.
    deinit { unsafe MHD_stop_daemon(pointer) }

    /// Stops accepting connections, so that the system refuses new connections. Existing connections continue.
    ///
    /// `MHD_quiesce_daemon` cannot be used: it and a worker may both remove the socket from the worker's epoll set, and
    /// in 0.9.75 the second removal ends the process. Instead, the library's descriptor is redirected to a socket
    /// without input. The listening socket then closes, and thereby leaves all epoll sets.
    func quiesce() { listener.silence(lent) }

    /// Passes a connection to one of the library's threads. The library owns the descriptor from now on.
    ///
    /// - Returns: false if there are too many connections; the library has then closed the descriptor.
    func add(_ descriptor: Int32) -> Bool {
        var storage = sockaddr_storage()
        var size = socklen_t(MemoryLayout<sockaddr_storage>.size)
        return unsafe withUnsafeMutablePointer(to: &storage) { storage in
            let address = unsafe UnsafeMutableRawPointer(storage).assumingMemoryBound(to: sockaddr.self)
            // A client that has already gone is treated as a client of a Unix domain socket.
            if unsafe getpeername(descriptor, address, &size) != 0 || address.pointee.sa_family == sa_family_t(AF_UNIX)
            {
                unsafe address.pointee.sa_family = sa_family_t(AF_UNIX)
                size = socklen_t(MemoryLayout<sa_family_t>.size)
            }
            return unsafe MHD_add_connection(pointer, descriptor, address, size) == .YES
        }
    }

    /// The number of connections that count for the limit. A closed connection counts until shortly after its notice.
    var connectionCount: Int { unsafe Int(shim_daemon_connections(pointer)) }

    /// The number of events that a thread of the library takes in one call (`MAX_EVENTS` in its daemon.c).
    ///
    /// If `epoll_wait` returns exactly this number of events, the thread calls it again with the same time-out, which
    /// is infinite. The thread serves none of the events until one more arrives. Seen in 0.9.75 and 1.0.1.
    static let eventsAtOnce = 128

    /// The version of the library that is linked.
    static let version = unsafe String(cString: MHD_get_version())

    /// Whether the library is older than 1.0. The parser of these versions is lenient.
    static let isOld = version.hasPrefix("0.")
}

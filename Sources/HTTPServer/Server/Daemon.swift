import CMicroHTTPD
import Glibc

/// The one owner of a library daemon, and of the socket it listens on: stopped when it goes.
@safe
struct Daemon: ~Copyable {
    private let pointer: OpaquePointer
    private let listener: Listener
    /// The library's descriptor of the listening socket, which it closes when it stops.
    private let lent: Int32

    init(
        listener: consuming Listener, configuration: Server.Configuration, service: Service
    ) throws(ServerError) {
        unsafe MHD_set_panic_func(panicked, nil)
        // The library closes what it is given on most ways out of a failed start, so it gets a descriptor of its own.
        lent = fcntl(listener.descriptor, F_DUPFD_CLOEXEC, 0)
        guard lent >= 0 else { throw .system("fcntl", errno: errno) }
        errno = 0
        let pointer = unsafe shim_start_daemon(
            UInt32(configuration.threads), lent, service.connectionMemory,
            UInt32(configuration.connectionLimit), UInt32(configuration.connectionLimitPerAddress),
            // Strict, the library of before 1.0 garbles its answer to a request without Host.
            Daemon.isOld ? 0 : 1, handle,
            requestLine, leaveEscaped, requestCompleted, notifyConnection,
            Unmanaged.passUnretained(service).toOpaque())
        guard let pointer = unsafe pointer else { throw .system("MHD_start_daemon", errno: errno) }
        unsafe self.pointer = pointer
        self.listener = listener
    }

    /// The library closes the descriptor that it was lent.
    deinit { unsafe MHD_stop_daemon(pointer) }

    /// Stops accepting, and has the system refuse new connections; what is connected goes on.
    ///
    /// Not by `MHD_quiesce_daemon`: it and a worker may both take the socket out of the worker's epoll set, and in
    /// 0.9.75 the one that comes second ends the process. In its place the library's descriptor becomes that of a
    /// socket on which nothing ever comes; the listening one closes, and leaves all epoll sets by itself.
    func quiesce() { listener.silence(lent) }

    static let version = unsafe String(cString: MHD_get_version())

    /// Whether the library is of before 1.0, whose parser lets much pass.
    static let isOld = version.hasPrefix("0.")

    /// A connection's memory holds the header, a record for each of its lines, and the header of the answer.
    ///
    /// The library fills all of it with zeros for each request: no more than needed.
    static func memory(forHeader limit: Int) -> Int { limit + 8 * 1024 }
}

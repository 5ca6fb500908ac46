import CMicroHTTPD
import Glibc

/// The one owner of a library daemon, and of the socket it listens on: stopped when it goes.
@safe
struct Daemon: ~Copyable {
    private let pointer: OpaquePointer
    private let listener: Listener
    /// The library's descriptor of the listening socket, ours again when it has stopped.
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
            UInt32(configuration.threads), lent, Daemon.memory(forHeader: configuration.headerLimit),
            UInt32(configuration.connectionLimit), UInt32(configuration.connectionLimitPerAddress),
            // Strict, the library of before 1.0 garbles its answer to a request without Host.
            Daemon.isOld ? 0 : 1, handle,
            requestLine, leaveEscaped, requestCompleted, notifyConnection,
            Unmanaged.passUnretained(service).toOpaque())
        guard let pointer = unsafe pointer else { throw .system("MHD_start_daemon", errno: errno) }
        unsafe self.pointer = pointer
        self.listener = listener
    }

    deinit {
        unsafe MHD_quiesce_daemon(pointer)
        unsafe MHD_stop_daemon(pointer)
        close(lent)
    }

    /// Stops accepting, and has the system refuse new connections; what is connected goes on.
    func quiesce() {
        unsafe MHD_quiesce_daemon(pointer)
        listener.refuse()
    }

    static let version = unsafe String(cString: MHD_get_version())

    /// Whether the library is of before 1.0, whose parser lets much pass.
    static let isOld = version.hasPrefix("0.")

    /// A connection's memory holds the header, a record for each of its lines, and the header of the answer.
    ///
    /// The library fills all of it with zeros for each request: no more than needed.
    private static func memory(forHeader limit: Int) -> Int { limit + 4 * 1024 }
}

import Glibc

/// The sole owner of a listening socket.
public final class Listener: Sendable {
    let descriptor: Int32
    /// The address that the socket listens on, with the actual port if 0 was requested.
    public let address: BoundAddress
    /// The file of a Unix domain socket that this process created; nil for any other socket.
    private let file: SocketFile?
    /// Whether another process also holds the socket, and keeps it open for later use.
    private let isShared: Bool

    init(descriptor: Int32, at address: BoundAddress, file: SocketFile? = nil, isShared: Bool = false) {
        (self.descriptor, self.address, self.file, self.isShared) = (descriptor, address, file, isShared)
        // Each connection inherits the option from its listening socket. A Unix domain socket does not have this
        // option.
        Socket(descriptor).set(TCP_NOTSENT_LOWAT, at: Int32(IPPROTO_TCP), to: Listener.unsentBytes)
    }

    /// The maximum number of unsent bytes of a response that the kernel holds (`tcp_notsent_lowat` in Linux's
    /// ip-sysctl).
    ///
    /// Without this limit, the kernel would copy megabytes for a client that reads nothing, while other connections of
    /// the thread wait. The limit does not apply to data that is on its way to the client.
    private static let unsentBytes: Int32 = 32 << 10

    deinit {
        file?.remove()
        close(descriptor)
    }

    /// Refuses new connections from now on. Connections to a shared socket wait for the next user of the socket.
    ///
    /// The listening socket closes, because this descriptor and its duplicate now refer to an unconnected socket.
    ///
    /// - Parameter other: the duplicate of the descriptor.
    func silence(_ other: Int32) {
        file?.remove()
        let flags = Int32(SOCK_DGRAM.rawValue | SOCK_CLOEXEC.rawValue | SOCK_NONBLOCK.rawValue)
        let silent = socket(AF_UNIX, flags, 0)
        guard silent >= 0 else {
            if !isShared { _ = shutdown(descriptor, Int32(SHUT_RDWR)) }
            return
        }
        for number in [other, descriptor] { _ = dup2(silent, number) }
        close(silent)
    }

    static let backlog: Int32 = 1024
}

extension Listener {
    /// Resolves the host, and binds and listens on the first address that works.
    ///
    /// The host `::` accepts connections over IPv4 and IPv6, whatever the system's default is.
    ///
    /// - Parameters:
    ///   - host: a host name or an address; an IPv6 address with or without brackets.
    ///   - port: the port; 0 takes a free one.
    /// - Throws: `ServerError` if no address of the host can be bound.
    public convenience init(host: String, port: UInt16) throws(ServerError) {
        let host = host.hasPrefix("[") && host.hasSuffix("]") ? String(host.dropFirst().dropLast()) : host
        var hints = unsafe addrinfo()
        unsafe hints.ai_socktype = Int32(SOCK_STREAM.rawValue)
        unsafe hints.ai_flags = AI_PASSIVE | AI_NUMERICSERV
        var list: UnsafeMutablePointer<addrinfo>?
        let outcome = unsafe getaddrinfo(host, String(port), &hints, &list)
        defer { if let list = unsafe list { unsafe freeaddrinfo(list) } }
        guard outcome == 0 else {
            throw .unknownHost(host, reason: unsafe String(cString: gai_strerror(outcome)))
        }
        var failure = ServerError.unknownHost(host, reason: "it has no address")
        var next = unsafe list
        while let entry = unsafe next {
            do {
                let descriptor = try unsafe Listener.listening(at: entry.pointee, host: host, port: port)
                self.init(
                    descriptor: descriptor,
                    at: BoundAddress(of: descriptor) ?? BoundAddress.internet(host: host, port: port))
                return
            } catch {
                failure = error
            }
            unsafe next = entry.pointee.ai_next
        }
        throw failure
    }

    private static func listening(at entry: addrinfo, host: String, port: UInt16) throws(ServerError) -> Int32 {
        let descriptor = unsafe socket(entry.ai_family, Socket.streamFlags, entry.ai_protocol)
        guard descriptor >= 0 else { throw .system("socket", errno: errno) }
        Socket(descriptor).set(SO_REUSEADDR, at: SOL_SOCKET, to: 1)
        if unsafe entry.ai_family == AF_INET6 { Socket(descriptor).set(IPV6_V6ONLY, at: Int32(IPPROTO_IPV6), to: 0) }
        if unsafe bind(descriptor, entry.ai_addr, entry.ai_addrlen) == 0, listen(descriptor, backlog) == 0 {
            return descriptor
        }
        let code = errno
        close(descriptor)
        switch code {
        case EADDRINUSE: throw .portInUse(host: host, port: port)
        case EACCES: throw .portForbidden(host: host, port: port)
        case EADDRNOTAVAIL: throw .foreignAddress(host: host)
        default: throw .system("bind", errno: code)
        }
    }

    /// Takes over a listening socket that another process opened and keeps, such as a service manager.
    ///
    /// The socket is not removed at the end. Connections that arrive later wait for the next user of the socket.
    ///
    /// - Parameters:
    ///   - descriptor: the descriptor of the socket, which the listener owns from now on.
    ///   - name: the name of the socket in messages.
    /// - Throws: `ServerError` if the descriptor is not a listening stream socket of the internet or the Unix domain.
    public convenience init(inherited descriptor: Int32, named name: String) throws(ServerError) {
        if let fault = Listener.fault(of: descriptor) { throw .unusableSocket("\(name) \(fault)") }
        guard let address = BoundAddress(of: descriptor) else {
            throw .unusableSocket("\(name) is neither an internet socket nor a Unix domain socket")
        }
        _ = fcntl(descriptor, F_SETFD, FD_CLOEXEC)
        _ = fcntl(descriptor, F_SETFL, fcntl(descriptor, F_GETFL) | O_NONBLOCK)
        self.init(descriptor: descriptor, at: address, isShared: true)
    }

    /// The reason why a socket cannot be used for listening, as the end of a sentence; nil if the socket can be used.
    private static func fault(of descriptor: Int32) -> String? {
        guard let type = Socket(descriptor).value(of: SO_TYPE) else {
            return errno == ENOTSOCK ? "is not a socket" : "is not open"
        }
        guard type == Int32(SOCK_STREAM.rawValue) else {
            return "is not a stream socket; the .socket file needs ListenStream="
        }
        guard Socket(descriptor).value(of: SO_ACCEPTCONN) == 1 else {
            return "is not listening; the .socket file needs Accept=no"
        }
        return nil
    }
}

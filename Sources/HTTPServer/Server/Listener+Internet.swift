import Glibc

extension Listener {
    /// Resolves the host, and binds and listens on the first address that works.
    ///
    /// `::` takes connections of both families, whatever the system's default is.
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
                    descriptor, at: BoundAddress(of: descriptor) ?? BoundAddress.internet(host: host, port: port))
                return
            } catch {
                failure = error
            }
            unsafe next = entry.pointee.ai_next
        }
        throw failure
    }

    private static func listening(at entry: addrinfo, host: String, port: UInt16) throws(ServerError) -> Int32 {
        let flags = Int32(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue | SOCK_NONBLOCK.rawValue)
        let descriptor = unsafe socket(entry.ai_family, flags, entry.ai_protocol)
        guard descriptor >= 0 else { throw .system("socket", errno: errno) }
        set(SO_REUSEADDR, at: SOL_SOCKET, to: 1, on: descriptor)
        if unsafe entry.ai_family == AF_INET6 { set(IPV6_V6ONLY, at: Int32(IPPROTO_IPV6), to: 0, on: descriptor) }
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

    private static func set(_ option: Int32, at level: Int32, to value: Int32, on descriptor: Int32) {
        var value = value
        _ = unsafe setsockopt(descriptor, level, option, &value, socklen_t(MemoryLayout<Int32>.size))
    }
}

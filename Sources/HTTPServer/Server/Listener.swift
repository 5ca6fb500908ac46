import Glibc

/// The sole owner of a listening socket.
struct Listener: ~Copyable {
    let descriptor: Int32
    /// The port that it listens on; the actual one if 0 was requested.
    let port: UInt16

    /// Resolves the host, and binds and listens on the first address that works.
    init(host: String, port: UInt16) throws(ServerError) {
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
                self.descriptor = descriptor
                self.port = Listener.boundPort(of: descriptor) ?? port
                return
            } catch {
                failure = error
            }
            unsafe next = entry.pointee.ai_next
        }
        throw failure
    }

    deinit { close(descriptor) }

    /// Refuses new connections from now on.
    ///
    /// This descriptor and another one of the same socket become those of a socket on which nothing ever arrives, and
    /// the listening socket closes.
    func silence(_ other: Int32) {
        let flags = Int32(SOCK_DGRAM.rawValue | SOCK_CLOEXEC.rawValue | SOCK_NONBLOCK.rawValue)
        let silent = socket(AF_UNIX, flags, 0)
        guard silent >= 0 else {
            _ = shutdown(descriptor, Int32(SHUT_RDWR))
            return
        }
        for number in [other, descriptor] { _ = dup2(silent, number) }
        close(silent)
    }

    private static func listening(at entry: addrinfo, host: String, port: UInt16) throws(ServerError) -> Int32 {
        let flags = Int32(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue | SOCK_NONBLOCK.rawValue)
        let descriptor = unsafe socket(entry.ai_family, flags, entry.ai_protocol)
        guard descriptor >= 0 else { throw .system("socket", errno: errno) }
        var on: Int32 = 1
        let size = socklen_t(MemoryLayout<Int32>.size)
        _ = unsafe setsockopt(descriptor, SOL_SOCKET, SO_REUSEADDR, &on, size)
        if unsafe bind(descriptor, entry.ai_addr, entry.ai_addrlen) == 0, listen(descriptor, 1024) == 0 {
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

    private static func boundPort(of descriptor: Int32) -> UInt16? {
        var storage = sockaddr_storage()
        var size = socklen_t(MemoryLayout<sockaddr_storage>.size)
        return unsafe withUnsafeMutablePointer(to: &storage) { storage in
            let raw = UnsafeMutableRawPointer(storage)
            guard unsafe getsockname(descriptor, raw.assumingMemoryBound(to: sockaddr.self), &size) == 0 else {
                return nil
            }
            // The port has the same offset in both families.
            return unsafe UInt16(bigEndian: raw.assumingMemoryBound(to: sockaddr_in.self).pointee.sin_port)
        }
    }
}

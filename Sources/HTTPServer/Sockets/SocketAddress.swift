import CMicroHTTPD
import Glibc

/// The address on which a server listens, as the system reports it.
public enum BoundAddress: Equatable, Sendable {
    /// A numeric address without brackets, and the actual port.
    case internet(host: String, port: UInt16)
    /// The path of a Unix domain socket; for a socket of the abstract namespace, `@` followed by the name.
    case unix(path: String)

    /// Whether this is a loopback address; false for a Unix domain socket.
    ///
    /// Only programs on this machine can connect to a loopback address. Browsers are among these programs, and their
    /// web pages may use any host name for the address. Browsers cannot connect to a Unix domain socket.
    public var isLoopback: Bool {
        guard case .internet(let host, _) = self else { return false }
        return host == "::1" || host.hasPrefix("127.") || host.hasPrefix("::ffff:127.")
    }

    /// The port; nil for a Unix domain socket.
    public var port: UInt16? {
        if case .internet(_, let port) = self { port } else { nil }
    }

    /// The address of a socket; nil if the socket belongs to another address family.
    init?(of descriptor: Int32) {
        var storage = sockaddr_storage()
        var size = socklen_t(MemoryLayout<sockaddr_storage>.size)
        let address: BoundAddress? = unsafe withUnsafeMutablePointer(to: &storage) { storage in
            let raw = UnsafeMutableRawPointer(storage)
            let address = unsafe raw.assumingMemoryBound(to: sockaddr.self)
            guard unsafe getsockname(descriptor, address, &size) == 0 else { return nil }
            switch Int32(unsafe address.pointee.sa_family) {
            case AF_INET, AF_INET6:
                // The port has the same offset in both families.
                let port = unsafe raw.assumingMemoryBound(to: sockaddr_in.self).pointee.sin_port
                return unsafe .internet(host: PeerAddress.text(of: address), port: UInt16(bigEndian: port))
            case AF_UNIX:
                let bytes = unsafe UnsafeRawBufferPointer(start: raw, count: Int(size)).dropFirst(2)
                return unsafe .unix(path: BoundAddress.path(Array(bytes)))
            default: return nil
            }
        }
        guard let address else { return nil }
        self = address
    }

    /// The path in a `sun_path`. An abstract name begins with a zero byte; a path may end with a zero byte.
    private static func path(_ bytes: [UInt8]) -> String {
        if bytes.first == 0 { return "@" + String(decoding: bytes.dropFirst(), as: UTF8.self) }
        return String(decoding: bytes.prefix { $0 != 0 }, as: UTF8.self)
    }
}

/// The text of a socket address, without the port; `?` if the address is unknown.
enum PeerAddress {
    /// The address of every client of a Unix domain socket.
    static let unix = "unix"

    static func text(of address: UnsafePointer<sockaddr>?) -> String {
        unsafe withUnsafeTemporaryAllocation(of: CChar.self, capacity: Int(NI_MAXHOST)) { text in
            guard let address = unsafe address, let start = text.baseAddress else { return "?" }
            if unsafe address.pointee.sa_family == sa_family_t(AF_UNIX) { return unix }
            // The size is an upper bound; the family determines how much is read.
            let size = socklen_t(MemoryLayout<sockaddr_in6>.size)
            guard unsafe getnameinfo(address, size, start, socklen_t(text.count), nil, 0, NI_NUMERICHOST) == 0 else {
                return "?"
            }
            let numeric = unsafe String(cString: start)
            // The client connected to an IPv6 socket by IPv4.
            guard numeric.hasPrefix(mapped), numeric.contains(".") else { return numeric }
            return String(numeric.dropFirst(mapped.count))
        }
    }

    private static let mapped = "::ffff:"
}

/// A numeric internet address; an IPv4 address is stored as an IPv4-mapped IPv6 address (RFC 4291, section 2.5.5.2).
struct NetworkAddress: Equatable {
    /// 16 bytes in network order.
    let bytes: [UInt8]

    private static let mapped: [UInt8] = [0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0xFF, 0xFF]

    var isIPv4: Bool { bytes.starts(with: Self.mapped) }

    /// Nil unless there are 4 or 16 bytes in network order.
    init?(bytes: [UInt8]) {
        guard bytes.count == 4 || bytes.count == 16 else { return nil }
        self.bytes = bytes.count == 4 ? Self.mapped + bytes : bytes
    }

    /// Nil if the text is not an address. The zone of an IPv6 address is ignored.
    init?(_ text: some StringProtocol) {
        let text = String(text.prefix { $0 != "%" })
        guard !text.utf8.contains(0) else { return nil }
        var bytes = [UInt8](repeating: 0, count: 16)
        if unsafe inet_pton(AF_INET6, text, &bytes) == 1 {
            self.bytes = bytes
        } else if unsafe inet_pton(AF_INET, text, &bytes) == 1 {
            self.bytes = Self.mapped + bytes[..<4]
        } else {
            return nil
        }
    }

    /// The address as text, in the same form as `PeerAddress.text`.
    var text: String {
        var text = [CChar](repeating: 0, count: Int(INET6_ADDRSTRLEN))
        let (family, start) = isIPv4 ? (AF_INET, 12) : (AF_INET6, 0)
        _ = unsafe inet_ntop(family, Array(bytes[start...]), &text, socklen_t(text.count))
        return String(decoding: text.prefix { $0 != 0 }.map { UInt8(bitPattern: $0) }, as: UTF8.self)
    }
}

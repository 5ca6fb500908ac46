import CMicroHTTPD
import Glibc

/// The text of a socket address, without its port.
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
            // The client of an IPv6 socket that came by IPv4.
            guard numeric.hasPrefix(mapped), numeric.contains(".") else { return numeric }
            return String(numeric.dropFirst(mapped.count))
        }
    }

    private static let mapped = "::ffff:"
}

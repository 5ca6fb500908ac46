import CMicroHTTPD
import Glibc

/// The text of a socket address, without its port.
enum PeerAddress {
    static func text(of address: UnsafePointer<sockaddr>?) -> String {
        unsafe withUnsafeTemporaryAllocation(of: CChar.self, capacity: Int(NI_MAXHOST)) { text in
            // The size is an upper bound; the family determines how much is read.
            let size = socklen_t(MemoryLayout<sockaddr_in6>.size)
            guard let address = unsafe address, let start = text.baseAddress,
                unsafe getnameinfo(address, size, start, socklen_t(text.count), nil, 0, NI_NUMERICHOST) == 0
            else { return "?" }
            return unsafe String(cString: start)
        }
    }
}

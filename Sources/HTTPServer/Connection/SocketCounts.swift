import Glibc

/// What the system counts of a connection's bytes.
enum SocketCounts {
    /// The bytes that have arrived; nil if the system does not count them, as for a Unix domain socket.
    static func received(by descriptor: Int32) -> UInt64? { count(of: descriptor, at: 128) }

    /// A number that grows, or at least changes, whenever the peer takes bytes that were sent to it.
    ///
    /// For TCP these are the bytes that the peer has acknowledged, for a Unix domain socket those that it has not yet read.
    static func taken(by descriptor: Int32) -> UInt64 {
        if let acknowledged = count(of: descriptor, at: 120) { return acknowledged }
        var waiting: Int32 = 0
        return unsafe ioctl(descriptor, UInt(TIOCOUTQ), &waiting) == 0 ? UInt64(clamping: waiting) : 0
    }

    /// `tcpi_bytes_acked` and `tcpi_bytes_received` of Linux's `struct tcp_info` (linux/tcp.h, RFC 4898); glibc's
    /// declaration ends before these members.
    private static func count(of descriptor: Int32, at place: Int) -> UInt64? {
        unsafe withUnsafeTemporaryAllocation(byteCount: place + 8, alignment: 8) { info in
            var size = socklen_t(info.count)
            guard unsafe getsockopt(descriptor, Int32(IPPROTO_TCP), TCP_INFO, info.baseAddress, &size) == 0,
                size == info.count
            else { return nil }
            return unsafe info.load(fromByteOffset: place, as: UInt64.self)
        }
    }
}

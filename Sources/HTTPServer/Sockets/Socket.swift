import CEpoll
import CSockets
import Glibc

/// System calls on a socket that another object owns.
struct Socket {
    let descriptor: Int32

    init(_ descriptor: Int32) { self.descriptor = descriptor }

    /// The flags of a stream socket of this server.
    static let streamFlags = Int32(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue | SOCK_NONBLOCK.rawValue)

    /// Two connected sockets; nil if the descriptors are used up.
    static func pair() -> (Int32, Int32)? {
        var pair: [Int32] = [-1, -1]
        return unsafe socketpair(AF_UNIX, streamFlags, 0, &pair) == 0 ? (pair[0], pair[1]) : nil
    }

    // MARK: Options

    /// Sets an option. Does nothing if this kind of socket does not have the option.
    func set(_ option: Int32, at level: Int32, to value: Int32) {
        var value = value
        _ = unsafe setsockopt(descriptor, level, option, &value, socklen_t(MemoryLayout<Int32>.size))
    }

    /// The value of an option of the level `SOL_SOCKET`; nil, with `errno`, on failure.
    func value(of option: Int32) -> Int32? {
        var value: Int32 = 0
        var size = socklen_t(MemoryLayout<Int32>.size)
        return unsafe getsockopt(descriptor, SOL_SOCKET, option, &value, &size) == 0 ? value : nil
    }

    // MARK: Input and output

    enum Input {
        case data, nothing
        /// The peer has stopped sending, and everything that it sent has been read.
        case end
    }

    /// The kind of input that can be read now, without reading it. On failure, this is `nothing`, too.
    var input: Input {
        var byte: UInt8 = 0
        let count = unsafe recv(descriptor, &byte, 1, Int32(MSG_DONTWAIT) | Int32(MSG_PEEK))
        return count > 0 ? .data : count == 0 ? .end : .nothing
    }

    /// Sends as many bytes as the socket takes at once. SIGPIPE must be ignored.
    func send(_ bytes: [UInt8]) { _ = unsafe Glibc.send(descriptor, bytes, bytes.count, Int32(MSG_DONTWAIT)) }

    /// Reads and discards input, up to a megabyte. Returns true if the peer has stopped sending or the socket has
    /// failed.
    func discardInput() -> Bool {
        unsafe withUnsafeTemporaryAllocation(byteCount: 64 << 10, alignment: 1) { buffer in
            for _ in 0..<16 {
                let count = unsafe recv(descriptor, buffer.baseAddress, buffer.count, Int32(MSG_DONTWAIT))
                if count == 0 { return true }
                if count < 0 { return errno != EAGAIN && errno != EINTR }
            }
            return false
        }
    }

    /// A number that changes whenever the peer takes bytes that were sent to it.
    ///
    /// For TCP, this is the number of acknowledged bytes. For a Unix domain socket, it is the number of bytes that the
    /// peer has not yet read. It is 0 if neither number is known.
    var bytesTaken: Int64 {
        let acknowledged = drilldown_bytes_acknowledged(descriptor)
        if acknowledged >= 0 { return acknowledged }
        var unread: Int32 = 0
        return unsafe ioctl(descriptor, UInt(TIOCOUTQ), &unread) == 0 ? Int64(unread) : 0
    }

    /// Whether the peer of each socket has stopped sending; also true for a socket that has failed.
    ///
    /// It does not matter whether all data from the peer has been read.
    static func haveEnded(_ descriptors: [Int32]) -> [Bool] {
        // POLLRDHUP, which Swift's Glibc does not import, has the same value.
        let event = Int16(EPOLLRDHUP.rawValue)
        var entries = descriptors.map { pollfd(fd: $0, events: event, revents: 0) }
        guard !entries.isEmpty else { return [] }
        _ = unsafe poll(&entries, nfds_t(entries.count), 0)
        return entries.map { $0.revents != 0 }
    }
}

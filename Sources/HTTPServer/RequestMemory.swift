import Glibc

/// The memory that the library has for the requests of one connection, as far as it can be told from outside.
///
/// The library fills it with zeros after each request, so that of a connection that has served one all pages are
/// resident. Its bounds are known from the place of the request, which stands at its beginning, unless blank lines came
/// before it: that is ruled out where every byte that was read from the socket was one of a request.
@safe
struct RequestMemory {
    /// Where the request begins.
    private var start: UnsafeRawPointer?
    /// How many bytes all requests had until now, header and body.
    private var accounted: UInt64 = 0

    /// The header of a request was read.
    mutating func addHeader(at start: UnsafePointer<UInt8>, size: Int) {
        unsafe self.start = UnsafeRawPointer(start)
        accounted &+= UInt64(size)
    }

    /// A piece of a body was read.
    mutating func addBody(size: Int) { accounted &+= UInt64(size) }

    /// Gives pages of zeros back to the system while the connection waits.
    /// - Parameter size: the bytes that the library has for each connection.
    func releaseZeros(size: Int, descriptor: Int32) {
        guard let start = unsafe start, RequestMemory.bytesRead(from: descriptor) == accounted else { return }
        unsafe IdlePages.releaseZeros(within: UnsafeRawBufferPointer(start: start, count: size))
    }

    /// How many bytes were read from a socket, or more, but never less.
    private static func bytesRead(from descriptor: Int32) -> UInt64? {
        // Asked for first, so that what comes meanwhile counts as read.
        var unread: Int32 = 0
        guard unsafe ioctl(descriptor, UInt(FIONREAD), &unread) == 0 else { return nil }
        return received(by: descriptor).map { $0 &- UInt64(unread) }
    }

    /// `tcpi_bytes_received` of Linux's `struct tcp_info`, which glibc's declaration of it ends before.
    private static func received(by descriptor: Int32) -> UInt64? {
        let place = 128
        return unsafe withUnsafeTemporaryAllocation(byteCount: place + 8, alignment: 8) { info in
            var size = socklen_t(info.count)
            guard unsafe getsockopt(descriptor, Int32(IPPROTO_TCP), TCP_INFO, info.baseAddress, &size) == 0,
                size == info.count
            else { return nil }
            return unsafe info.load(fromByteOffset: place, as: UInt64.self)
        }
    }
}

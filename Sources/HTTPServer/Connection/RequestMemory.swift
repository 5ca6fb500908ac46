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
    /// The bytes of the request line and the header.
    private var header = 0
    /// The bytes that the library needs besides for the lines of the header.
    private var records = 0

    /// The header of a request was read.
    /// - Parameter records: the bytes that the library needs besides for its lines.
    mutating func addHeader(at start: UnsafePointer<UInt8>, size: Int, records: Int) {
        unsafe self.start = UnsafeRawPointer(start)
        accounted &+= UInt64(size)
        header = size
        self.records = records
    }

    /// The bytes that the library needs for the lines of a header besides their text.
    static func records(of fields: borrowing FieldLines) -> Int {
        // One line more may be added, which ends the connection.
        let lines = (fields.count + 1) * record
        guard let cookies = fields.first(.cookie)?.value else { return lines }
        return lines + cookies.count + (cookies.count(where: endsCookie) + 2) * record
    }

    /// A piece of a body was read.
    mutating func addBody(size: Int) { accounted &+= UInt64(size) }

    /// Whether the header of an answer fits into the same memory behind the request; if it does not, the library cuts
    /// the connection.
    /// - Parameters:
    ///   - answer: the bytes of the answer's header lines.
    ///   - size: the bytes that the library has for each connection.
    @inline(__always)
    func hasRoom(forHeader answer: Int, in size: Int, descriptor: Int32) -> Bool {
        let free = size - records - answer - RequestMemory.automaticLines
        // What has come behind the request was read into the first half of the memory, or in small steps beyond it.
        return free >= size / 2 && free >= header + 3072 || isEnough(free, descriptor)
    }

    /// Whether so many bytes are enough for the request and what has come behind it.
    private func isEnough(_ free: Int, _ descriptor: Int32) -> Bool {
        guard free >= header, let read = RequestMemory.bytesRead(from: descriptor) else { return false }
        return UInt64(free - header) >= read &- accounted
    }

    /// `struct MHD_HTTP_Header` of libmicrohttpd 0.9.75, `struct MHD_HTTP_Req_Header` of 1.0, with their padding.
    private static let record = 64
    /// The status line and the lines that the library adds, and the beginning of a chunk.
    private static let automaticLines = 256

    private static func endsCookie(_ byte: UInt8) -> Bool { byte == UInt8(ascii: ";") || byte == UInt8(ascii: ",") }

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

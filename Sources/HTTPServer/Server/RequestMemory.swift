import Glibc
import Heap
import Locking

/// The memory that the library has for the requests of one connection, as far as it can be determined from outside.
///
/// The library fills it with zeros after each request, so all its pages are resident once a connection has served one.
/// It begins where the request is, unless blank lines came before that; there were none if every byte read from the
/// socket belongs to a request.
@safe
struct RequestMemory {
    /// The address of the request.
    private var start: UnsafeRawPointer?
    /// The bytes of all requests so far, header and body.
    private var accounted: UInt64 = 0
    /// The bytes of the request line and the header.
    private var header = 0
    /// The bytes that the library needs in addition for the lines of the header.
    private var records = 0

    /// Notes that the header of a request was read.
    ///
    /// - Parameter records: the bytes that the library needs in addition for its lines.
    mutating func addHeader(at start: UnsafePointer<UInt8>, size: Int, records: Int) {
        unsafe self.start = UnsafeRawPointer(start)
        accounted &+= UInt64(size)
        header = size
        self.records = records
    }

    /// The bytes that the library needs for the lines of a header in addition to their text.
    static func records(of fields: borrowing FieldLines) -> Int {
        // One more line may be added, which ends the connection.
        let lines = (fields.count + 1) * record
        guard let cookies = fields.first(.cookie)?.value else { return lines }
        return lines + cookies.count + (cookies.count(where: endsCookie) + 2) * record
    }

    /// Notes that a piece of a body was read.
    mutating func addBody(size: Int) { accounted &+= UInt64(size) }

    /// Whether the header of a response fits into the memory after the request; if not, the library cuts the connection.
    ///
    /// - Parameters:
    ///   - answer: the bytes of the response's header lines.
    ///   - size: the bytes that the library has for each connection.
    ///   - bytesRead: the bytes of requests that the library has read so far, or more, but never less.
    @inline(__always)
    func hasRoom(forHeader answer: Int, in size: Int, bytesRead: () -> UInt64?) -> Bool {
        let free = size - records - answer - RequestMemory.automaticLines
        // Input after the request was read into the first half of the memory, or in small steps beyond it.
        return free >= size / 2 && free >= header + 3072 || isEnough(free, bytesRead)
    }

    /// Whether so many bytes are enough for the request and the input after it.
    private func isEnough(_ free: Int, _ bytesRead: () -> UInt64?) -> Bool {
        guard free >= header, let read = bytesRead() else { return false }
        return UInt64(free - header) >= read &- accounted
    }

    /// `struct MHD_HTTP_Header` of libmicrohttpd 0.9.75, `struct MHD_HTTP_Req_Header` of 1.0, with their padding.
    private static let record = 64
    /// The bytes of the status line, of the lines that the library adds, and of the beginning of a chunk.
    private static let automaticLines = 256

    private static func endsCookie(_ byte: UInt8) -> Bool { byte == UInt8(ascii: ";") || byte == UInt8(ascii: ",") }

    /// Returns pages of zeros to the system while the connection waits.
    ///
    /// - Parameters:
    ///   - size: the bytes that the library has for each connection.
    ///   - bytesRead: the bytes of requests that the library has read so far.
    func releaseZeros(size: Int, bytesRead: UInt64?) {
        guard let start = unsafe start, bytesRead == accounted else { return }
        unsafe IdlePages.releaseZeros(within: UnsafeRawBufferPointer(start: start, count: size))
    }

    /// The number of bytes read from a socket, or more, but never less.
    static func bytesRead(from descriptor: Int32) -> UInt64? {
        // Determined first, so that input that arrives meanwhile counts as read.
        var unread: Int32 = 0
        guard unsafe ioctl(descriptor, UInt(FIONREAD), &unread) == 0 else { return nil }
        return SocketCounts.received(by: descriptor).map { $0 &- UInt64(unread) }
    }
}

/// Admits one body at a time that is larger than the server's limit, so that the memory for bodies is bounded.
final class LargeBodies: Sendable {
    private let memory = Guarded<MemoryReservation?>(nil)

    /// Admits a body, which must `leave`; false if there is one already, or no memory for it.
    func enter(bytes: Int) -> Bool {
        memory.withLock { memory in
            guard memory == nil, let reserved = MemoryBudget.reserve(bytes) else { return false }
            memory = reserved
            return true
        }
    }

    /// Admits the next one.
    func leave() { memory.withLock { $0 = nil } }
}

extension Connection {
    /// The progress of the current request.
    enum Phase {
        case idle
        /// The request line has been read.
        case line
        /// The header has been read and is well-formed; the body follows, or the call to answer.
        case body
        /// The response follows later.
        case waiting
        case answered
    }

    /// What is counted and logged of a response that the library has taken.
    struct QueuedAnswer {
        /// 0 if there is none.
        let status: Int
        /// The size in bytes of a body that is not a stream.
        let size: Int
        let stream: StreamReader?
        /// The library's response, which goes back to its payload.
        let handle: Response.Handle?
        let payload: Response.Payload?
        /// The response if its memory is charged to a budget, which gets it back when nothing refers to the response.
        let charged: Response?

        static let none = QueuedAnswer(status: 0, size: 0, stream: nil, handle: nil, payload: nil, charged: nil)
    }
}

extension Connection.QueuedAnswer {
    /// - Parameters:
    ///   - size: the bytes of the body that are sent.
    ///   - handle: the library's response.
    init(_ response: Response, size: Int, handle: Response.Handle) {
        self.init(
            status: response.status, size: size, stream: response.payload.stream, handle: handle,
            payload: response.payload, charged: response.isCharged ? response : nil)
    }
}

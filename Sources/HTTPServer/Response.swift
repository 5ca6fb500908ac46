import Glibc

/// An answer: built once, then immutable, and queued as often as wanted on any number of connections and threads.
///
/// `Date`, `Content-Length`, `Transfer-Encoding` and `Connection` are the server's business: leave them out.
public final class Response: Sendable {
    /// The status code (RFC 9110 section 15).
    public let status: Int
    /// The header lines, without those that the server adds.
    public let headers: [(name: String, value: String)]
    let handle: Handle
    /// What reads the stream, where the body is one.
    let stream: StreamReader?
    private let memory: Memory

    /// The body, where it is not a stream: memory that the library owns as long as the handle lives.
    ///
    /// Sendable, since nobody writes to it after `init`.
    @safe
    private struct Memory: @unchecked Sendable {
        let bytes: UnsafeRawBufferPointer
    }

    private init(
        status: Int, headers: [(name: String, value: String)], handle: consuming Handle, memory: Memory,
        stream: StreamReader? = nil
    ) {
        self.status = status
        self.stream = stream
        self.headers = headers.filter { handle.add($0.name, $0.value) }
        self.handle = handle
        self.memory = memory
    }

    /// Makes a response of memory from `malloc`, which it takes over and frees.
    public convenience init(
        status: Int, headers: [(name: String, value: String)], takingOver body: UnsafeMutableRawBufferPointer
    ) {
        let memory = unsafe Memory(bytes: UnsafeRawBufferPointer(body))
        unsafe self.init(status: status, headers: headers, handle: Handle(takingOver: body), memory: memory)
    }

    /// Makes a response of bytes, which are copied.
    public convenience init(status: Int, headers: [(name: String, value: String)], body: [UInt8]) {
        // malloc(0) may be nil, which the library would take for a fault.
        guard let copy = unsafe malloc(max(body.count, 1)) else { fatalError("out of memory: \(body.count) bytes") }
        let memory = unsafe UnsafeMutableRawBufferPointer(start: copy, count: body.count)
        unsafe memory.copyBytes(from: body)
        unsafe self.init(status: status, headers: headers, takingOver: memory)
    }

    /// Makes a response without a body, as 304 and 204 are.
    public convenience init(status: Int, headers: [(name: String, value: String)]) {
        self.init(status: status, headers: headers, body: [])
    }

    /// Makes a response of unknown length, which can be queued once: the stream is read to its end and let go.
    public convenience init(status: Int, headers: [(name: String, value: String)], stream: any BodyStream) {
        let memory = unsafe Memory(bytes: UnsafeRawBufferPointer(start: nil, count: 0))
        let reader = StreamReader(stream)
        self.init(status: status, headers: headers, handle: Handle(streaming: reader), memory: memory, stream: reader)
    }

    /// The bytes of the body; 0 for a stream.
    var size: Int { unsafe memory.bytes.count }

    /// The body; empty for a stream.
    public var body: Span<UInt8> {
        @_lifetime(borrow self)
        get {
            let span = unsafe Span<UInt8>(_unsafeBytes: memory.bytes)
            return unsafe _overrideLifetime(span, borrowing: self)
        }
    }

    /// The first value of a header line, its name in any case.
    public func header(_ name: String) -> String? {
        headers.first { $0.name.lowercased() == name.lowercased() }?.value
    }
}

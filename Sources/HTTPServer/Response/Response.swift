import Glibc

/// A response: immutable once made, and queued any number of times on any number of connections and threads.
///
/// The server adds `Drilldown-Request`, `Date`, `Content-Length`, `Transfer-Encoding` and `Connection`: leave them out.
public final class Response: Sendable {
    /// The field by which the server names the request in each answer.
    public static let requestField: StaticString = "Drilldown-Request"
    /// The bytes of its line.
    static let requestLine = requestField.utf8CodeUnitCount + RequestID.length + 4

    /// The status code (RFC 9110, section 15).
    public let status: Int
    let payload: Payload
    /// Held until the response was sent.
    let charge: ResponseBudget.Charge?

    init(status: Int, payload: Payload, charge: ResponseBudget.Charge? = nil) {
        self.status = status
        self.payload = payload
        self.charge = charge
    }

    /// Makes a response from memory allocated by `malloc`, which it takes ownership of and frees.
    public convenience init(
        status: Int, headers: [(name: String, value: String)], takingOver body: UnsafeMutableRawBufferPointer
    ) {
        self.init(status: status, headers: headers, body: unsafe Body(takingOver: body))
    }

    /// Makes a response from a body that other responses may have too.
    public convenience init(status: Int, headers: [(name: String, value: String)], body: Body) {
        self.init(status: status, payload: Payload(headers: headers, body: body))
    }

    /// Makes a response from bytes, which are copied.
    ///
    /// Without memory for the copy it cannot be sent: the client gets a 503 in its place, or its connection is cut.
    public convenience init(status: Int, headers: [(name: String, value: String)], body: [UInt8]) {
        // malloc(0) may return nil, which the library would reject.
        guard let copy = unsafe malloc(max(body.count, 1)) else {
            self.init(status: status, payload: Payload(withoutMemoryFor: headers))
            return
        }
        let memory = unsafe UnsafeMutableRawBufferPointer(start: copy, count: body.count)
        unsafe memory.copyBytes(from: body)
        unsafe self.init(status: status, headers: headers, takingOver: memory)
    }

    /// Makes a response without a body, such as 204 and 304.
    ///
    /// The library sends `Content-Length` with 304 too, and it is 0 here. RFC 9110, section 8.6, asks for the length of
    /// the body that is not sent, but clients that ignore that rule would wait for the body.
    public convenience init(status: Int, headers: [(name: String, value: String)]) {
        self.init(status: status, headers: headers, body: [])
    }

    /// Makes a response of unknown length, which can be queued once: the stream is read to its end and released.
    public convenience init(status: Int, headers: [(name: String, value: String)], stream: any BodyStream) {
        self.init(status: status, payload: Payload(headers: headers, stream: StreamReader(stream)))
    }

    /// Makes a response of known length, which can be queued once: the stream is read until it has given so many bytes.
    public convenience init(
        status: Int, headers: [(name: String, value: String)], stream: any BodyStream, length: Int
    ) {
        self.init(status: status, payload: Payload(headers: headers, stream: StreamReader(stream, length: length)))
    }

    /// Makes a response whose body is a stream of events.
    ///
    /// It can be queued once. The stream is read once the header has been sent, and ends with the connection.
    public convenience init(status: Int, headers: [(name: String, value: String)], events: EventStream) {
        self.init(status: status, payload: Payload(headers: headers, stream: StreamReader(events)))
    }

    /// The header lines, without those that the server adds, and without any that cannot be sent.
    public var headers: [(name: String, value: String)] { payload.headers }

    /// The body; empty for a stream.
    public var body: Span<UInt8> {
        @_lifetime(borrow self)
        get {
            let span = unsafe Span<UInt8>(_unsafeBytes: payload.bytes)
            return unsafe _overrideLifetime(span, borrowing: self)
        }
    }

    /// Whether the body is a stream, so that the response can be queued only once.
    public var isStream: Bool { payload.stream != nil }

    /// The body, or what the stream is made of, for other responses; nil if it has none that can be shared.
    public var sharedBody: Body? { payload.stream.map(\.sharedBody) ?? payload.body }

    /// Whether the response is charged to a budget.
    var isCharged: Bool { charge != nil }

    /// The number of bytes sent as the body; 0 for a stream, and for a status without a body.
    var size: Int { status == 304 || status == 204 ? 0 : payload.size }

    /// The first value of a header line, its name in any case.
    public func header(_ name: String) -> String? {
        headers.first { $0.name.lowercased() == name.lowercased() }?.value
    }
}

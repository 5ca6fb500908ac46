import Locking

/// A response: immutable once made, and queued any number of times on any number of connections and threads.
///
/// The server adds `Drilldown-Request`, `Date`, `Content-Length`, `Transfer-Encoding` and `Connection`: leave them out.
public final class Response: Sendable {
    /// The field with the identifier of the request in each answer.
    public static let requestField: StaticString = "Drilldown-Request"
    /// The length of the header line with the identifier, in bytes.
    static let requestLine = requestField.utf8CodeUnitCount + RequestID.length + 4

    /// The status code (RFC 9110, section 15).
    public let status: Int
    let payload: Payload
    /// The charge for the response, held until the response has been sent; nil if the response is not charged.
    let charge: ResponseBudget.Charge?

    init(status: Int, payload: Payload, charge: ResponseBudget.Charge? = nil) {
        self.status = status
        self.payload = payload
        self.charge = charge
    }

    /// Makes a response from a body that other responses may share.
    public convenience init(status: Int, headers: [(name: String, value: String)], body: Body) {
        self.init(status: status, payload: Payload(headers: headers, body: body))
    }

    /// Makes a response from bytes, which are copied.
    ///
    /// If memory for the copy is lacking, the response cannot be sent: the client gets a 503 instead, or its connection
    /// is cut.
    public convenience init(status: Int, headers: [(name: String, value: String)], body: [UInt8]) {
        self.init(status: status, payload: Payload(headers: headers, body: Body(copying: body)))
    }

    /// Makes a response without a body, for a status such as 204 or 304.
    ///
    /// With 304, the library sends `Content-Length: 0`. RFC 9110, section 8.6, asks for the length of the body that is
    /// not sent. But clients that ignore that rule would wait for the body.
    public convenience init(status: Int, headers: [(name: String, value: String)]) {
        self.init(status: status, headers: headers, body: [])
    }

    /// Makes a response whose body is a stream. The response can be queued once, and then releases the stream.
    ///
    /// - Parameter length: the number of bytes that are read from the stream; nil to read it to its end.
    public convenience init(
        status: Int, headers: [(name: String, value: String)], stream: any BodyStream, length: Int? = nil
    ) {
        self.init(
            status: status, payload: Payload(headers: headers, stream: StreamReader(stream: stream, length: length)))
    }

    /// Makes a response whose body is a stream of events.
    ///
    /// The response can be queued once. The stream is read once the header has been sent, and ends with the connection.
    public convenience init(status: Int, headers: [(name: String, value: String)], events: EventStream) {
        self.init(status: status, payload: Payload(headers: headers, stream: StreamReader(events)))
    }

    /// The header lines that the library accepted; the server adds others.
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

    /// The bytes of the body, or the bytes from which the stream is made, for use in other responses; nil if the bytes
    /// cannot be shared.
    public var sharedBody: Body? { payload.stream.map(\.sharedBody) ?? payload.body }

    /// The number of bytes sent as the body; 0 for a stream, and for a status without a body.
    var size: Int { status == 304 || status == 204 ? 0 : payload.size }

    /// The value of the first header line with a name, ignoring case; nil if it is absent.
    public func header(_ name: String) -> String? {
        headers.first { $0.name.lowercased() == name.lowercased() }?.value
    }
}

extension Response {
    private static let linkFields: Set = ["Content-Location", "Link", "Location"]

    /// The same response without the links in its header (RFC 8288; RFC 9110, sections 8.7 and 10.2.2).
    ///
    /// The body contains the same links. Nil for redirects, and if the response lacks links or a body in memory.
    var withoutLinks: Response? {
        let rest = headers.filter { !Self.linkFields.contains($0.name) }
        guard rest.count < headers.count, status < 300, let body = payload.body else { return nil }
        return Response(status: status, payload: Payload(headers: rest, body: body), charge: charge)
    }

    /// The header and the body, which responses of different status can share, and the library's responses for them.
    ///
    /// Each answer in progress has a library response of its own, because its header names the request. The library
    /// responses of a payload share the body, and are kept for later answers.
    final class Payload: Sendable {
        private let spares: Guarded<[LibraryResponse]>
        /// The header lines that the library accepted.
        let headers: [(name: String, value: String)]
        /// The size of the header lines, in bytes.
        let headerSize: Int
        let stream: StreamReader?
        /// The body; nil for a stream, and if memory for the body was lacking.
        let body: Body?

        /// A payload without a body and without a stream cannot be sent; it means that memory for the body was lacking.
        init(headers: [(name: String, value: String)], body: Body? = nil, stream: StreamReader? = nil) {
            let handle =
                body.map { LibraryResponse($0) } ?? stream.map { LibraryResponse(streaming: $0) } ?? LibraryResponse()
            self.headers = handle.add(headers)
            // Each line has a colon, a space and a line end.
            headerSize = self.headers.reduce(0) { $0 + $1.name.utf8.count + $1.value.utf8.count + 4 }
            spares = Guarded([handle])
            (self.body, self.stream) = (body, stream)
        }

        var lacksMemory: Bool { body == nil && stream == nil }

        /// The maximum number of kept library responses. It is enough for one answer in progress on each of that many
        /// threads.
        private static let mostSpares = 16

        /// A library response that names the request of one answer; nil if memory for it is lacking.
        ///
        /// A stream has only one library response, so a second call returns nil.
        func handle(naming id: RequestID) -> LibraryResponse? {
            guard let handle = spares.withLock({ $0.popLast() }) ?? body.map(copy), handle.name(id) else { return nil }
            return handle
        }

        private func copy(_ body: Body) -> LibraryResponse {
            let handle = LibraryResponse(body)
            _ = handle.add(headers)
            return handle
        }

        /// Takes back a library response whose answer has been sent or will never be sent.
        func giveBack(_ handle: LibraryResponse) {
            guard stream == nil else { return }
            spares.withLock { spares in
                if spares.count < Self.mostSpares { spares.append(handle) }
            }
        }

        /// The bytes of the body; 0 for a stream.
        var size: Int { body?.count ?? 0 }

        /// The body, valid as long as this object exists; empty for a stream.
        var bytes: UnsafeRawBufferPointer { unsafe body?.bytes ?? UnsafeRawBufferPointer(start: nil, count: 0) }
    }
}

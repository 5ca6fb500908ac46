import CMicroHTTPD
import Glibc
import Locking

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

extension Response {
    /// The part that responses of different status can share: the library's responses, and what they are made of.
    ///
    /// Each answer on its way has a library response of its own, because its header names the request. Their memory is
    /// kept for the answers that follow, and all have the same body.
    final class Payload: Sendable {
        private let spares: Guarded<[Handle]>
        /// The header lines that the library accepted.
        let headers: [(name: String, value: String)]
        /// The bytes of the header lines, without those that the server adds.
        let headerSize: Int
        /// The reader of the stream, if the body is one.
        let stream: StreamReader?
        /// The body; nil for a stream, and if there was no memory for it.
        let body: Body?

        init(headers: [(name: String, value: String)], body: Body) {
            let handle = Handle(body)
            self.headers = handle.add(headers)
            headerSize = Payload.size(of: self.headers)
            spares = Guarded([handle])
            self.body = body
            stream = nil
        }

        init(headers: [(name: String, value: String)], stream: StreamReader) {
            let handle = Handle(streaming: stream)
            self.headers = handle.add(headers)
            headerSize = Payload.size(of: self.headers)
            spares = Guarded([handle])
            body = nil
            self.stream = stream
        }

        /// The payload of a response for whose body there was no memory; it cannot be sent.
        init(withoutMemoryFor headers: [(name: String, value: String)]) {
            spares = Guarded([Handle()])
            self.headers = headers
            headerSize = Payload.size(of: headers)
            body = nil
            stream = nil
        }

        /// Whether there was no memory for the body.
        var lacksMemory: Bool { body == nil && stream == nil }

        /// The most library responses that are kept; as many answers are made at once by so many threads.
        private static let mostSpares = 16

        /// A library response for one answer, which names its request; nil if there is no memory for it.
        ///
        /// A stream has only one.
        func handle(naming id: RequestID) -> Handle? {
            guard let handle = spares.withLock({ $0.popLast() }) ?? body.map(copy), handle.name(id) else { return nil }
            return handle
        }

        private func copy(_ body: Body) -> Handle {
            let handle = Handle(body)
            _ = handle.add(headers)
            return handle
        }

        /// Takes back a library response whose answer was sent, or never will be.
        func giveBack(_ handle: Handle) {
            guard stream == nil else { return }
            spares.withLock { spares in
                if spares.count < Self.mostSpares { spares.append(handle) }
            }
        }

        /// Including the colon, the space and the line end of each line.
        private static func size(of headers: [(name: String, value: String)]) -> Int {
            headers.reduce(0) { $0 + $1.name.utf8.count + $1.value.utf8.count + 4 }
        }

        /// The bytes of the body; 0 for a stream.
        var size: Int { body?.count ?? 0 }

        /// The body, valid as long as this object exists; empty for a stream.
        var bytes: UnsafeRawBufferPointer { unsafe body?.bytes ?? UnsafeRawBufferPointer(start: nil, count: 0) }
    }

    /// The sole owner of a library response; a connection on which it is queued holds a reference of its own.
    ///
    /// Sendable, because one connection at a time takes it from its payload, names its request, and queues it.
    @safe
    final class Handle: @unchecked Sendable {
        /// Nil if the library had no memory for it; it cannot be sent then.
        let pointer: OpaquePointer?
        /// The digits in the line `Drilldown-Request`, ended by a zero byte; no digits before the first request.
        private var digits = [UInt8](repeating: 0, count: RequestID.length + 1)
        private var isNamed = false

        /// The handle of a response that cannot be sent.
        init() { unsafe pointer = nil }

        /// The library refers to the body until nothing refers to the response.
        init(_ body: Body) {
            let retained = unsafe Unmanaged.passRetained(body)
            unsafe pointer = MHD_create_response_from_buffer_with_free_callback_cls(
                body.count, UnsafeMutableRawPointer(mutating: body.bytes.baseAddress), releaseBody,
                retained.toOpaque())
            if unsafe pointer == nil { unsafe retained.release() }
        }

        init(streaming reader: StreamReader) {
            let retained = unsafe Unmanaged.passRetained(reader).toOpaque()
            unsafe pointer = MHD_create_response_from_callback(
                reader.length.map { UInt64($0) } ?? shim_size_unknown(), reader.blockSize, readBodyStream, retained,
                releaseBodyStream)
        }

        deinit { if let pointer = unsafe pointer { unsafe MHD_destroy_response(pointer) } }

        /// Has the header name a request in place of the one before.
        ///
        /// - Returns: false if there is no memory for it.
        func name(_ id: RequestID) -> Bool {
            guard let pointer = unsafe pointer else { return false }
            let field = unsafe UnsafeRawPointer(Response.requestField.utf8Start).assumingMemoryBound(to: CChar.self)
            return unsafe digits.withUnsafeMutableBufferPointer { digits in
                let text = unsafe UnsafeRawPointer(digits.baseAddress.unsafelyUnwrapped)
                    .assumingMemoryBound(to: CChar.self)
                if isNamed { _ = unsafe MHD_del_response_header(pointer, field, text) }
                unsafe id.write(to: digits)
                isNamed = unsafe MHD_add_response_header(pointer, field, text) == .YES
                return isNamed
            }
        }

        /// Adds header lines, and returns those that the library accepted.
        func add(_ headers: [(name: String, value: String)]) -> [(name: String, value: String)] {
            var refused: [Int] = []
            for index in headers.indices where !add(headers[index].name, headers[index].value) { refused.append(index) }
            return refused.isEmpty ? headers : headers.indices.filter { !refused.contains($0) }.map { headers[$0] }
        }

        /// Returns false if the name or the value contains something that a header line cannot carry.
        private func add(_ name: String, _ value: String) -> Bool {
            unsafe name.withCString { name in
                unsafe value.withCString { value in unsafe MHD_add_response_header(pointer, name, value) == .YES }
            }
        }
    }
}

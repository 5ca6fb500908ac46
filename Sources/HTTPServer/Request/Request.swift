/// One request as it was received: method, raw target, fields, body.
///
/// Each connection has one object, which it reuses for each request. Use the object only on the thread that received
/// it, and only until the response is sent. Do not keep it.
@safe
public final class Request {
    /// The address of the connection's client as text, without the port.
    let peer: String
    /// The trusted proxies, if the connection comes from one of them; otherwise nil.
    private let proxies: TrustedProxies?
    /// The client's address from the fields of a proxy; nil until it is needed, or until the fields are about to be
    /// freed.
    private var forwardedClient: String?
    /// Only the connection's thread uses the storage, and each access ends before the next begins. Run-time checks for
    /// exclusive access would cost 1,000 instructions per request.
    @exclusivity(unchecked) private var storage = Parts()
    var parts: Parts {
        _read { yield unsafe storage }
        _modify { yield unsafe &storage }
    }
    /// The text of a request made without a connection; the fields point into this text. Nil for any other request.
    private let ownText: UnsafeMutableBufferPointer<UInt8>?

    init(peer: String, proxies: TrustedProxies? = nil) {
        self.peer = peer
        self.proxies = proxies.flatMap { $0.trust(peer: peer) ? $0 : nil }
        unsafe ownText = nil
    }

    /// Makes a request without a connection, for tests.
    package init(
        method: Method = .get, target: String, fields: [(name: String, value: String)] = [], body: [UInt8] = [],
        peer: String = "127.0.0.1", proxies: TrustedProxies? = nil
    ) {
        self.peer = peer
        self.proxies = proxies.flatMap { $0.trust(peer: peer) ? $0 : nil }
        let text = Array((target + fields.map { $0.name + $0.value }.joined()).utf8)
        let own = UnsafeMutableBufferPointer<UInt8>.allocate(capacity: text.count + 1)
        _ = unsafe own.initialize(from: text)
        unsafe ownText = own
        var place = unsafe own.baseAddress.unsafelyUnwrapped
        func next(_ text: String) -> Octets {
            defer { unsafe place += text.utf8.count }
            return unsafe Octets(start: place, count: text.utf8.count)
        }
        parts.method = method
        parts.body = body
        parts.target.set(next(target))
        for (name, value) in fields { parts.fields.append(FieldLine(name: next(name), value: next(value))) }
    }

    deinit { unsafe ownText?.deallocate() }

    /// The client's address as text, without the port, for logs and limits.
    ///
    /// Behind a trusted proxy, this is the address named by the proxy's header fields.
    public var client: String {
        guard let proxies, hasAny(of: [.forwarded, .xForwardedFor]) || forwardedClient != nil else { return peer }
        if let forwardedClient { return forwardedClient }
        let client = proxies.client(of: peer, forwarded: field(.forwarded), addresses: field(.xForwardedFor))
        forwardedClient = client
        return client
    }

    /// Determines the client's address while the fields are available, for later use.
    func keepClient() { if proxies != nil { _ = client } }

    func reset() {
        parts.reset()
        if proxies != nil { forwardedClient = nil }
    }

    /// The method.
    public var method: Method { parts.method }

    /// The body, at most as long as the limit for this request; empty for GET and HEAD.
    public var body: [UInt8] { parts.body }

    /// The request target as it was sent, still percent-encoded: `/path?query`, or `*`.
    ///
    /// A target in absolute-form is reduced to its path and query, and a fragment and the base path of the server are
    /// removed.
    public var target: Span<UInt8> {
        @_lifetime(borrow self)
        get {
            let octets = parts.target.octets
            let span = unsafe Span(_unsafeStart: octets.start, count: octets.count)
            return unsafe _overrideLifetime(span, borrowing: self)
        }
    }

    /// The target as text, for logs.
    public var targetText: String { parts.target.octets.text }
}

extension Request {
    /// The parts that change from one request on a connection to the next.
    struct Parts: ~Copyable {
        var method = Method.other
        var target = OctetBuffer()
        var fields = FieldLines()
        var body: [UInt8] = []
        /// The version and the header of the last request with a valid header. Most clients send the same header again.
        var checkedHeader = OctetBuffer()

        mutating func fault(by check: HeaderCheck) -> Fault? {
            check.fault(in: fields, checked: &checkedHeader)
        }

        /// Removes the request. Keeps its memory for the next request, except the memory of the body.
        mutating func reset() {
            fields.removeAll(keepingMemory: true)
            if !body.isEmpty { body = [] }
        }

        /// Frees the memory that is kept from request to request.
        ///
        /// - Parameter keepingTarget: whether the target is still needed.
        mutating func shrink(keepingTarget: Bool) {
            if !keepingTarget { target.shrink() }
            fields.removeAll(keepingMemory: false)
            checkedHeader.shrink()
            body = []
        }
    }

    /// Whether the request has a line of this field.
    public func has(_ name: FieldName) -> Bool { parts.fields.present.contains(name) }

    /// Whether the request has a line of any of these fields.
    public func hasAny(of names: FieldName.Set) -> Bool { parts.fields.present.intersects(names) }

    /// The value of a field; nil if the field is absent. Several lines are joined by `", "` (RFC 9110, section 5.3).
    public func field(_ name: FieldName) -> String? {
        guard has(name) else { return nil }
        var joined: String?
        for index in 0..<parts.fields.count where parts.fields[index].field == name {
            let text = parts.fields[index].value.text
            joined = joined.map { "\($0), \(text)" } ?? text
        }
        return joined
    }

    /// Calls `body` with the value of each line of a field, in order. The values are not copied.
    public func forEachLine(of name: FieldName, _ body: (Span<UInt8>) -> Void) {
        for index in 0..<parts.fields.count where parts.fields[index].field == name {
            let value = parts.fields[index].value
            body(unsafe Span(_unsafeStart: value.start, count: value.count))
        }
    }
}

/// A request method that responders distinguish (RFC 9110, section 9; RFC 5789).
public enum Method: UInt8, Sendable {
    /// A method of RFC 9110, or of RFC 5789.
    case get, head, options, post, put, patch, delete
    /// Any other well-formed method.
    case other

    init(_ name: Octets) {
        switch name.count {
        case 3 where name.equals("GET"): self = .get
        case 3 where name.equals("PUT"): self = .put
        case 4 where name.equals("HEAD"): self = .head
        case 4 where name.equals("POST"): self = .post
        case 5 where name.equals("PATCH"): self = .patch
        case 6 where name.equals("DELETE"): self = .delete
        case 7 where name.equals("OPTIONS"): self = .options
        default: self = .other
        }
    }

    /// Whether a body has a meaning. If not, the server reads and discards it.
    var takesBody: Bool { self != .get && self != .head }
}

/// One request, as it came: method, raw target, fields, body.
///
/// There is one object per connection, used again for each request on it: it is valid until the response is sent,
/// only on the thread that was handed it, and must not be kept.
@safe
public final class Request {
    /// The client's address as text, without the port, for logs.
    public let peer: String
    var fields = FieldLines()
    var currentMethod = Method.other
    var content: [UInt8] = []
    private var targetBytes: UnsafeMutablePointer<UInt8>
    private var targetCapacity = 256
    private var targetCount = 0
    /// Memory that the fields of a request made by hand lie in.
    private var ownedFields: [UnsafeMutableBufferPointer<UInt8>] = unsafe []

    init(peer: String) {
        self.peer = peer
        unsafe targetBytes = .allocate(capacity: 256)
    }

    /// Makes a request without a connection, for tests.
    public convenience init(
        method: Method = .get, target: String, fields: [(name: String, value: String)] = [], body: [UInt8] = [],
        peer: String = "127.0.0.1"
    ) {
        self.init(peer: peer)
        currentMethod = method
        content = body
        setTarget(own(target))
        for (name, value) in fields { self.fields.append(FieldLine(name: own(name), value: own(value))) }
    }

    deinit {
        unsafe targetBytes.deallocate()
        for index in unsafe ownedFields.indices { unsafe ownedFields[index].deallocate() }
    }

    /// The method.
    public var method: Method { currentMethod }

    /// The content, at most as long as the server's limit; empty where the request has none, and for GET and HEAD.
    public var body: [UInt8] { content }

    /// The request target as it was sent, still percent-encoded: `/path?query`, or `*`.
    ///
    /// Of a target in absolute-form only path and query are left, and a fragment is cut off.
    public var target: Span<UInt8> {
        @_lifetime(borrow self)
        get {
            let span = unsafe Span(_unsafeStart: UnsafePointer(targetBytes), count: targetCount)
            return unsafe _overrideLifetime(span, borrowing: self)
        }
    }

    /// The target as text, for logs.
    public var targetText: String { targetOctets.text }

    var targetOctets: Octets { unsafe Octets(start: targetBytes, count: targetCount) }

    /// Copies the target, since the library writes into its own.
    func setTarget(_ target: Octets) {
        if target.count > targetCapacity {
            unsafe targetBytes.deallocate()
            targetCapacity = target.count * 2
            unsafe targetBytes = .allocate(capacity: targetCapacity)
        }
        unsafe targetBytes.update(from: target.start, count: target.count)
        targetCount = target.count
    }

    /// Leaves only a part of the target.
    func cutTarget(to range: Range<Int>) {
        unsafe targetBytes.update(from: targetBytes + range.lowerBound, count: range.count)
        targetCount = range.count
    }

    /// Puts a slash before the target, which has been cut since it was set and so has room.
    func prependSlashToTarget() {
        unsafe (targetBytes + 1).update(from: targetBytes, count: targetCount)
        unsafe targetBytes[0] = UInt8(ascii: "/")
        targetCount += 1
    }

    /// Forgets the request; what it needed is kept for the next.
    func reset() {
        fields.removeAll()
        if !content.isEmpty { content = [] }
    }

    private func own(_ text: String) -> Octets {
        let memory = UnsafeMutableBufferPointer<UInt8>.allocate(capacity: text.utf8.count + 1)
        _ = unsafe memory.initialize(from: text.utf8)
        unsafe ownedFields.append(memory)
        return unsafe Octets(start: memory.baseAddress.unsafelyUnwrapped, count: text.utf8.count)
    }
}

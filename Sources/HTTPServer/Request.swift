import Glibc

/// One request, as it came: method, raw target, fields, body.
///
/// There is one object per connection, used again for each request on it: it is valid until the response is sent,
/// only on the thread that was handed it, and must not be kept.
@safe
public final class Request {
    var storedMethod: Method
    var storedBody: [UInt8]
    var fields = FieldLines()
    private var targetBytes: UnsafeMutableBufferPointer<UInt8>
    private var targetCount = 0
    /// Memory that the fields of a request made by hand lie in.
    private var ownedFields: [UnsafeMutableBufferPointer<UInt8>] = unsafe []
    /// The client's address as text, without the port, for logs.
    public let peer: String

    init(peer: String) {
        storedMethod = .other
        storedBody = []
        unsafe targetBytes = .allocate(capacity: 256)
        self.peer = peer
    }

    /// Makes a request without a connection, for tests.
    public convenience init(
        method: Method = .get, target: String, fields: [(name: String, value: String)] = [], body: [UInt8] = [],
        peer: String = "127.0.0.1"
    ) {
        self.init(peer: peer)
        storedMethod = method
        storedBody = body
        var target = target
        target.withUTF8 { unsafe setTarget($0) }
        for (name, value) in fields {
            let name = unsafe own(name)
            let value = unsafe own(value)
            self.fields.append(unsafe FieldLine(name: name, value: value))
        }
    }

    deinit {
        unsafe targetBytes.deallocate()
        for index in unsafe ownedFields.indices { unsafe ownedFields[index].deallocate() }
    }

    /// The method.
    public var method: Method { storedMethod }

    /// The content, at most as long as the server's limit; empty where the request has none.
    public var body: [UInt8] { storedBody }

    /// The request target as it was sent, still percent-encoded; in origin-form (`/path?query`) or `*`.
    ///
    /// An absolute-form target is cut to its path and query, and a fragment is cut off.
    public var target: Span<UInt8> {
        @_lifetime(borrow self)
        get {
            let span = unsafe Span(
                _unsafeStart: UnsafePointer(targetBytes.baseAddress.unsafelyUnwrapped), count: targetCount)
            return unsafe _overrideLifetime(span, borrowing: self)
        }
    }

    func setTarget(_ bytes: UnsafeBufferPointer<UInt8>) {
        if unsafe bytes.count > targetBytes.count {
            unsafe targetBytes.deallocate()
            unsafe targetBytes = .allocate(capacity: unsafe max(bytes.count, targetBytes.count * 2))
        }
        if let start = bytes.baseAddress {
            unsafe targetBytes.baseAddress.unsafelyUnwrapped.update(from: start, count: bytes.count)
        }
        targetCount = bytes.count
    }

    /// Cuts the target to a part of it.
    func narrowTarget(to range: Range<Int>) {
        let bytes = unsafe UnsafeBufferPointer(rebasing: targetBytes[range])
        unsafe targetBytes.baseAddress.unsafelyUnwrapped.update(
            from: bytes.baseAddress.unsafelyUnwrapped, count: bytes.count)
        targetCount = range.count
    }

    private func own(_ text: String) -> UnsafeBufferPointer<UInt8> {
        let memory = UnsafeMutableBufferPointer<UInt8>.allocate(capacity: text.utf8.count)
        _ = unsafe memory.initialize(from: text.utf8)
        unsafe ownedFields.append(memory)
        return UnsafeBufferPointer(memory)
    }
}

/// A request method that a responder may have to tell apart (RFC 9110 section 9, RFC 5789).
public enum Method: UInt8, Sendable {
    case get, head, options, post, put, patch, delete
    /// Any other well-formed method.
    case other

    /// Tells the method from its name, which is case-sensitive.
    init(_ name: UnsafeBufferPointer<UInt8>) {
        switch name.count {
        case 3 where unsafe Method.same(name, "GET"): self = .get
        case 3 where unsafe Method.same(name, "PUT"): self = .put
        case 4 where unsafe Method.same(name, "HEAD"): self = .head
        case 4 where unsafe Method.same(name, "POST"): self = .post
        case 5 where unsafe Method.same(name, "PATCH"): self = .patch
        case 6 where unsafe Method.same(name, "DELETE"): self = .delete
        case 7 where unsafe Method.same(name, "OPTIONS"): self = .options
        default: self = .other
        }
    }

    private static func same(_ name: UnsafeBufferPointer<UInt8>, _ text: StaticString) -> Bool {
        for index in 0..<name.count where unsafe name[index] != text.utf8Start[index] { return false }
        return true
    }
}

/// A request method that responders distinguish (RFC 9110, section 9; RFC 5789).
public enum Method: UInt8, Sendable {
    /// A method of RFC 9110, or of RFC 5789.
    case get, head, options, post, put, patch, delete
    /// Any other well-formed method.
    case other

    /// Recognizes a method by its name, which is case-sensitive.
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

    /// Whether a body has a meaning; the body of any other method is read and discarded.
    var takesBody: Bool { self != .get && self != .head }
}

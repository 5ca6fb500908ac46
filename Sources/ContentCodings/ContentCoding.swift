/// A content coding of a response body (RFC 9110, section 8.4.1).
public enum ContentCoding: UInt8, CaseIterable, Sendable {
    /// Unencoded.
    case identity
    /// RFC 1952.
    case gzip
    /// RFC 7932.
    case brotli

    /// The name in `Accept-Encoding` and `Content-Encoding`.
    public var token: String {
        switch self {
        case .identity: "identity"
        case .gzip: "gzip"
        case .brotli: "br"
        }
    }

    /// Encodes a whole body; `take` receives the encoded bytes in pieces, each valid only during its call.
    ///
    /// Returns false if there is not enough memory; what was taken is incomplete then.
    ///
    /// The same body gives the same bytes with the same versions of the libraries.
    public func encode(_ body: Span<UInt8>, to take: (Span<UInt8>) -> Void) -> Bool {
        switch self {
        case .identity:
            take(body)
            return true
        case .gzip:
            var encoder = GzipEncoder(in: .take())
            return encoder.encode(body, isLast: true, to: take)
        case .brotli:
            var encoder = BrotliEncoder(bodyBytes: body.count, in: .take())
            return encoder.encode(body, isLast: true, to: take)
        }
    }
}

/// An encoder of one body, piece by piece.
///
/// The encoded bytes may depend on how the body is divided into pieces, but not on how they are taken. A caller that
/// needs the same bytes for the same body must divide it in the same way.
public protocol ContentEncoder: ~Copyable {
    /// The bytes of memory that an encoder takes for a body of any length.
    static var streamBytes: Int { get }

    /// Encodes the next piece.
    ///
    /// - Parameters:
    ///   - piece: bytes of the body, any number of them.
    ///   - isLast: whether the body ends with this piece; no other may follow.
    ///   - take: called for each piece of the encoded body, zero or more times; a piece is valid only during the call.
    /// - Returns: false if there is not enough memory; the body is incomplete then, and no other piece may follow.
    mutating func encode(_ piece: Span<UInt8>, isLast: Bool, to take: (Span<UInt8>) -> Void) -> Bool
}

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

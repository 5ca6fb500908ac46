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
    /// The same body gives the same bytes with the same versions of the libraries.
    ///
    /// - Returns: false for a lack of memory. The encoded body is then incomplete.
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
/// The encoded bytes may depend on the division of the body into pieces, so only the same pieces give the same bytes.
public protocol ContentEncoder: ~Copyable {
    /// The memory for encoding a body of any length, in bytes.
    static var streamBytes: Int { get }

    /// Encodes the next piece.
    ///
    /// - Parameters:
    ///   - piece: any number of bytes of the body.
    ///   - isLast: whether the body ends with this piece.
    ///   - take: called for each piece of the encoded body; a piece is valid only during the call.
    /// - Returns: false for a lack of memory. The encoded body is then incomplete, and no other piece may follow.
    mutating func encode(_ piece: Span<UInt8>, isLast: Bool, to take: (Span<UInt8>) -> Void) -> Bool
}

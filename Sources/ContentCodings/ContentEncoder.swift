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

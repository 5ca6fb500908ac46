/// Codes one body, piece by piece.
///
/// How the body is cut into pieces may show in the coded bytes, how they are taken does not: whoever promises the same
/// bytes for the same body cuts it in the same way.
public protocol ContentEncoder: ~Copyable {
    /// Codes the next piece.
    ///
    /// - Parameters:
    ///   - piece: bytes of the body, any number of them.
    ///   - isLast: whether the body ends with it; nothing may follow.
    ///   - take: called for each piece of the coded body, which is valid during the call only; perhaps never.
    mutating func encode(_ piece: Span<UInt8>, isLast: Bool, to take: (Span<UInt8>) -> Void)
}

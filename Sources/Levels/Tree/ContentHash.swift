internal import CXXHash

/// A 128-bit hash of content: XXH3-128, seedless, so equal on every machine and after every restart.
///
/// It is not cryptographic: it detects changes, and only an author of the document could forge a collision.
public struct ContentHash: Hashable, Sendable {
    /// The two halves.
    public let high, low: UInt64

    /// Computes the hash of some bytes.
    public init(of bytes: Span<UInt8>) {
        let value = unsafe bytes.withUnsafeBytes { unsafe XXH3_128bits($0.baseAddress, $0.count) }
        high = value.high64
        low = value.low64
    }

    /// A 64-bit hash (XXH3-64) of some bytes, for keys, cursors and the versions of rows.
    public static func short(of bytes: Span<UInt8>) -> UInt64 {
        unsafe bytes.withUnsafeBytes { unsafe XXH3_64bits($0.baseAddress, $0.count) }
    }
}

internal import CXXHash

/// A 128-bit hash of content: XXH3-128, seedless, so equal on every machine and after every restart.
///
/// It is not cryptographic: it finds changes, and whoever may edit the document can only fool himself.
public struct ContentHash: Hashable, Sendable {
    public let high, low: UInt64

    /// The hash of some bytes.
    public init(of bytes: Span<UInt8>) {
        let value = unsafe bytes.withUnsafeBytes { unsafe XXH3_128bits($0.baseAddress, $0.count) }
        high = value.high64
        low = value.low64
    }

    /// A 64-bit hash (XXH3-64) of some bytes, for tables of keys and the versions of rows.
    public static func short(of bytes: Span<UInt8>) -> UInt64 {
        unsafe bytes.withUnsafeBytes { unsafe XXH3_64bits($0.baseAddress, $0.count) }
    }
}

internal import Bytes
internal import CXXHash

/// A 128-bit hash of content: XXH3-128 without a seed, so that the hash is equal on every machine and after every
/// restart.
///
/// The hash is not cryptographic. It detects changes; only an author of the document could forge a collision.
public struct ContentHash: Hashable, Sendable {
    /// The two halves.
    public let high, low: UInt64

    /// Hashes bytes.
    public init(of bytes: Span<UInt8>) {
        let value = unsafe bytes.withUnsafeBytes { unsafe XXH3_128bits($0.baseAddress, $0.count) }
        high = value.high64
        low = value.low64
    }

    /// The 64-bit hash (XXH3-64) of bytes, for keys, cursors and the versions of rows.
    public static func short(of bytes: Span<UInt8>) -> UInt64 {
        unsafe bytes.withUnsafeBytes { unsafe XXH3_64bits($0.baseAddress, $0.count) }
    }
}

extension ByteBuffer {
    @inline(__always)
    mutating func append(_ hash: ContentHash) {
        append(littleEndian: hash.high)
        append(littleEndian: hash.low)
    }
}

/// Hashes for tables inside this process: XXH3-64 with a random seed.
///
/// The seed is secret, so nobody can construct texts that collide. The hashes differ after each start, so nothing
/// outside of the process may depend on them.
enum TableHash {
    private static let seed = UInt64.random(in: 0 ... .max)

    static func of(_ text: Span<UInt8>) -> UInt64 {
        unsafe text.withUnsafeBytes { unsafe XXH3_64bits_withSeed($0.baseAddress, $0.count, seed) }
    }

    static func of(_ hash: UInt64) -> UInt64 {
        unsafe withUnsafeBytes(of: hash) { unsafe XXH3_64bits_withSeed($0.baseAddress, $0.count, seed) }
    }
}

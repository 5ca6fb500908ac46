internal import CXXHash

/// The hash for tables inside this process: XXH3-64 with a random seed.
///
/// Without the seed it is impossible to construct texts that collide in a table. The seed differs at each start, so
/// nothing that leaves the process may depend on it.
enum TableHash {
    private static let seed = UInt64.random(in: 0 ... .max)

    static func of(_ text: Span<UInt8>) -> UInt64 {
        unsafe text.withUnsafeBytes { unsafe XXH3_64bits_withSeed($0.baseAddress, $0.count, seed) }
    }

    /// Hashes a process-independent hash.
    static func of(_ hash: UInt64) -> UInt64 {
        unsafe withUnsafeBytes(of: hash) { unsafe XXH3_64bits_withSeed($0.baseAddress, $0.count, seed) }
    }
}

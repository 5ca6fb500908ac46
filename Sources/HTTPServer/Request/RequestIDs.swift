import Synchronization

/// Makes identifiers for requests that belong to no trace: 128 bits that no other request of any server has.
///
/// They name requests and guard nothing, so the random source of the system is asked only once.
final class RequestIDs: Sendable {
    private let seed = (UInt64.random(in: .min ... .max), UInt64.random(in: .min ... .max))
    private let count = Atomic<UInt64>(0)

    /// The next identifier, as 32 hexadecimal digits, not all of them zero.
    func next() -> String {
        let number = count.wrappingAdd(1, ordering: .relaxed).newValue
        return Self.digits(Self.mixed(seed.0 &+ number)) + Self.digits(Self.mixed(seed.1 ^ number) | 1)
    }

    /// Spreads the bits of a number (the finalizer of SplitMix64).
    private static func mixed(_ number: UInt64) -> UInt64 {
        var word = number &* 0x9E37_79B9_7F4A_7C15
        word = (word ^ word >> 30) &* 0xBF58_476D_1CE4_E5B9
        word = (word ^ word >> 27) &* 0x94D0_49BB_1331_11EB
        return word ^ word >> 31
    }

    private static func digits(_ word: UInt64) -> String {
        let digits = String(word, radix: 16)
        return String(repeating: "0", count: 16 - digits.count) + digits
    }
}

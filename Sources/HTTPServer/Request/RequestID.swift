import Synchronization

/// The identifier of a request: the trace that it belongs to, else 128 bits that no other request of any server has.
struct RequestID: Equatable {
    let high, low: UInt64

    /// The number of its digits.
    static let length = 32

    /// 32 lowercase hexadecimal digits.
    var text: String {
        unsafe String(unsafeUninitializedCapacity: Self.length) { digits in
            unsafe write(to: digits)
            return Self.length
        }
    }

    /// Writes the digits, for which the buffer must have room.
    func write(to digits: UnsafeMutableBufferPointer<UInt8>) {
        for place in 0..<Self.length {
            let word = place < 16 ? high : low
            let digit = UInt8(truncatingIfNeeded: word &>> UInt64(60 - place % 16 * 4)) & 15
            unsafe digits[place] = digit < 10 ? 0x30 + digit : 0x57 + digit
        }
    }
}

/// Makes identifiers for requests that belong to no trace.
///
/// They name requests and guard nothing, so the random source of the system is asked only once.
final class RequestIDs: Sendable {
    private let seed = (UInt64.random(in: .min ... .max), UInt64.random(in: .min ... .max))
    private let count = Atomic<UInt64>(0)

    /// The next identifier, not zero.
    func next() -> RequestID {
        let number = count.wrappingAdd(1, ordering: .relaxed).newValue
        return RequestID(high: Self.mixed(seed.0 &+ number), low: Self.mixed(seed.1 ^ number) | 1)
    }

    /// Spreads the bits of a number (the finalizer of SplitMix64).
    private static func mixed(_ number: UInt64) -> UInt64 {
        var word = number &* 0x9E37_79B9_7F4A_7C15
        word = (word ^ word >> 30) &* 0xBF58_476D_1CE4_E5B9
        word = (word ^ word >> 27) &* 0x94D0_49BB_1331_11EB
        return word ^ word >> 31
    }
}

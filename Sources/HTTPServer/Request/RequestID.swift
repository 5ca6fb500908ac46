import Synchronization

/// The identifier of a request: the trace identifier that it carries, or otherwise 128 bits that no other request of
/// any server has.
struct RequestID: Equatable {
    let high, low: UInt64

    static let length = 32

    /// 32 lowercase hexadecimal digits.
    var text: String {
        var digits = [UInt8](repeating: 0, count: Self.length)
        var span = digits.mutableSpan
        write(to: &span)
        return String(decoding: digits, as: UTF8.self)
    }

    func write(to digits: inout MutableSpan<UInt8>) {
        for place in 0..<Self.length {
            let word = place < 16 ? high : low
            let digit = UInt8(truncatingIfNeeded: word &>> UInt64(60 - place % 16 * 4)) & 15
            digits[place] = digit < 10 ? 0x30 + digit : 0x57 + digit
        }
    }
}

/// Makes identifiers for requests that do not carry a trace identifier.
///
/// The identifiers only name requests and protect nothing, so the random source of the system is used only once.
final class RequestIDs: Sendable {
    private let seed = (UInt64.random(in: .min ... .max), UInt64.random(in: .min ... .max))
    private let count = Atomic<UInt64>(0)

    /// The next identifier, which is never zero.
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

/// The field `traceparent` of a request (W3C Trace Context, section 3.2).
enum TraceParent {
    /// The trace that a request belongs to; nil for a value that is not valid.
    static func traceID(in value: Octets) -> RequestID? {
        // Version, trace, parent and flags, each after a hyphen: 00-…32…-…16…-01.
        guard value.count >= 55, [2, 35, 52].allSatisfy({ value[$0] == UInt8(ascii: "-") }) else { return nil }
        let (version, trace, parent) = (value[0..<2], value[3..<35], value[36..<52])
        guard [version, trace, parent, value[53..<55]].allSatisfy(isLowercaseHex), !version.equals("ff"),
            let high = UInt64(trace[0..<16].text, radix: 16), let low = UInt64(trace[16..<32].text, radix: 16),
            high | low != 0, UInt64(parent.text, radix: 16) != 0
        else { return nil }
        // Later versions may append more after this place; version 00 ends here.
        let mayGoOn = !version.equals("00") && value.count > 55 && value[55] == UInt8(ascii: "-")
        return value.count == 55 || mayGoOn ? RequestID(high: high, low: low) : nil
    }

    private static func isLowercaseHex(_ octets: Octets) -> Bool {
        octets.count { (0x30...0x39).contains($0) || (0x61...0x66).contains($0) } == octets.count
    }
}

extension Request {
    /// The trace identifier that the request carries; nil if the field is absent, not valid, or repeated.
    var traceID: RequestID? {
        guard has(.traceparent), !parts.fields.repeated.contains(.traceparent) else { return nil }
        return parts.fields.first(.traceparent).flatMap { TraceParent.traceID(in: $0.value) }
    }
}

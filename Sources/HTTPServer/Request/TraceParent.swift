/// The field `traceparent` of a request (W3C Trace Context, section 3.2).
enum TraceParent {
    /// The trace that a request belongs to; nil for a value that is not valid.
    static func traceID(in value: Octets) -> RequestID? {
        // Version, trace, parent and flags, each after a hyphen: 00-…32…-…16…-01.
        guard value.count >= 55, [2, 35, 52].allSatisfy({ value[$0] == UInt8(ascii: "-") }) else { return nil }
        let (version, trace, parent) = (value[0..<2], value[3..<35], value[36..<52])
        guard [version, trace, parent, value[53..<55]].allSatisfy(isLowercaseHex), !version.equals("ff"),
            !isZero(trace), !isZero(parent)
        else { return nil }
        // Later versions may add to it; version 00 ends here.
        let mayGoOn = !version.equals("00") && value.count > 55 && value[55] == UInt8(ascii: "-")
        guard value.count == 55 || mayGoOn else { return nil }
        return RequestID(high: number(trace[0..<16]), low: number(trace[16..<32]))
    }

    /// The number that lowercase hexadecimal digits write.
    private static func number(_ digits: Octets) -> UInt64 {
        var number: UInt64 = 0
        for place in 0..<digits.count {
            let digit = digits[place]
            number = number &<< 4 | UInt64(digit < 0x3A ? digit &- 0x30 : digit &- 0x57)
        }
        return number
    }

    private static func isLowercaseHex(_ octets: Octets) -> Bool {
        octets.count { (0x30...0x39).contains($0) || (0x61...0x66).contains($0) } == octets.count
    }

    private static func isZero(_ octets: Octets) -> Bool { octets.count { $0 == 0x30 } == octets.count }
}

extension Request {
    /// The trace that the request belongs to; nil without a valid one, and for several lines.
    var traceID: RequestID? {
        guard has(.traceparent), !parts.fields.repeated.contains(.traceparent) else { return nil }
        return parts.fields.first(.traceparent).flatMap { TraceParent.traceID(in: $0.value) }
    }
}

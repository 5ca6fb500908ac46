internal import Bytes

/// Random names in the log of a tree.
enum RandomNames {
    /// The name of an epoch: six letters and digits, such as `k3f9ab`.
    static func epoch() -> String {
        let letters = Array("abcdefghijklmnopqrstuvwxyz0123456789")
        return String((0..<6).map { _ in letters[Int.random(in: letters.indices)] })
    }

    /// The mark of a revision: a UUID of version 4 (RFC 9562) in lower case, as PostgreSQL writes UUIDs.
    static func mark() -> String {
        let (high, low) = (UInt64.random(in: .min ... .max), UInt64.random(in: .min ... .max))
        // The thirteenth digit is the version. The two highest bits of the seventeenth digit are the variant.
        let digits =
            String(hexadecimal: high & ~0xF000 | 0x4000, digits: 16, uppercase: false)
            + String(hexadecimal: low & ~(0b11 << 62) | 0b10 << 62, digits: 16, uppercase: false)
        var mark: [UInt8] = []
        mark.reserveCapacity(36)
        for (place, digit) in digits.utf8.enumerated() {
            if place >= 8, place <= 20, place % 4 == 0 { mark.append(UInt8(ascii: "-")) }
            mark.append(digit)
        }
        return String(decoding: mark, as: UTF8.self)
    }
}

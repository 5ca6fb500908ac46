internal import Bytes

/// Random names in the log of a tree.
enum RandomNames {
    /// The name of an epoch: six letters and digits, as `k3f9ab`.
    static func epoch() -> String {
        let letters = Array("abcdefghijklmnopqrstuvwxyz0123456789")
        return String((0..<6).map { _ in letters[Int.random(in: letters.indices)] })
    }

    /// The mark of a revision: a UUID of version 4 (RFC 9562) in lower case, as PostgreSQL writes one.
    static func mark() -> String {
        var bytes = (0..<16).map { _ in UInt8.random(in: .min ... .max) }
        bytes[6] = bytes[6] & 0x0F | 0x40
        bytes[8] = bytes[8] & 0x3F | 0x80
        let digits = bytes.map { String(hexadecimal: $0, digits: 2, uppercase: false) }
        return [digits[0..<4], digits[4..<6], digits[6..<8], digits[8..<10], digits[10..<16]]
            .map { $0.joined() }.joined(separator: "-")
    }
}

/// What bytes HTTP allows where (RFC 9110 section 5, RFC 9112 section 3).
extension Octets {
    /// Whether this is a token: a method or a field name.
    var isToken: Bool {
        guard count > 0 else { return false }
        for index in 0..<count where !AsciiSet.token.contains(self[index]) { return false }
        return true
    }

    /// Whether this may stand in `Host`: a name or an address, and a port.
    var isHost: Bool {
        for index in 0..<count where !AsciiSet.host.contains(self[index]) { return false }
        return true
    }

    /// Whether this holds neither a control byte other than the tabulator, nor DEL.
    var isFieldValue: Bool {
        hasOnly { word in
            Octets.controls(word) == 0
        } byte: {
            $0 == 0x09 || ($0 >= 0x20 && $0 != 0x7F)
        }
    }

    /// Whether this holds printable ASCII and no space.
    var isTarget: Bool {
        hasOnly { word in
            Octets.controls(word) | Octets.equal(word, to: 0x20) | word & 0x8080_8080_8080_8080 == 0
        } byte: {
            $0 > 0x20 && $0 < 0x7F
        }
    }

    /// Tests eight bytes at a time, and one by one only where that does not decide.
    @inline(__always)
    private func hasOnly(word test: (UInt64) -> Bool, byte single: (UInt8) -> Bool) -> Bool {
        var index = 0
        while index + 8 <= count {
            let word = unsafe UnsafeRawPointer(start).loadUnaligned(fromByteOffset: index, as: UInt64.self)
            if !test(word) {
                for place in index..<index + 8 where !single(self[place]) { return false }
            }
            index += 8
        }
        while index < count {
            if !single(self[index]) { return false }
            index += 1
        }
        return true
    }

    /// Not zero where a byte of the word is below 0x20 or DEL.
    private static func controls(_ word: UInt64) -> UInt64 {
        let below = (word &- 0x2020_2020_2020_2020) & ~word & 0x8080_8080_8080_8080
        return below | equal(word, to: 0x7F)
    }

    /// Not zero where a byte of the word is this one.
    private static func equal(_ word: UInt64, to byte: UInt64) -> UInt64 {
        let difference = word ^ (byte &* 0x0101_0101_0101_0101)
        return (difference &- 0x0101_0101_0101_0101) & ~difference & 0x8080_8080_8080_8080
    }
}

/// A set of ASCII characters, a bit each.
struct AsciiSet {
    private let low: UInt64
    private let high: UInt64

    /// `tchar` of RFC 9110 section 5.6.2: letters, digits and ``!#$%&'*+-.^_`|~``.
    static var token: AsciiSet { AsciiSet(low: 0x03FF_6CFA_0000_0000, high: 0x57FF_FFFF_C7FF_FFFE) }
    /// `uri-host` with a port (RFC 3986 section 3.2): unreserved, sub-delims and `%:[]`.
    static var host: AsciiSet { AsciiSet(low: 0x2FFF_7FF2_0000_0000, high: 0x47FF_FFFE_AFFF_FFFE) }

    func contains(_ byte: UInt8) -> Bool {
        guard byte < 128 else { return false }
        return (byte < 64 ? low : high) &>> UInt64(byte & 63) & 1 == 1
    }
}

import HTTPFields

/// What bytes HTTP allows where (RFC 9110 section 5, RFC 9112 section 3).
extension Octets {
    /// Whether this is a token: a method or a field name.
    var isToken: Bool { count > 0 && isMade(of: .token) }

    /// Whether this may stand in `Host`: a name or an address, and a port.
    var isHost: Bool { isMade(of: .host) }

    @inline(__always)
    private func isMade(of set: AsciiSet) -> Bool {
        var isMade = true
        for index in 0..<count { isMade = isMade && set.contains(self[index]) }
        return isMade
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

extension AsciiSet {
    /// `uri-host` with a port (RFC 3986, section 3.2): unreserved, sub-delims and `%:[]`.
    @inline(__always)
    fileprivate static var host: AsciiSet { AsciiSet(low: 0x2FFF_7FF2_0000_0000, high: 0x47FF_FFFE_AFFF_FFFE) }
}

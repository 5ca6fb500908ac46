import Bytes
import HTTPFields

/// The bytes that HTTP allows in each part of a request (RFC 9110, section 5; RFC 9112, section 3).
extension Octets {
    /// Whether this is a token: a method or a field name.
    var isToken: Bool { count > 0 && isMade(of: .token) }

    /// Whether `Host` may contain this: a name or an address, and a port.
    var isHost: Bool { isMade(of: .host) }

    @inline(__always)
    private func isMade(of set: AsciiSet) -> Bool {
        var isMade = true
        for index in 0..<count { isMade = isMade && set.contains(self[index]) }
        return isMade
    }

    /// Whether this contains no control character other than the tab.
    var isFieldValue: Bool {
        hasOnly { word in
            Octets.controls(word) == 0
        } byte: {
            $0 == 0x09 || ($0 >= 0x20 && $0 != 0x7F)
        }
    }

    /// Whether this is printable ASCII without spaces.
    var isTarget: Bool {
        hasOnly { word in
            Octets.controls(word) | ByteScan.equal(word, 0x20) | word & ByteScan.highBits == 0
        } byte: {
            $0 > 0x20 && $0 < 0x7F
        }
    }

    /// Tests eight bytes at a time, and single bytes only if that is not conclusive.
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

    /// Not zero if a byte of the word is below 0x20 or DEL.
    private static func controls(_ word: UInt64) -> UInt64 { ByteScan.controls(word) | ByteScan.equal(word, 0x7F) }
}

extension AsciiSet {
    /// `uri-host` with a port (RFC 3986, section 3.2): unreserved, sub-delims and `%:[]`.
    @inline(__always)
    fileprivate static var host: AsciiSet { AsciiSet(low: 0x2FFF_7FF2_0000_0000, high: 0x47FF_FFFE_AFFF_FFFE) }
}

/// A set of ASCII characters, a bit each.
struct AsciiSet {
    /// The characters below `@`.
    private let low: UInt64
    /// The others.
    private let high: UInt64

    /// `tchar` of RFC 9110 section 5.6.2: letters, digits and ``!#$%&'*+-.^_`|~``.
    @inline(__always)
    static var token: AsciiSet { AsciiSet(low: 0x03FF_6CFA_0000_0000, high: 0x57FF_FFFF_C7FF_FFFE) }
    /// `uri-host` with a port (RFC 3986 section 3.2): unreserved, sub-delims and `%:[]`.
    @inline(__always)
    static var host: AsciiSet { AsciiSet(low: 0x2FFF_7FF2_0000_0000, high: 0x47FF_FFFE_AFFF_FFFE) }

    @inline(__always)
    func contains(_ byte: UInt8) -> Bool {
        let half = byte & 0x40 == 0 ? low : high
        return half &>> UInt64(byte) & 1 == 1 && byte < 0x80
    }
}

public import Bytes

extension AsciiSet {
    /// `tchar` of RFC 9110, section 5.6.2: letters, digits and ``!#$%&'*+-.^_`|~``.
    @inlinable
    @inline(__always)
    public static var token: AsciiSet { AsciiSet(low: 0x03FF_6CFA_0000_0000, high: 0x57FF_FFFF_C7FF_FFFE) }
}

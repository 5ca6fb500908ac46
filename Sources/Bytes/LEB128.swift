extension Span<UInt8> {
    /// Reads an unsigned number in groups of seven bits, lowest first (LEB128), and moves the offset past it.
    ///
    /// The last group alone has the top bit clear.
    @inlinable @inline(__always)
    public func leb128(at offset: inout Int) -> UInt64 {
        var value: UInt64 = 0
        var shift: UInt64 = 0
        while true {
            let next = self[offset]
            offset += 1
            value |= UInt64(next & 0x7F) &<< shift
            if next < 0x80 { return value }
            shift += 7
        }
    }
}

extension ByteBuffer {
    /// Appends an unsigned number as LEB128: seven bits a byte, lowest first; one byte to ten.
    @inlinable @inline(__always)
    public mutating func append(leb128 number: UInt64) {
        var rest = number
        while rest >= 0x80 {
            append(UInt8(truncatingIfNeeded: rest) | 0x80)
            rest >>= 7
        }
        append(UInt8(truncatingIfNeeded: rest))
    }
}

internal import Bytes
internal import PropertyLists

/// Appends values in the packed form; see `PackedTag`.
extension ByteBuffer {
    /// A length or a magnitude: LEB128.
    @inline(__always)
    mutating func append(packed number: UInt64) { append(leb128: number) }

    @inline(__always)
    mutating func append(_ tag: PackedTag) { append(tag.rawValue) }

    /// Four bytes, lowest first.
    @inline(__always)
    mutating func append(halfWord: UInt32) {
        for step in 0..<4 as Range<UInt32> { append(UInt8(truncatingIfNeeded: halfWord >> (step * 8))) }
    }

    /// Overwrites four bytes.
    @inline(__always)
    mutating func replace(at offset: Int, halfWord: UInt32) {
        for step in 0..<4 { set(UInt8(truncatingIfNeeded: halfWord >> UInt32(step * 8)), at: offset + step) }
    }

    /// Length and bytes.
    @inline(__always)
    mutating func append(run bytes: Span<UInt8>) {
        append(packed: UInt64(bytes.count))
        append(bytes)
    }

    mutating func append(packed value: PropertyListInteger) {
        append(value.isNegative ? PackedTag.negative : .positive)
        append(packed: value.magnitude)
    }

    mutating func append(_ tag: PackedTag, _ value: Double) {
        append(tag)
        append(littleEndian: value.bitPattern)
    }
}

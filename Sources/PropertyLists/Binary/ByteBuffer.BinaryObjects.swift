import Bytes

/// The objects of binary property lists.
extension ByteBuffer {
    /// Appends a token with a count, which follows it if it does not fit in.
    mutating func append(token: UInt8, count: Int) {
        if count < 15 { return append(token | UInt8(count)) }
        append(token | 0xF)
        append(binary: UInt64(count))
    }

    private mutating func append(binary value: UInt64) {
        let power = value < 1 << 8 ? 0 : value < 1 << 16 ? 1 : value < 1 << 32 ? 2 : 3
        append(0x10 | UInt8(power))
        append(bigEndian: value, width: 1 << power)
    }

    /// Appends an integer.
    mutating func append(binary value: PropertyListInteger) {
        if value.isNegative {
            append(0x13)
            append(bigEndian: value.bits, width: 8)
        } else if value.bits >> 63 == 1 {
            // Eight bytes would read back as negative.
            append(0x14)
            append(bigEndian: 0, width: 8)
            append(bigEndian: value.bits, width: 8)
        } else {
            append(binary: value.bits)
        }
    }

    /// Appends a string, in ASCII if it can be.
    ///
    /// - Parameter text: UTF-8.
    mutating func append(binary text: Span<UInt8>) {
        if ByteScan.isASCII(text) {
            append(token: 0x50, count: text.count)
            append(text)
        } else {
            append(token: 0x60, count: ByteScan.utf16Count(text))
            append(utf16Of: text)
        }
    }
}

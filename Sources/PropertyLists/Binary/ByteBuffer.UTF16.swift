import Bytes

extension ByteBuffer {
    /// Appends UTF-16BE text as UTF-8.
    ///
    /// - Returns: nil, or the index of the first code unit that is half of a surrogate pair without its other half.
    mutating func append(utf16BigEndian text: borrowing ByteBuffer) -> Int? {
        let units = text.span
        let count = units.count / 2
        // A unit below U+0800 gives at most two bytes, any other three, a pair four; scalars are stored as whole words.
        guard reserve(count &* 3 &+ 8) else { return nil }
        var index = 0
        while index < count {
            let unit = UInt32(units[2 &* index]) << 8 | UInt32(units[2 &* index &+ 1])
            index &+= 1
            if unit & 0xF800 != 0xD800 {
                store(scalar: unit)
            } else {
                guard unit < 0xDC00, index < count else { return index - 1 }
                let low = UInt32(units[2 &* index]) << 8 | UInt32(units[2 &* index &+ 1])
                guard low & 0xFC00 == 0xDC00 else { return index - 1 }
                index &+= 1
                store(scalar: 0x10000 &+ (unit & 0x3FF) << 10 | low & 0x3FF)
            }
        }
        return nil
    }

    /// Stores one Unicode scalar value as UTF-8; there must be room for eight bytes.
    @inline(__always)
    private mutating func store(scalar: UInt32) {
        let value = UInt64(scalar)
        switch scalar {
        case ..<0x80: store(value, counting: 1)
        case ..<0x800: store(value >> 6 | (value & 0x3F) << 8 | 0x80C0, counting: 2)
        case ..<0x10000:
            store(value >> 12 | (value >> 6 & 0x3F) << 8 | (value & 0x3F) << 16 | 0x80_80E0, counting: 3)
        default:
            let head = value >> 18 | (value >> 12 & 0x3F) << 8
            store(head | (value >> 6 & 0x3F) << 16 | (value & 0x3F) << 24 | 0x8080_80F0, counting: 4)
        }
    }

    /// Appends UTF-8 text as UTF-16BE.
    mutating func append(utf16Of text: Span<UInt8>) {
        var index = 0
        while index < text.count {
            let first = UInt32(text[index])
            // The text has been checked before; even so, a faulty end must not be read past.
            let length = min(first < 0x80 ? 1 : first < 0xE0 ? 2 : first < 0xF0 ? 3 : 4, text.count - index)
            var scalar = length == 1 ? first : first & (0x7F >> UInt32(length))
            for step in 1..<max(length, 1) { scalar = scalar << 6 | UInt32(text[index + step] & 0x3F) }
            index += length
            if scalar < 0x10000 {
                append(bigEndian: UInt64(scalar), width: 2)
            } else {
                let rest = UInt64(scalar - 0x10000)
                append(bigEndian: (0xD800 | rest >> 10) << 16 | 0xDC00 | rest & 0x3FF, width: 4)
            }
        }
    }
}

import Bytes

/// Converts a document's bytes to UTF-8 in pieces of any size.
struct Transcoder {
    let encoding: TextEncoding
    /// The first half of a code unit, or of a surrogate pair, whose other half is in the next piece.
    private var pendingByte: UInt8?
    private var pendingSurrogate: UInt16?

    init(_ encoding: TextEncoding) { self.encoding = encoding }

    /// The UTF-8 of a whole text.
    ///
    /// - Throws: `PropertyListError` for half of a surrogate pair, or half a character at the end.
    static func utf8(_ bytes: Span<UInt8>, encoding: TextEncoding) throws(PropertyListError) -> [UInt8] {
        guard !encoding.isReadAsUTF8 else { return Array(copying: bytes) }
        var transcoder = Transcoder(encoding)
        var text = ByteBuffer(capacity: bytes.count * 2)
        try transcoder.transcode(bytes, into: &text)
        try transcoder.finish()
        return Array(copying: text.span)
    }

    /// The maximum number of UTF-8 bytes for one byte of input.
    static let expansion = 3

    /// Appends the UTF-8 of `bytes`.
    ///
    /// - Throws: `PropertyListError` for half of a surrogate pair.
    mutating func transcode(_ bytes: Span<UInt8>, into output: inout ByteBuffer) throws(PropertyListError) {
        guard encoding.isUTF16 else {
            for index in bytes.indices { output.append(encoding.scalar(bytes[index])) }
            return
        }
        for index in bytes.indices {
            guard let first = pendingByte else {
                pendingByte = bytes[index]
                continue
            }
            pendingByte = nil
            try take(encoding.codeUnit(first, bytes[index]), into: &output)
        }
    }

    private mutating func take(_ unit: UInt16, into output: inout ByteBuffer) throws(PropertyListError) {
        if let high = pendingSurrogate {
            pendingSurrogate = nil
            guard unit & 0xFC00 == 0xDC00 else { throw Self.unpaired }
            let value = 0x10000 + (UInt32(high & 0x3FF) << 10 | UInt32(unit & 0x3FF))
            guard let scalar = Unicode.Scalar(value) else { throw Self.unpaired }
            return output.append(scalar)
        }
        if unit & 0xFC00 == 0xD800 {
            pendingSurrogate = unit
        } else {
            guard let scalar = Unicode.Scalar(unit) else { throw Self.unpaired }
            output.append(scalar)
        }
    }

    /// - Throws: `PropertyListError` if the document ends inside a character.
    func finish() throws(PropertyListError) {
        if pendingByte != nil || pendingSurrogate != nil {
            throw PropertyListError(reason: "the document ends inside a UTF-16 character; it was truncated")
        }
    }

    private static let unpaired = PropertyListError(
        reason: "half of a UTF-16 surrogate pair is missing; save the document as UTF-8")
}

extension ByteBuffer {
    /// Appends UTF-16BE text as UTF-8.
    ///
    /// - Returns: the index of the first code unit that is half of a surrogate pair without its other half; otherwise
    ///   nil.
    mutating func append(utf16BigEndian text: borrowing ByteBuffer) -> Int? {
        let units = text.span
        let count = units.count / 2
        // A code unit takes at most three bytes, and a pair takes four. The last scalar is stored as a whole word.
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

    /// Appends a Unicode scalar value as UTF-8.
    mutating func append(_ scalar: Unicode.Scalar) { if reserve(8) { store(scalar: scalar.value) } }

    /// Stores a Unicode scalar value as UTF-8; there must be room for eight bytes.
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
}

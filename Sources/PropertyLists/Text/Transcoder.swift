import Bytes

/// Converts a document's bytes to UTF-8 in pieces of any size.
struct Transcoder {
    let encoding: TextEncoding
    /// A byte, or a high surrogate, whose other half is in the next piece.
    private var pendingByte: UInt8?
    private var pendingSurrogate: UInt16?

    init(_ encoding: TextEncoding) { self.encoding = encoding }

    /// The maximum number of UTF-8 bytes for one byte of input.
    static let expansion = 3

    /// Appends the UTF-8 of `bytes`.
    ///
    /// - Throws: `PropertyListError` for a surrogate without its pair.
    mutating func transcode(_ bytes: Span<UInt8>, into output: inout ByteBuffer) throws(PropertyListError) {
        if encoding == .latin1 {
            for index in bytes.indices { Self.append(Unicode.Scalar(bytes[index]), to: &output) }
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
            return Self.append(scalar, to: &output)
        }
        if unit & 0xFC00 == 0xD800 {
            pendingSurrogate = unit
        } else {
            guard let scalar = Unicode.Scalar(unit) else { throw Self.unpaired }
            Self.append(scalar, to: &output)
        }
    }

    /// - Throws: `PropertyListError` when the document ends inside a character.
    func finish() throws(PropertyListError) {
        if pendingByte != nil || pendingSurrogate != nil {
            throw PropertyListError("the document ends inside a UTF-16 character; it was truncated")
        }
    }

    private static let unpaired = PropertyListError(
        "half of a UTF-16 surrogate pair is missing; save the document as UTF-8")

    /// Appends one scalar as UTF-8.
    static func append(_ scalar: Unicode.Scalar, to output: inout ByteBuffer) {
        for unit in UTF8.encode(scalar).unsafelyUnwrappedUnits { output.append(unit) }
    }
}

extension Optional where Wrapped == UTF8.EncodedScalar {
    /// Every `Unicode.Scalar` has a UTF-8 form, so the empty collection never comes out.
    fileprivate var unsafelyUnwrappedUnits: UTF8.EncodedScalar { self ?? UTF8.encodedReplacementCharacter }
}

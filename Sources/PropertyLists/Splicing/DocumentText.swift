import Bytes

/// A text document by the numbers of its code units, so that a place in its text is a place in its file.
///
/// A code unit is a byte, or two of UTF-16. Nothing is checked: a reader has checked the document before.
package struct DocumentText: Sendable {
    package let input: DocumentInput
    package let encoding: TextEncoding
    /// The bytes of the byte order mark.
    let mark: Int
    /// Whether an XML declaration names US-ASCII.
    private let isASCII: Bool
    /// The bytes of a code unit.
    package let unitBytes: Int

    /// The first bytes of a document that are read to detect its encoding, as `TextWindow` does.
    private static let headBytes = 512

    /// - Throws: `PropertyListError` for an unreadable file or an unsupported encoding.
    package init(_ input: DocumentInput, isXML: Bool) throws(PropertyListError) {
        let head = try input.bytes(0..<min(Self.headBytes, input.size))
        var (encoding, mark) = TextEncoding.detect(head.span)
        var isASCII = false
        if isXML, encoding == .utf8, mark == 0, let declared = try TextEncoding.declared(in: head.span) {
            encoding = declared
            isASCII = TextEncoding.declaresASCII(head.span)
        }
        self.input = input
        self.encoding = encoding
        self.mark = mark
        self.isASCII = isASCII
        unitBytes = encoding == .utf16LittleEndian || encoding == .utf16BigEndian ? 2 : 1
    }

    /// The number of code units after the byte order mark.
    package var count: Int { max(input.size - mark, 0) / unitBytes }

    /// The place of code units in the file; the first of them includes the byte order mark.
    package func bytes(_ units: Range<Int>) -> Range<Int> {
        let start = units.lowerBound == 0 ? 0 : mark + units.lowerBound * unitBytes
        return start..<max(start, mark + units.upperBound * unitBytes)
    }

    /// The same without the byte order mark.
    package func bytes(afterMark units: Range<Int>) -> Range<Int> {
        mark + units.lowerBound * unitBytes..<mark + units.upperBound * unitBytes
    }

    /// The characters of code units, a byte each; those above U+00FF become 0xFF.
    package func characters(_ units: Range<Int>) throws(PropertyListError) -> [UInt8] {
        narrowed(try input.bytes(bytes(afterMark: units)))
    }

    /// Bytes of whole code units as characters of a byte each.
    func narrowed(_ bytes: [UInt8]) -> [UInt8] {
        guard unitBytes == 2 else { return bytes }
        return stride(from: 0, to: bytes.count - 1, by: 2).map { index in
            UInt8(exactly: encoding.codeUnit(bytes[index], bytes[index + 1])) ?? 0xFF
        }
    }

    /// The text of code units.
    package func utf8(_ units: Range<Int>) throws(PropertyListError) -> [UInt8] {
        let bytes = try input.bytes(bytes(afterMark: units))
        guard encoding != .utf8 else { return bytes }
        var transcoder = Transcoder(encoding)
        var text = ByteBuffer(capacity: bytes.count * 2)
        try transcoder.transcode(bytes.span, into: &text)
        try transcoder.finish()
        return Array(copying: text.span)
    }

    /// Text in the encoding of the document; in XML, a character that it lacks becomes a character reference.
    package func encoded(_ text: [UInt8]) -> [UInt8] {
        if encoding == .utf8, !isASCII || ByteScan.isASCII(text.span) { return text }
        var bytes: [UInt8] = []
        bytes.reserveCapacity(text.count * unitBytes)
        for scalar in String(decoding: text, as: UTF8.self).unicodeScalars { append(scalar, to: &bytes) }
        return bytes
    }

    private func append(_ scalar: Unicode.Scalar, to bytes: inout [UInt8]) {
        switch encoding {
        case .utf16LittleEndian:
            for unit in UTF16.encode(scalar) ?? UTF16.encodedReplacementCharacter {
                bytes += [UInt8(truncatingIfNeeded: unit), UInt8(unit >> 8)]
            }
        case .utf16BigEndian:
            for unit in UTF16.encode(scalar) ?? UTF16.encodedReplacementCharacter {
                bytes += [UInt8(unit >> 8), UInt8(truncatingIfNeeded: unit)]
            }
        case .utf8, .latin1:
            if scalar.value < (encoding == .latin1 ? 0x100 : 0x80) {
                bytes.append(UInt8(scalar.value))
            } else {
                bytes += "&#x\(String(scalar.value, radix: 16, uppercase: true));".utf8
            }
        }
    }
}

extension DocumentInput {
    /// A few bytes of the document.
    ///
    /// - Throws: `PropertyListError` if the file cannot be read or is shorter.
    package func bytes(_ range: Range<Int>) throws(PropertyListError) -> [UInt8] {
        if case .memory(let bytes) = self {
            guard range.upperBound <= bytes.count else { throw .notWhatWasRead }
            return Array(bytes[range])
        }
        var filled = 0
        var bytes = [UInt8](repeating: 0, count: range.count)
        while filled < range.count {
            var taken = 0
            var failure: PropertyListError?
            unsafe bytes.withUnsafeMutableBytes { buffer in
                do throws(PropertyListError) {
                    let rest = unsafe UnsafeMutableRawBufferPointer(rebasing: buffer[filled...])
                    taken = try unsafe read(at: range.lowerBound + filled, into: rest)
                } catch {
                    failure = error
                }
            }
            if let failure { throw failure }
            guard taken > 0 else { throw .notWhatWasRead }
            filled += taken
        }
        return bytes
    }
}

extension PropertyListError {
    /// The error of a writer that finds another document than the one that its tree was read from.
    package static var notWhatWasRead: PropertyListError {
        PropertyListError("the file is not what was read: it has been changed since; read it again")
    }
}

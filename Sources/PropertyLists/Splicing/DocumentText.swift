import Bytes

/// A text document as a sequence of code units. So a position in the text is a position in the file.
///
/// A code unit is one byte, or two bytes in UTF-16. Nothing is checked, because a reader has checked the document
/// before.
package struct DocumentText: Sendable {
    package let input: DocumentInput
    let encoding: TextEncoding
    /// The length of the byte order mark, in bytes.
    let mark: Int
    /// The number of code units that a window over the document keeps at most. Tests set a smaller number.
    package var mostKept = 1 << 17

    /// - Throws: `PropertyListError` for an unreadable file or an unsupported encoding.
    package init(input: DocumentInput, isXML: Bool) throws(PropertyListError) {
        let head = try input.bytes(0..<min(TextEncoding.headBytes, input.size))
        self.input = input
        let (encoding, mark) = try TextEncoding.detect(head.span, isXML: isXML)
        self.encoding = encoding
        self.mark = mark
    }

    /// The number of bytes of a code unit.
    var unitBytes: Int { encoding.isUTF16 ? 2 : 1 }

    /// The number of code units after the byte order mark.
    package var count: Int { max(input.size - mark, 0) / unitBytes }

    /// The byte range of code units in the file. The range of the first code unit includes the byte order mark.
    package func bytes(_ units: Range<Int>) -> Range<Int> {
        let start = units.lowerBound == 0 ? 0 : mark + units.lowerBound * unitBytes
        return start..<max(start, mark + units.upperBound * unitBytes)
    }

    /// The byte range of code units in the file, without the byte order mark.
    package func bytes(afterMark units: Range<Int>) -> Range<Int> {
        mark + units.lowerBound * unitBytes..<mark + units.upperBound * unitBytes
    }

    /// The characters of code units, one byte for each. A code unit above U+00FF becomes 0xFF.
    package func characters(_ units: Range<Int>) throws(PropertyListError) -> [UInt8] {
        let bytes = try input.bytes(bytes(afterMark: units))
        return encoding.narrowed(bytes.span)
    }

    /// The text of code units, in UTF-8.
    package func utf8(_ units: Range<Int>) throws(PropertyListError) -> [UInt8] {
        let bytes = try input.bytes(bytes(afterMark: units))
        return try Transcoder.utf8(bytes.span, encoding: encoding)
    }

    /// Converts UTF-8 to the encoding of the document. Characters that US-ASCII or ISO-8859-1 lacks become references.
    package func encoded(_ text: [UInt8]) -> [UInt8] {
        if encoding == .utf8 || encoding == .ascii && ByteScan.isASCII(text.span) { return text }
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
        case .utf8, .ascii, .latin1, .windows1252:
            if scalar.value < (encoding == .latin1 ? 0x100 : 0x80) {
                bytes.append(UInt8(scalar.value))
            } else {
                bytes += "&#x\(String(scalar.value, radix: 16, uppercase: true));".utf8
            }
        }
    }
}

extension DocumentInput {
    /// Reads some bytes of the document.
    ///
    /// - Throws: `PropertyListError` if the file cannot be read, or ends before the range does.
    package func bytes(_ range: Range<Int>) throws(PropertyListError) -> [UInt8] {
        let block = try MemoryBlock(bytes: range.count)
        var filled = 0
        while filled < range.count {
            let rest = unsafe UnsafeMutableRawBufferPointer(start: block.start + filled, count: range.count - filled)
            let taken = try unsafe read(at: range.lowerBound + filled, into: rest)
            guard taken > 0 else { throw .notWhatWasRead }
            filled += taken
        }
        return unsafe Array(UnsafeRawBufferPointer(start: block.start, count: range.count))
    }
}

extension PropertyListError {
    /// The error of a writer whose document has changed since its tree was read.
    package static var notWhatWasRead: PropertyListError {
        PropertyListError(reason: "the file has changed since it was read; read it again")
    }
}

import Bytes

/// The encoding of a text document.
public enum TextEncoding: Sendable {
    /// UTF-8 (RFC 3629), with or without a byte order mark.
    case utf8
    /// US-ASCII. Only an XML declaration can name this encoding; the text is read as UTF-8.
    case ascii
    /// ISO-8859-1. Only an XML declaration can name this encoding.
    case latin1
    /// Windows-1252, in which a table is read if it is not UTF-8. The five bytes without a character are control
    /// characters (WHATWG Encoding, windows-1252).
    case windows1252
    /// UTF-16 (RFC 2781), the less significant byte first.
    case utf16LittleEndian
    /// UTF-16, the more significant byte first.
    case utf16BigEndian

    /// The number of bytes at the beginning of a document that are enough to detect its encoding.
    static let headBytes = 512

    /// The first characters of a document, one byte for each, without the byte order mark.
    ///
    /// A code unit of UTF-16 above U+00FF becomes 0xFF; other encodings keep their bytes.
    public static func characters(of head: Span<UInt8>) -> [UInt8] {
        let (encoding, mark) = detect(head)
        return encoding.narrowed(head.extracting(mark..<head.count))
    }

    /// Returns whole code units as characters, one byte for each. A code unit above U+00FF becomes 0xFF.
    func narrowed(_ bytes: Span<UInt8>) -> [UInt8] {
        guard isUTF16 else { return Array(copying: bytes) }
        return stride(from: 0, to: bytes.count - 1, by: 2).map { index in
            UInt8(exactly: codeUnit(bytes[index], bytes[index + 1])) ?? 0xFF
        }
    }

    var isUTF16: Bool { self == .utf16LittleEndian || self == .utf16BigEndian }

    var isReadAsUTF8: Bool { self == .utf8 || self == .ascii }

    /// The character of a byte, in an encoding with one byte for each character.
    func scalar(_ byte: UInt8) -> Unicode.Scalar {
        guard self == .windows1252, (0x80..<0xA0).contains(byte) else { return Unicode.Scalar(byte) }
        return Self.windows1252Scalars[Int(byte) - 0x80]
    }

    /// The characters of Windows-1252 from 0x80 to 0x9F.
    private static let windows1252Scalars = Array(
        "€\u{81}‚ƒ„…†‡ˆ‰Š‹Œ\u{8D}Ž\u{8F}\u{90}‘’“”•–—˜™š›œ\u{9D}žŸ".unicodeScalars)

    /// The UTF-16 code unit in two consecutive bytes.
    func codeUnit(_ first: UInt8, _ second: UInt8) -> UInt16 {
        self == .utf16BigEndian ? UInt16(first) << 8 | UInt16(second) : UInt16(second) << 8 | UInt16(first)
    }

    /// The encoding indicated by the first bytes of a document or by its XML declaration, and the length of the byte
    /// order mark.
    ///
    /// - Throws: `PropertyListError` if the declaration names an unsupported encoding.
    static func detect(
        _ head: Span<UInt8>, isXML: Bool
    ) throws(PropertyListError) -> (encoding: TextEncoding, mark: Int) {
        let (encoding, mark) = detect(head)
        guard isXML, encoding == .utf8, mark == 0 else { return (encoding, mark) }
        return (try declared(in: head) ?? .utf8, 0)
    }

    /// The encoding indicated by the first bytes of a document, and the length of the byte order mark.
    static func detect(_ head: Span<UInt8>) -> (encoding: TextEncoding, mark: Int) {
        func byte(_ n: Int) -> UInt8 { n < head.count ? head[n] : 0xAA }
        return switch (byte(0), byte(1), byte(2)) {
        case (0xEF, 0xBB, 0xBF): (.utf8, 3)
        case (0xFE, 0xFF, _): (.utf16BigEndian, 2)
        case (0xFF, 0xFE, _): (.utf16LittleEndian, 2)
        case (0, let second, _) where second != 0 && head.count > 1: (.utf16BigEndian, 0)
        case (let first, 0, _) where first != 0 && head.count > 1: (.utf16LittleEndian, 0)
        default: (.utf8, 0)
        }
    }

    /// The encoding named by the XML declaration at the beginning (XML 1.0, section 4.3.3); nil without a declared
    /// encoding.
    private static func declared(in head: Span<UInt8>) throws(PropertyListError) -> TextEncoding? {
        guard let name = declaredName(in: head) else { return nil }
        switch name.uppercased() {
        case "UTF-8", "UTF8": return .utf8
        case "US-ASCII", "ASCII": return .ascii
        case "ISO-8859-1", "ISO8859-1", "ISO_8859-1", "LATIN1", "LATIN-1": return .latin1
        case let wide where isWide(wide):
            // If the text had this encoding, the bytes of the declaration would already have shown it.
            throw PropertyListError(
                reason:
                    "the XML declaration names the encoding \(quoted: name), but the text is UTF-8; write encoding=\"UTF-8\" there",
                at: .text(line: 1, column: 1))
        default:
            throw PropertyListError(
                reason:
                    "the encoding \(quoted: name) is not supported; save the document as UTF-8, UTF-16 or ISO-8859-1",
                at: .text(line: 1, column: 1))
        }
    }

    /// Whether an encoding, given in upper case, has more than one byte for each letter of a declaration.
    private static func isWide(_ name: String) -> Bool {
        ["UTF-16", "UTF16", "UTF_16", "UTF-32", "UTF32", "UTF_32", "UCS-2", "UCS-4", "ISO-10646-UCS"].contains {
            name.hasPrefix($0)
        }
    }

    private static func declaredName(in head: Span<UInt8>) -> String? {
        func isAround(_ byte: UInt8) -> Bool { " \t\r\n\"'".utf8.contains(byte) }
        let declaration = Array(copying: head.extracting(first: 256)).prefix { $0 != UInt8(ascii: ">") }
        guard declaration.starts(with: "<?xml".utf8),
            let word = declaration.firstRange(of: Array("encoding".utf8))
        else { return nil }
        let name = declaration[word.upperBound...].drop { isAround($0) || $0 == UInt8(ascii: "=") }
            .prefix { !isAround($0) && $0 != UInt8(ascii: "?") }
        return name.isEmpty ? nil : name.reduce(into: "") { $0.unicodeScalars.append(Unicode.Scalar($1)) }
    }
}

/// Checks the characters of a text document once, as its bytes arrive, so that later stages never see invalid UTF-8.
struct TextCheck {
    let kind: TextKind

    /// The number of leading bytes that form whole, valid characters. The remaining bytes begin another character.
    ///
    /// - Throws: `PropertyListError` at the first fault. `offset` is then the offset of the fault.
    func validPrefix(of bytes: UnsafeRawBufferPointer, faultAt offset: inout Int) throws(PropertyListError) -> Int {
        var index = 0
        while true {
            unsafe index = plainEnd(in: bytes, from: index)
            guard index < bytes.count else { return index }
            let first = unsafe bytes[index]
            offset = index
            if first < 0x80 {
                let code = String(hexadecimal: first, digits: 4)
                let remedy =
                    switch kind {
                    case .xml: "XML; remove it, or use the binary format"
                    case .json: "JSON; in a string, write it as \\u\(code)"
                    case .table: "a table; remove it"
                    }
                throw PropertyListError(reason: "the control character U+\(code) cannot appear in \(remedy)")
            }
            let length = utf8Length(first)
            guard length > 0 else { throw notUTF8 }
            let rest = bytes.count - index
            for step in 1..<length {
                guard step < rest else { return index }
                guard unsafe isContinuation(bytes[index + step], number: step, after: first) else { throw notUTF8 }
            }
            if length == 3, first == 0xEF, kind == .xml {
                let isNoncharacter = unsafe bytes[index + 1] == 0xBF && bytes[index + 2] >= 0xBE
                if isNoncharacter {
                    throw PropertyListError(reason: "U+FFFE and U+FFFF cannot appear in XML; remove them")
                }
            }
            index += length
        }
    }

    static var cutShort: PropertyListError {
        PropertyListError(reason: "the document ends inside a character; it was truncated, or is not UTF-8")
    }

    var notUTF8: PropertyListError {
        let remedy = kind == .xml ? ", or name its encoding in the XML declaration" : ""
        return PropertyListError(reason: "the text is not valid UTF-8; save the document as UTF-8\(remedy)")
    }

    /// The index of the first byte that is not plain ASCII text.
    private func plainEnd(in bytes: UnsafeRawBufferPointer, from start: Int) -> Int {
        guard let base = bytes.baseAddress else { return 0 }
        var index = start
        // Four vectors are compared at a time, because the evaluation of a result costs as much as a comparison.
        while index &+ 64 <= bytes.count {
            let first = unsafe beyondPlain(base, index: index) | beyondPlain(base, index: index &+ 16)
            let second = unsafe beyondPlain(base, index: index &+ 32) | beyondPlain(base, index: index &+ 48)
            guard ((first | second) & 0x80).firstMarked == 16 else { break }
            index &+= 64
        }
        while index &+ 16 <= bytes.count {
            let lane = (unsafe beyondPlain(base, index: index) & 0x80).firstMarked
            if lane < 16 { return index &+ lane }
            index &+= 16
        }
        while index < bytes.count, unsafe isPlain(bytes[index]) { index &+= 1 }
        return index
    }

    /// Sets the top bit of each byte that is not plain ASCII text, among sixteen bytes. The other bits are undefined.
    @inline(__always)
    private func beyondPlain(_ base: UnsafeRawPointer, index: Int) -> SIMD16<UInt8> {
        let lanes = unsafe base.loadUnaligned(fromByteOffset: index, as: SIMD16<UInt8>.self)
        let whitespace = lanes.equal(to: 9) | lanes.equal(to: 10) | lanes.equal(to: 13)
        return lanes | ~(lanes.atLeast(0x20) | whitespace)
    }

    private func isPlain(_ byte: UInt8) -> Bool {
        byte < 0x80 && (byte >= 0x20 || byte == 9 || byte == 10 || byte == 13)
    }

    /// The length that a first byte announces (RFC 3629, section 4); 0 for an invalid first byte.
    private func utf8Length(_ first: UInt8) -> Int {
        switch first {
        case 0xC2...0xDF: 2
        case 0xE0...0xEF: 3
        case 0xF0...0xF4: 4
        default: 0
        }
    }

    /// Whether a byte is allowed at its position, excluding overlong forms and surrogates (RFC 3629, section 4).
    private func isContinuation(_ byte: UInt8, number: Int, after first: UInt8) -> Bool {
        guard number == 1 else { return byte & 0xC0 == 0x80 }
        return switch first {
        case 0xE0: (0xA0...0xBF).contains(byte)
        case 0xED: (0x80...0x9F).contains(byte)
        case 0xF0: (0x90...0xBF).contains(byte)
        case 0xF4: (0x80...0x8F).contains(byte)
        default: byte & 0xC0 == 0x80
        }
    }
}

/// The kind of a text document, which determines the allowed characters, and the advice for all other characters.
///
/// All kinds exclude control characters; XML excludes noncharacters too.
enum TextKind {
    case xml, json, table
}

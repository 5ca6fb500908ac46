import Bytes

/// The encodings that a text document may be written in.
public enum TextEncoding: Sendable {
    /// UTF-8 (RFC 3629), with or without a byte order mark.
    case utf8
    /// ISO-8859-1, which only an XML declaration can name.
    case latin1
    /// UTF-16 (RFC 2781), the less significant byte first.
    case utf16LittleEndian
    /// UTF-16, the more significant byte first.
    case utf16BigEndian

    /// The first characters of a document with a byte each, without the byte order mark.
    ///
    /// A code unit of UTF-16 above U+00FF becomes 0xFF; other encodings keep their bytes.
    public static func characters(of head: Span<UInt8>) -> [UInt8] {
        let (encoding, mark) = detect(head)
        guard encoding.isUTF16 else { return Array(copying: head.extracting(mark..<head.count)) }
        return stride(from: mark, to: head.count - 1, by: 2).map { index in
            UInt8(exactly: encoding.codeUnit(head[index], head[index + 1])) ?? 0xFF
        }
    }

    private var isUTF16: Bool { self == .utf16LittleEndian || self == .utf16BigEndian }

    /// The UTF-16 code unit that two consecutive bytes are.
    func codeUnit(_ first: UInt8, _ second: UInt8) -> UInt16 {
        self == .utf16BigEndian ? UInt16(first) << 8 | UInt16(second) : UInt16(second) << 8 | UInt16(first)
    }

    /// The encoding that the first bytes of a document indicate, and how many bytes of byte order mark to skip.
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

    /// The encoding that an XML declaration names, if the bytes begin with one that names any (XML 1.0, section 4.3.3).
    ///
    /// - Throws: `PropertyListError` for an unsupported encoding.
    static func declared(in head: Span<UInt8>) throws(PropertyListError) -> TextEncoding? {
        guard let name = declaredName(in: head) else { return nil }
        switch name.uppercased() {
        case "UTF-8", "UTF8", "US-ASCII", "ASCII": return .utf8
        case "ISO-8859-1", "ISO8859-1", "ISO_8859-1", "LATIN1", "LATIN-1": return .latin1
        case let wide where isWide(wide):
            // If it were true, the declaration's own bytes would already have shown it.
            throw PropertyListError(
                "the XML declaration names the encoding \(quoted: name), but the text is UTF-8; write encoding=\"UTF-8\" there",
                at: .text(line: 1, column: 1))
        default:
            throw PropertyListError(
                "the encoding \(quoted: name) is not supported; save the document as UTF-8, UTF-16 or ISO-8859-1",
                at: .text(line: 1, column: 1))
        }
    }

    /// Whether the name, in upper case, is of an encoding with more than one byte for each letter of a declaration.
    private static func isWide(_ name: String) -> Bool {
        ["UTF-16", "UTF16", "UTF_16", "UTF-32", "UTF32", "UTF_32", "UCS-2", "UCS-4", "ISO-10646-UCS"].contains {
            name.hasPrefix($0)
        }
    }

    /// Whether an XML declaration names US-ASCII.
    static func declaresASCII(_ head: Span<UInt8>) -> Bool {
        declaredName(in: head).map { ["US-ASCII", "ASCII"].contains($0.uppercased()) } ?? false
    }

    private static func declaredName(in head: Span<UInt8>) -> String? {
        guard head.contains("<?xml", at: 0) else { return nil }
        var end = 0
        while end < min(head.count, 256), head[end] != UInt8(ascii: ">") { end += 1 }
        let declaration = head.extracting(0..<end)
        guard var start = declaration.indices.first(where: { declaration.contains("encoding", at: $0) }) else {
            return nil
        }
        start += "encoding".utf8.count
        while start < end, declaration[start].isAround || declaration[start] == UInt8(ascii: "=") { start += 1 }
        var name = ""
        while start < end, !declaration[start].isAround, declaration[start] != UInt8(ascii: "?") {
            name.unicodeScalars.append(Unicode.Scalar(declaration[start]))
            start += 1
        }
        return name.isEmpty ? nil : name
    }
}

extension Span<UInt8> {
    /// Whether a word is at a place.
    fileprivate func contains(_ word: StaticString, at place: Int) -> Bool {
        guard count - place >= word.utf8CodeUnitCount else { return false }
        for index in 0..<word.utf8CodeUnitCount {
            guard unsafe self[place + index] == word.utf8Start[index] else { return false }
        }
        return true
    }
}

extension UInt8 {
    /// Whether it is a quotation mark or white space.
    fileprivate var isAround: Bool {
        switch self {
        case UInt8(ascii: " "), UInt8(ascii: "\t"), UInt8(ascii: "\r"), UInt8(ascii: "\n"), UInt8(ascii: "\""),
            UInt8(ascii: "'"):
            true
        default: false
        }
    }
}

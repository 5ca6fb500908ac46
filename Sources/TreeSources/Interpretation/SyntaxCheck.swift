internal import PropertyLists

/// Detects a document's syntax from its first bytes, and refuses other formats with advice.
struct SyntaxCheck {
    /// The first characters of the document, one byte for each. A UTF-16 code unit above U+00FF becomes 0xFF.
    private let text: [UInt8]
    private var cursor = 0

    /// The syntax of a document that begins with these bytes. Text that may be JSON is `json`, although it may turn out
    /// to be in another format.
    ///
    /// - Parameter name: the document's name, for the advice in an error.
    /// - Throws: `PropertyListError` for a format that is not supported.
    static func syntax(of head: [UInt8], name: String = "") throws(PropertyListError) -> PropertyListSyntax {
        if head.starts(with: "bplist".utf8) {
            let version = String(decoding: head.prefix(8), as: UTF8.self)
            guard version == "bplist00" else {
                throw PropertyListError(
                    reason:
                        "it is a binary property list of the version '\(quoted: version)'; only 'bplist00' is supported, so convert it with plutil -convert xml1"
                )
            }
            return .binary
        }
        if let format = otherFormat(head) {
            throw PropertyListError(reason: "it is \(workbook(head, name: name) ?? format)")
        }
        if head.allSatisfy({ $0 == 0 }) {
            throw PropertyListError(
                reason:
                    "the file begins with zero bytes instead of text; it was not written completely, so save it again"
            )
        }
        if isUTF32(head) {
            throw PropertyListError(reason: "the text is in UTF-32, which is not supported; save the document as UTF-8")
        }
        var check = SyntaxCheck(text: TextEncoding.characters(of: head.span))
        return try check.textSyntax()
    }

    /// Whether the content shows that a document is not a table of separated values, whatever its name.
    static func isOtherThanCells(_ head: [UInt8]) -> Bool {
        if head.starts(with: "bplist".utf8) || otherFormat(head) != nil { return true }
        return TextEncoding.characters(of: head.span).first { $0 > 0x20 }.map("<{[".utf8.contains) ?? false
    }

    /// The formats that are not read, by their first bytes.
    private static let otherFormats: [(magic: [UInt8], reason: String)] = [
        ([0x1F, 0x8B], "compressed with gzip; decompress it first"),
        (zipMagic, "compressed with zip; decompress it first"),
        ([0xFD, 0x37, 0x7A, 0x58, 0x5A, 0x00], "compressed with xz; decompress it first"),
        ([0x28, 0xB5, 0x2F, 0xFD], "compressed with zstd; decompress it first"),
        ([0x42, 0x5A, 0x68], "compressed with bzip2; decompress it first"),
        ([0x37, 0x7A, 0xBC, 0xAF, 0x27, 0x1C], "compressed with 7z; decompress it first"),
        (Array("%PDF".utf8), "a PDF document; it must be a property list or a table"),
        ([0x89, 0x50, 0x4E, 0x47], "a PNG image; it must be a property list or a table"),
        ([0xFF, 0xD8, 0xFF], "a JPEG image; it must be a property list or a table"),
        (Array("GIF8".utf8), "a GIF image; it must be a property list or a table"),
        (Array("RIFF".utf8), "a RIFF file, such as a WebP image; it must be a property list or a table"),
        (excelMagic, excelWorkbook),
    ]

    private static let zipMagic: [UInt8] = [0x50, 0x4B, 0x03, 0x04]
    /// The beginning of files that Excel wrote before 2007.
    private static let excelMagic: [UInt8] = [0xD0, 0xCF, 0x11, 0xE0]
    private static let excelWorkbook = "an Excel workbook; save it as CSV UTF-8"

    /// The workbook that a zip archive is, by its content or its name; nil for other files.
    private static func workbook(_ head: [UInt8], name: String) -> String? {
        guard head.starts(with: zipMagic) else { return nil }
        let text = String(decoding: head, as: UTF8.self)
        let name = name.lowercased()
        if text.contains("xl/") || name.hasSuffix(".xlsx") || name.hasSuffix(".xlsm") { return excelWorkbook }
        guard text.contains("opendocument.spreadsheet") || name.hasSuffix(".ods") else { return nil }
        return "an OpenDocument spreadsheet; save it as CSV"
    }

    private static func otherFormat(_ head: [UInt8]) -> String? {
        otherFormats.first { head.starts(with: $0.magic) }?.reason
    }

    private init(text: [UInt8]) { self.text = text }

    /// Whether the first character takes four bytes: a byte order mark, or a character below U+0100 (XML 1.0, appendix
    /// F.1).
    private static func isUTF32(_ head: [UInt8]) -> Bool {
        guard head.count >= 4 else { return false }
        return switch (head[0], head[1], head[2], head[3]) {
        case (0, 0, 0xFE, 0xFF), (0xFF, 0xFE, 0, 0): true
        case (0, 0, 0, let last): last != 0
        case (let first, 0, 0, 0): first != 0
        default: false
        }
    }

    // MARK: Text

    private mutating func textSyntax() throws(PropertyListError) -> PropertyListSyntax {
        skipWhitespace()
        guard let first = next else {
            throw PropertyListError(reason: "the file contains only white space; it must contain a property list")
        }
        if first == UInt8(ascii: "<") {
            if isPage { throw PropertyListError(reason: "it is an HTML page; it must be a property list or a table") }
            return .xml
        }
        let other = OtherFormat(text[cursor...])
        // Entries of OpenStep and of TOML have an equals sign. Only the entries of OpenStep end with a semicolon.
        if other != .toml, try isOpenStep() { throw Self.openStep }
        switch first {
        case UInt8(ascii: "{"), UInt8(ascii: "["), UInt8(ascii: "\""), UInt8(ascii: "-"),
            UInt8(ascii: "0")...UInt8(ascii: "9"):
            return .json
        default:
            if ["true", "false", "null"].contains(where: { text[cursor...].starts(with: $0.utf8) }) { return .json }
            throw other?.refusal ?? (isComment ? Self.comment : unknown)
        }
    }

    /// Whether the text at the cursor begins an HTML page.
    private var isPage: Bool {
        let begin = String(decoding: text[cursor...].prefix(14), as: UTF8.self).lowercased()
        return begin.hasPrefix("<html") || begin == "<!doctype html"
    }

    /// Whether the text at the cursor is a comment that some dialects of JSON permit.
    private var isComment: Bool { ["//", "/*", "#"].contains { text[cursor...].starts(with: $0.utf8) } }

    private static let comment = PropertyListError(
        reason: "it begins with a comment; JSON has no comments, so remove them")

    private static let openStep = PropertyListError(
        reason:
            "it is an OpenStep property list, which is another format; convert it with plutil -convert xml1 or, on Linux, with plistutil -f xml"
    )

    private var unknown: PropertyListError {
        let start = text[cursor...].prefix { $0 > 0x20 && $0 < 0x7F }.prefix(16)
        let found = start.isEmpty ? "" : ", but '\(String(decoding: start, as: UTF8.self))'"
        return PropertyListError(
            reason:
                "it is not a property list: it begins with neither '<' (XML), 'bplist00' (binary) nor '{' or '[' (JSON)\(found)"
        )
    }

    /// Whether the text is in the format of NeXT's OpenStep: `{ a = b; }`, `( a, b )`, `"a" = "b";`.
    private mutating func isOpenStep() throws(PropertyListError) -> Bool {
        let start = cursor
        defer { cursor = start }
        skipCommentsAndWhitespace()
        switch next {
        case UInt8(ascii: "("): return true
        case UInt8(ascii: "{"):
            cursor += 1
            skipCommentsAndWhitespace()
        default: break
        }
        guard skipWord() else { return false }
        skipCommentsAndWhitespace()
        return next == UInt8(ascii: "=")
    }

    private var next: UInt8? { cursor < text.count ? text[cursor] : nil }

    private mutating func skipWhitespace() {
        while let byte = next, byte <= 0x20, byte > 0 { cursor += 1 }
    }

    private mutating func skipCommentsAndWhitespace() {
        while true {
            skipWhitespace()
            if text[cursor...].starts(with: "//".utf8) {
                while let byte = next, byte != 0x0A { cursor += 1 }
            } else if text[cursor...].starts(with: "/*".utf8) {
                while next != nil, !text[cursor...].starts(with: "*/".utf8) { cursor += 1 }
                cursor = min(cursor + 2, text.count)
            } else {
                return
            }
        }
    }

    /// Moves past a quoted or bare word. Returns false if the text does not continue with a word.
    private mutating func skipWord() -> Bool {
        let start = cursor
        if next == UInt8(ascii: "\"") {
            cursor += 1
            while let byte = next, byte != UInt8(ascii: "\"") { cursor += byte == UInt8(ascii: "\\") ? 2 : 1 }
            cursor = min(cursor + 1, text.count)
        } else {
            while let byte = next, Self.isWordByte(byte) { cursor += 1 }
        }
        return cursor > start
    }

    /// The characters of an unquoted OpenStep word: letters, digits and `_$/:.-`.
    private static func isWordByte(_ byte: UInt8) -> Bool {
        switch byte {
        case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
            UInt8(ascii: "0")...UInt8(ascii: "9"):
            true
        default: "_$/:.-".utf8.contains(byte)
        }
    }
}

extension PropertyListSyntax {
    /// Reads a document of this syntax into a consumer.
    func read<Consumer: PropertyListConsumer & ~Copyable>(
        _ input: DocumentInput, limits: PropertyListLimits, into consumer: inout Consumer
    ) throws(PropertyListError) {
        switch self {
        case .xml: try XMLPropertyListReader.read(input, limits: limits, into: &consumer)
        case .binary: try BinaryPropertyListReader.read(input, limits: limits, into: &consumer)
        case .json:
            do throws(PropertyListError) {
                try JSONPropertyListReader.read(input, limits: limits, into: &consumer)
            } catch {
                throw try OtherFormat.refusal(ofJSON: input, limits: limits) ?? error
            }
        }
    }
}

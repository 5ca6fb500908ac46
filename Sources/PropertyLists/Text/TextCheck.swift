import Bytes

/// Checks the characters of a text document once, as its bytes arrive.
///
/// Everything that a reader passes on was checked here, so later stages never see invalid UTF-8.
struct TextCheck {
    private let kind: TextKind
    private let isXML: Bool

    init(_ kind: TextKind) {
        self.kind = kind
        isXML = kind == .xml
    }

    /// The number of leading bytes that are whole, valid characters; the rest is the beginning of one more.
    ///
    /// - Throws: at the first fault, with its offset in `offset`.
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
                throw PropertyListError("the control character U+\(code) cannot appear in \(remedy)")
            }
            let length = utf8Length(first)
            guard length > 0 else { throw notUTF8 }
            let rest = bytes.count - index
            for step in 1..<length {
                guard step < rest else { return index }
                guard unsafe isContinuation(bytes[index + step], number: step, after: first) else { throw notUTF8 }
            }
            if isXML, length == 3, first == 0xEF {
                let isNoncharacter = unsafe bytes[index + 1] == 0xBF && bytes[index + 2] >= 0xBE
                if isNoncharacter { throw PropertyListError("U+FFFE and U+FFFF cannot appear in XML; remove them") }
            }
            index += length
        }
    }

    static var cutShort: PropertyListError {
        PropertyListError("the document ends inside a character; it was truncated, or is not UTF-8")
    }

    var notUTF8: PropertyListError {
        let remedy = isXML ? ", or name its encoding in the XML declaration" : ""
        return PropertyListError("the text is not valid UTF-8; save the document as UTF-8\(remedy)")
    }

    /// The index of the first byte that is not plain ASCII text.
    private func plainEnd(in bytes: UnsafeRawBufferPointer, from start: Int) -> Int {
        guard let base = bytes.baseAddress else { return 0 }
        var index = start
        // Four vectors at a time, because evaluating the result of one costs as much as the comparison.
        while index &+ 64 <= bytes.count {
            let first = unsafe beyondPlain(base, index) | beyondPlain(base, index &+ 16)
            let second = unsafe beyondPlain(base, index &+ 32) | beyondPlain(base, index &+ 48)
            guard ((first | second) & 0x80).firstMarked == 16 else { break }
            index &+= 64
        }
        while index &+ 16 <= bytes.count {
            let lane = (unsafe beyondPlain(base, index) & 0x80).firstMarked
            if lane < 16 { return index &+ lane }
            index &+= 16
        }
        while index < bytes.count, unsafe isPlain(bytes[index]) { index &+= 1 }
        return index
    }

    /// The top bit of each of sixteen bytes that is not plain ASCII text; the other bits are undefined.
    @inline(__always)
    private func beyondPlain(_ base: UnsafeRawPointer, _ index: Int) -> SIMD16<UInt8> {
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

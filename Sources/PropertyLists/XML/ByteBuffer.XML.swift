import Bytes

extension ByteBuffer {
    /// Appends a text as XML character data: `&`, `<` and `>` as entities, a carriage return as a reference.
    ///
    /// - Throws: `PropertyListError` for a character that XML 1.0 (section 2.2) cannot carry.
    mutating func append(xmlText text: Span<UInt8>) throws(PropertyListError) {
        var start = 0
        var index = 0
        while true {
            index = ByteScan.firstMarkup(in: text, from: index)
            guard index < text.count else { break }
            let reference = try Self.xmlReference(for: text, at: index)
            if let reference {
                append(text.extracting(start..<index))
                append(reference)
                start = index + 1
            }
            index += 1
        }
        append(text.extracting(start..<text.count))
    }

    /// The replacement of a character; nil if it needs none.
    private static func xmlReference(
        for text: Span<UInt8>, at index: Int
    ) throws(PropertyListError) -> StaticString? {
        switch text[index] {
        case UInt8(ascii: "&"): return "&amp;"
        case UInt8(ascii: "<"): return "&lt;"
        case UInt8(ascii: ">"): return "&gt;"
        case 0x0D: return "&#13;"
        case 0x09, 0x0A: return nil
        case 0xEF:
            // U+FFFE and U+FFFF are EF BF BE and EF BF BF.
            guard index + 2 < text.count, text[index + 1] == 0xBF, text[index + 2] >= 0xBE else { return nil }
            throw unfitForXML("U+FFF\(text[index + 2] == 0xBE ? "E" : "F")")
        default:
            throw unfitForXML("U+\(String(hexadecimal: text[index], digits: 4))")
        }
    }

    private static func unfitForXML(_ character: String) -> PropertyListError {
        PropertyListError("the text contains \(character), which XML cannot represent; use the binary format")
    }
}

extension ByteScan {
    /// The index of the first byte that XML text must not contain unescaped; the end if there is none.
    ///
    /// The first bytes of U+F000 … U+FFFF and white space are found too: some of these characters are not allowed.
    fileprivate static func firstMarkup(in text: Span<UInt8>, from start: Int) -> Int {
        var index = start
        while index < text.count {
            let size = min(text.count - index, 8)
            let word = size == 8 ? word(of: text, at: index) : word(of: text, at: index, count: size)
            var found = controls(word) | equal(word, UInt8(ascii: "&")) | equal(word, UInt8(ascii: "<"))
            found |= equal(word, UInt8(ascii: ">")) | equal(word, 0xEF)
            let plain = min(found.trailingZeroBitCount / 8, size)
            index += plain
            if plain < size { break }
        }
        return index
    }
}

import Bytes

extension XMLPropertyListReader {
    /// Reads the text of an element, from the cursor up to the end tag.
    ///
    /// - Throws: `PropertyListError` for a child element, an unknown entity, or a missing end tag.
    @inline(__always)
    mutating func readText(closedBy endTag: StaticString) throws(PropertyListError) -> TokenText {
        let found = try window.findTextBreak()
        if let found, try window.matches(endTag, at: found) {
            return .direct(0..<found, passing: found + endTag.utf8CodeUnitCount)
        }
        try assembleText(closedBy: endTag)
        return .assembled
    }

    private mutating func assembleText(closedBy endTag: StaticString) throws(PropertyListError) {
        window.beginAssembling()
        while true {
            guard let found = try window.findTextBreak() else {
                throw PropertyListError(reason: "the document ends inside text; '\(endTag)' is missing")
            }
            window.assemble(0..<found)
            guard window.assembled.count <= limits.valueBytes else {
                throw PropertyListError(
                    reason:
                        "an element's text is longer than \(limits.valueBytes) bytes; store large data in separate files"
                )
            }
            window.advanceCountingLines(found)
            if try window.peek() == UInt8(ascii: "&") {
                try readReference()
            } else if try window.peek() == 13 {
                try readCarriageReturn()
            } else if try window.matches(endTag, at: 0) {
                window.advance(endTag.utf8CodeUnitCount)
                return
            } else if try !readInnerMarkup(endTag) {
                return
            }
        }
    }

    /// Reads a line end in any form as one line feed (XML 1.0, section 2.11).
    private mutating func readCarriageReturn() throws(PropertyListError) {
        let isPair = try window.peek(1) == 10
        window.assemble(10)
        if isPair { window.advanceCountingLines(2) } else { window.advance(1) }
    }

    /// Reads markup inside text. Returns false if the markup is the end tag, written with white space.
    private mutating func readInnerMarkup(_ endTag: StaticString) throws(PropertyListError) -> Bool {
        if try window.matches("<![CDATA[", at: 0) {
            try readCharacterData()
        } else if try window.matches("<!--", at: 0) {
            try skipComment()
        } else if try window.matches("<?", at: 0) {
            try skipProcessingInstruction()
        } else {
            let element = String(describing: endTag).dropFirst(2).dropLast()
            guard try window.peek(1) == UInt8(ascii: "/"), try tagName(from: 2) == element else {
                throw try markup(inTextOf: String(element))
            }
            window.advance(2 + element.utf8.count)
            try closeTag()
            return false
        }
        return true
    }

    private mutating func readCharacterData() throws(PropertyListError) {
        window.advance(9)
        guard let end = try window.findEnd(of: "]]>", from: 0) else {
            throw PropertyListError(reason: "the document ends inside a CDATA section; ']]>' is missing")
        }
        var start = 0
        while let found = try window.find(13, 13, 13, from: start), found < end {
            window.assemble(start..<found)
            if try window.peek(found + 1) != 10 { window.assemble(10) }
            start = found + 1
        }
        window.assemble(start..<end - 3)
        window.advanceCountingLines(end)
    }

    private mutating func readReference() throws(PropertyListError) {
        // By far the most frequent reference.
        if try window.matches("&amp;", at: 0) {
            window.assemble(UInt8(ascii: "&"))
            return window.advance(5)
        }
        guard let end = try window.find(UInt8(ascii: ";"), UInt8(ascii: "<"), UInt8(ascii: "&"), from: 1),
            end <= 16, try window.peek(end) == UInt8(ascii: ";")
        else {
            throw PropertyListError(
                reason: "'&' does not begin a reference here; write '&amp;' for the character itself")
        }
        window.assemble(try Self.scalar(named: String(utf8: window.text(1..<end))))
        window.advance(end + 1)
    }

    private static func scalar(named name: String) throws(PropertyListError) -> Unicode.Scalar {
        switch name {
        case "lt": return "<"
        case "gt": return ">"
        case "amp": return "&"
        case "quot": return "\""
        case "apos": return "'"
        default: break
        }
        let isHex = name.hasPrefix("#x")
        let digits = name.dropFirst(isHex ? 2 : 1)
        guard name.hasPrefix("#"), !digits.isEmpty,
            digits.utf8.allSatisfy({ $0.hexadecimalValue.map { isHex || $0 < 10 } ?? false })
        else {
            throw PropertyListError(
                reason:
                    "'&\(quoted: name);' is not defined; only &lt; &gt; &amp; &quot; &apos; and character references such as &#228; are"
            )
        }
        guard let value = UInt32(digits, radix: isHex ? 16 : 10), let scalar = Unicode.Scalar(value) else {
            throw PropertyListError(reason: "'&\(name);' refers to a character that does not exist")
        }
        // The Char production of XML 1.0, section 2.2.
        switch value {
        case 9, 10, 13, 0x20...0xFFFD, 0x10000...: return scalar
        default:
            throw PropertyListError(
                reason: "'&\(name);' refers to a character that XML does not allow; remove it, or use the binary format"
            )
        }
    }
}

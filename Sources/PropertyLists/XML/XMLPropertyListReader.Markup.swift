extension XMLPropertyListReader {
    /// Skips white space and comments, and leaves the cursor at the next tag.
    @inline(__always)
    mutating func skipToMarkup() throws(PropertyListError) {
        while true {
            try window.skipWhitespace()
            guard try window.peek() == UInt8(ascii: "<") else {
                if try window.peek() == nil { throw Self.prematureEnd }
                throw PropertyListError(reason: "text appears between elements; put it into a <string>")
            }
            let next = try window.peek(1)
            guard next == UInt8(ascii: "!") || next == UInt8(ascii: "?") else { return }
            try skipMiscellany()
            if try window.matches("<!", at: 0) {
                throw PropertyListError(
                    reason: "a declaration appears inside the property list; only comments are allowed there")
            }
        }
    }

    /// Skips white space, comments and processing instructions.
    mutating func skipMiscellany() throws(PropertyListError) {
        while true {
            try window.skipWhitespace()
            if try window.matches("<!--", at: 0) {
                try skipComment()
            } else if try window.matches("<?", at: 0) {
                try skipProcessingInstruction()
            } else {
                return
            }
        }
    }

    /// Skips everything before the root element. Throws an error if the document is not an XML property list.
    mutating func skipProlog() throws(PropertyListError) {
        try window.skipWhitespace()
        while try window.peek() == UInt8(ascii: "<") {
            if try window.matches("<!DOCTYPE", at: 0) {
                try skipDocumentType()
            } else if try window.matches("<!ENTITY", at: 0) {
                throw Self.noEntities
            } else if try window.matches("<!--", at: 0) {
                try skipComment()
            } else if try window.peek(1) == UInt8(ascii: "?") {
                try skipProcessingInstruction()
            } else if try window.peek(1) == UInt8(ascii: "!") {
                throw PropertyListError(
                    reason: "a declaration appears before the property list; only <!DOCTYPE …> is allowed there")
            } else {
                return
            }
            try window.skipWhitespace()
        }
        if try window.peek() == nil { throw Self.prematureEnd }
        throw PropertyListError(
            reason: "this is not an XML property list; it begins with <?xml …?>, <!DOCTYPE plist …> or <plist>")
    }

    static var noEntities: PropertyListError {
        PropertyListError(
            reason: "entity declarations are not allowed, because a few can expand without limit; write the text itself"
        )
    }

    mutating func skipDocumentType() throws(PropertyListError) {
        var offset = 9
        while let found = try window.find(UInt8(ascii: ">"), UInt8(ascii: "["), UInt8(ascii: "\""), from: offset) {
            switch try window.peek(found) {
            case UInt8(ascii: ">"): return window.advanceCountingLines(found + 1)
            case UInt8(ascii: "["): throw try refusalOfSubset(from: found + 1)
            default:
                guard let end = try window.findEnd(of: "\"", from: found + 1) else { throw Self.prematureEnd }
                offset = end
            }
        }
        throw Self.prematureEnd
    }

    /// The error for declarations within `<!DOCTYPE`. Entity declarations have their own error.
    private mutating func refusalOfSubset(from start: Int) throws(PropertyListError) -> PropertyListError {
        var offset = start
        let (bracket, end) = (UInt8(ascii: "<"), UInt8(ascii: "]"))
        while let found = try window.find(bracket, end, end, from: offset), try window.peek(found) == bracket {
            if try window.matches("<!ENTITY", at: found) { return Self.noEntities }
            offset = found + 1
            if try window.matches("<!--", at: found) { offset = try window.findEnd(of: "-->", from: found) ?? offset }
        }
        return PropertyListError(
            reason: "declarations inside <!DOCTYPE …> are not supported; remove '[', ']' and everything between them")
    }

    mutating func skipComment() throws(PropertyListError) {
        guard let end = try window.findEnd(of: "-->", from: 4) else {
            throw PropertyListError(reason: "the document ends inside a comment; '-->' is missing")
        }
        window.advanceCountingLines(end)
    }

    mutating func skipProcessingInstruction() throws(PropertyListError) {
        guard let end = try window.findEnd(of: "?>", from: 2) else {
            throw PropertyListError(reason: "the document ends inside a declaration; '?>' is missing")
        }
        window.advanceCountingLines(end)
    }

    // MARK: Tags

    /// Moves past `<name`. Throws an error if the element has another name.
    @inline(__always)
    mutating func startTag(_ name: StaticString) throws(PropertyListError) {
        let size = name.utf8CodeUnitCount
        guard try window.matches(name, at: 1), try !Self.isNameByte(window.peek(size + 1)) else {
            throw try unknownElement()
        }
        window.advance(size + 1)
    }

    /// Moves past the rest of a start tag. Returns whether the element is empty, as in `<dict/>`.
    @inline(__always)
    mutating func finishStartTag() throws(PropertyListError) -> Bool {
        if try window.peek() == UInt8(ascii: ">") {
            window.advance(1)
            return false
        }
        return try finishLongStartTag()
    }

    private mutating func finishLongStartTag() throws(PropertyListError) -> Bool {
        while true {
            try window.skipWhitespace()
            guard let byte = try window.peek() else { throw Self.prematureEnd }
            switch byte {
            case UInt8(ascii: ">"):
                window.advance(1)
                return false
            case UInt8(ascii: "/"):
                guard try window.peek(1) == UInt8(ascii: ">") else {
                    throw PropertyListError(
                        reason: "a '/' in a tag is not followed by '>'; an empty element ends with '/>'")
                }
                window.advance(2)
                return true
            case UInt8(ascii: "\""), UInt8(ascii: "'"):
                guard let end = try window.find(byte, byte, byte, from: 1) else { throw Self.prematureEnd }
                window.advanceCountingLines(end + 1)
            case UInt8(ascii: "<"):
                throw PropertyListError(reason: "a tag begins inside a tag; '>' is missing before it")
            default: window.advance(1)
            }
        }
    }

    /// Whether the end tag with exactly this name is at the cursor.
    @inline(__always)
    mutating func isEndTag(_ start: StaticString) throws(PropertyListError) -> Bool {
        guard try window.matches(start, at: 0) else { return false }
        return try !Self.isNameByte(window.peek(start.utf8CodeUnitCount))
    }

    /// Moves past the `>` of an end tag.
    @inline(__always)
    mutating func closeTag() throws(PropertyListError) {
        if try window.peek() != UInt8(ascii: ">") { try window.skipWhitespace() }
        guard try window.peek() == UInt8(ascii: ">") else {
            if try window.peek() == nil { throw Self.prematureEnd }
            throw PropertyListError(reason: "the end tag is not closed; '>' is missing")
        }
        window.advance(1)
    }

    @inline(__always)
    static func isNameByte(_ byte: UInt8?) -> Bool {
        guard let byte else { return false }
        return byte > 0x20 && byte != UInt8(ascii: ">") && byte != UInt8(ascii: "/") && byte != UInt8(ascii: "<")
    }

    mutating func unknownElement() throws(PropertyListError) -> PropertyListError {
        let name = try tagName(from: 1)
        guard try window.peek(1 + name.utf8.count) != nil else { return Self.prematureEnd }
        return PropertyListError(
            reason: "<\(quoted: name)> is not a property list element; the elements are dict, key, array, string, "
                + "integer, real, date, data, true and false")
    }

    /// Whether the document ends inside the tag or the reference at the cursor.
    ///
    /// This is checked after an error at the cursor. If the result is true, truncation is the true cause of the error.
    mutating func endsInsideMarkup() -> Bool {
        do throws(PropertyListError) {
            switch try window.peek() {
            case UInt8(ascii: "<"), UInt8(ascii: "&"), UInt8(ascii: "/"):
                return try window.findEnd(of: ">", from: 1) == nil
            default: return false
            }
        } catch {
            return false
        }
    }

    static var cutShortInMarkup: PropertyListError {
        PropertyListError(reason: "the document ends inside a tag or a reference; it was truncated")
    }

    static var prematureEnd: PropertyListError {
        PropertyListError(reason: "the document ends before the property list does; it was truncated")
    }
}

/// Reads the values of header fields where they lie, so that a long list costs no more than a look at each byte.
extension Span<UInt8> {
    /// Hands over each part between separators, without the white space around it (RFC 9110, section 5.6.1).
    ///
    /// A separator within quotes divides nothing (RFC 9110, section 5.6.4).
    ///
    /// - Parameter visit: returns false to stop.
    func forEachElement(dividedBy separator: UInt8, _ visit: (Span<UInt8>) -> Bool) {
        var start = 0
        var isQuoted = false
        var place = 0
        while place < count {
            let byte = self[place]
            if byte == UInt8(ascii: "\"") {
                isQuoted.toggle()
            } else if byte == UInt8(ascii: "\\") {
                // An escaped character is neither a quote nor a separator.
                if isQuoted { place += 1 }
            } else if byte == separator, !isQuoted {
                guard visit(trimmed(start, place)) else { return }
                start = place + 1
            }
            place += 1
        }
        _ = visit(trimmed(start, count))
    }

    /// Hands over each part between separators that is not empty, whatever is in it.
    func forEachPart<Failure: Error>(
        dividedBy separator: UInt8, _ visit: (Span<UInt8>) throws(Failure) -> Void
    ) throws(Failure) {
        var start = 0
        for index in indices where self[index] == separator {
            if index > start { try visit(extracting(start..<index)) }
            start = index + 1
        }
        if count > start { try visit(extracting(start..<count)) }
    }

    /// Some of the bytes without the white space around them.
    @_lifetime(copy self)
    func trimmed(_ start: Int, _ end: Int) -> Span<UInt8> {
        var start = start
        var end = end
        while start < end, Self.isSpace(self[start]) { start += 1 }
        while end > start, Self.isSpace(self[end - 1]) { end -= 1 }
        return extracting(start..<end)
    }

    /// The place of a byte's first occurrence; the count without one.
    func index(of byte: UInt8) -> Int {
        var index = 0
        while index < count, self[index] != byte { index += 1 }
        return index
    }

    /// Compares with ASCII text in lower case, ignoring this one's case.
    func isEqual(ignoringCase lowercased: StaticString) -> Bool {
        guard count == lowercased.utf8CodeUnitCount else { return false }
        for index in 0..<count {
            let byte = self[index]
            let letter = byte &- UInt8(ascii: "A") < 26 ? byte | 0x20 : byte
            if unsafe letter != lowercased.utf8Start[index] { return false }
        }
        return true
    }

    private static func isSpace(_ byte: UInt8) -> Bool { byte == 0x20 || byte == 0x09 }
}

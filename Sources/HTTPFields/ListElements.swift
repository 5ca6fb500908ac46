extension Span<UInt8> {
    /// Passes each element of a list, empty ones too, without the white space around it (RFC 9110, section 5.6.1).
    ///
    /// A separator within a quoted string separates nothing (RFC 9110, section 5.6.4); a quote that is never closed
    /// reaches to the end. The list is read where it is, each byte once, whatever its length.
    ///
    /// - Parameters:
    ///   - separator: a comma for a list, a semicolon for the parameters of an element.
    ///   - visit: returns false to stop.
    @inlinable
    public func forEachElement(dividedBy separator: UInt8, _ visit: (Span<UInt8>) -> Bool) {
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
                guard visit(trimmed(from: start, to: place)) else { return }
                start = place + 1
            }
            place += 1
        }
        _ = visit(trimmed(from: start, to: count))
    }
}

public import Bytes

/// Optional white space, `OWS`: spaces and tabs (RFC 9110, section 5.6.3).
@usableFromInline
enum Whitespace {
    @inlinable
    @inline(__always)
    static func contains(_ byte: UInt8) -> Bool { byte == 0x20 || byte == 0x09 }
}

extension Span<UInt8> {
    /// The bytes from one index up to another, without the white space around them.
    @inlinable
    @_lifetime(copy self)
    func trimmed(from start: Int, to end: Int) -> Span<UInt8> { trimmed(from: start, to: end, Whitespace.contains) }

    /// The first index, not below a given one, that is not white space; the count if there is none.
    @inlinable
    func endOfWhitespace(from start: Int) -> Int {
        var place = start
        while place < count, Whitespace.contains(self[place]) { place += 1 }
        return place
    }
}

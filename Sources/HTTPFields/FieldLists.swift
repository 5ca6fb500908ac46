public import Bytes

extension Span<UInt8> {
    /// Calls `visit` with each element of a list, without the white space around the element (RFC 9110, section 5.6.1).
    /// Empty elements are included.
    ///
    /// Separators within a quoted string are ignored (RFC 9110, section 5.6.4); an unclosed quote extends to the end.
    /// The list is read in place, each byte once.
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

extension Span<UInt8> {
    /// Calls `visit` with each token of a list and its weight, as in `Accept-Encoding` (RFC 9110, section 12.5.3).
    ///
    /// An element is `token [ OWS ";" OWS "q=" qvalue ]`. Empty elements are skipped.
    ///
    /// - Parameter visit: takes the token, in upper or lower case as sent, and its weight in thousandths. The weight is
    ///   1,000 if the element does not name a weight.
    /// - Returns: false if an element is malformed. `visit` is not called for this element and the elements after it.
    @inlinable
    public func forEachWeightedToken(_ visit: (_ token: Span<UInt8>, _ quality: Int) -> Void) -> Bool {
        var place = 0
        while true {
            while place < count, Whitespace.contains(self[place]) || self[place] == UInt8(ascii: ",") { place += 1 }
            guard place < count else { return true }
            let end = endOfToken(from: place)
            guard end > place, let weight = weight(from: end) else { return false }
            visit(extracting(place..<end), weight.quality)
            place = weight.end
        }
    }

    /// The index after the token that begins at an index.
    @inlinable
    func endOfToken(from start: Int) -> Int {
        var place = start
        while place < count, AsciiSet.token.contains(self[place]) { place += 1 }
        return place
    }

    /// Reads `[ OWS ";" OWS "q=" qvalue ] OWS` up to a comma or the end; nil for other text.
    @inlinable
    func weight(from start: Int) -> (quality: Int, end: Int)? {
        var place = endOfWhitespace(from: start)
        var quality = QualityValue.most
        if place < count, self[place] == UInt8(ascii: ";") {
            place = endOfWhitespace(from: place + 1)
            guard QualityValue.isNamed(at: place, of: self), let value = QualityValue.read(self, from: place + 2)
            else { return nil }
            quality = value.thousandths
            place = endOfWhitespace(from: value.end)
        }
        return place == count || self[place] == UInt8(ascii: ",") ? (quality, place) : nil
    }
}

/// A weight of RFC 9110, section 12.4.2, in thousandths.
@usableFromInline
enum QualityValue {
    /// The maximum, which is also the default.
    @usableFromInline static let most = 1_000

    /// Reads `0` or `1` with up to three decimals; the decimals after the point may be missing.
    ///
    /// - Returns: the thousandths and the index after the value; nil for other text, and for a value above 1.
    @inlinable
    static func read(_ text: Span<UInt8>, from start: Int) -> (thousandths: Int, end: Int)? {
        guard start < text.count, let whole = digit(text[start]), whole <= 1 else { return nil }
        var place = start + 1
        var thousandths = whole * 1_000
        if place < text.count, text[place] == UInt8(ascii: ".") {
            place += 1
            var worth = 100
            while worth > 0, place < text.count, let digit = digit(text[place]) {
                thousandths += digit * worth
                worth /= 10
                place += 1
            }
        }
        return thousandths <= 1_000 ? (thousandths, place) : nil
    }

    /// Whether `q=` is at an index, in upper or lower case.
    @inlinable @inline(__always)
    static func isNamed(at place: Int, of text: Span<UInt8>) -> Bool {
        place + 1 < text.count && text[place] | 0x20 == UInt8(ascii: "q") && text[place + 1] == UInt8(ascii: "=")
    }

    @inlinable @inline(__always)
    static func digit(_ byte: UInt8) -> Int? {
        let digit = byte &- UInt8(ascii: "0")
        return digit < 10 ? Int(digit) : nil
    }
}

/// Optional white space, `OWS`: spaces and tabs (RFC 9110, section 5.6.3).
@usableFromInline
enum Whitespace {
    @inlinable @inline(__always)
    static func contains(_ byte: UInt8) -> Bool { byte == 0x20 || byte == 0x09 }
}

extension Span<UInt8> {
    /// The bytes from one index up to another, without the white space around them.
    @inlinable
    @_lifetime(copy self)
    func trimmed(from start: Int, to end: Int) -> Span<UInt8> { trimmed(from: start, to: end, Whitespace.contains) }

    /// The index after the white space that begins at an index.
    @inlinable
    func endOfWhitespace(from start: Int) -> Int {
        var place = start
        while place < count, Whitespace.contains(self[place]) { place += 1 }
        return place
    }
}

extension AsciiSet {
    /// `tchar` of RFC 9110, section 5.6.2: letters, digits and ``!#$%&'*+-.^_`|~``.
    @inlinable @inline(__always)
    public static var token: AsciiSet { AsciiSet(low: 0x03FF_6CFA_0000_0000, high: 0x57FF_FFFF_C7FF_FFFE) }
}

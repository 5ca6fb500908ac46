public import Bytes

extension Span<UInt8> {
    /// Passes each token of a list with its weight: `Accept-Encoding`, for instance (RFC 9110, section 12.5.3).
    ///
    /// An element is `token [ OWS ";" OWS "q=" qvalue ]`; empty ones are skipped.
    ///
    /// - Parameter visit: takes the token, in any case, and its weight in thousandths; 1,000 without one.
    /// - Returns: false if an element is malformed; it and what follows are not passed then.
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

    /// The first index, not below a given one, that is not part of a token.
    @inlinable
    func endOfToken(from start: Int) -> Int {
        var place = start
        while place < count, AsciiSet.token.contains(self[place]) { place += 1 }
        return place
    }

    /// Reads `[ OWS ";" OWS "q=" qvalue ] OWS` up to a comma or the end; nil for anything else.
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

/// A weight of RFC 9110, section 12.4.2, in thousandths.
@usableFromInline
enum QualityValue {
    /// The weight of what has none.
    @usableFromInline static let most = 1_000

    /// Reads `0` or `1` with up to three decimals; the point may end it.
    ///
    /// - Returns: the thousandths and the index after the value; nil if it is not one, or above 1.
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

    /// Whether `q=` is at an index, in either case.
    @inlinable
    @inline(__always)
    static func isNamed(at place: Int, of text: Span<UInt8>) -> Bool {
        place + 1 < text.count && text[place] | 0x20 == UInt8(ascii: "q") && text[place + 1] == UInt8(ascii: "=")
    }

    @inlinable
    @inline(__always)
    static func digit(_ byte: UInt8) -> Int? {
        let digit = byte &- UInt8(ascii: "0")
        return digit < 10 ? Int(digit) : nil
    }
}

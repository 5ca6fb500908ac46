/// The list of entity tags in `If-None-Match` or `If-Match`, read line by line (RFC 9110, sections 13.1.1 and 13.1.2).
public struct EntityTagList: Sendable {
    /// Which tags are equal (RFC 9110, section 8.8.3.2).
    public enum Comparison: Sendable {
        /// Those with the same text, weak or strong.
        case weak
        /// Those with the same text that are both strong.
        case strong
    }

    @usableFromInline let comparison: Comparison
    @usableFromInline var lines = 0
    @usableFromInline var isAny = false
    @usableFromInline var isFound = false

    /// A list of no line yet, whose tags are compared with strong ones.
    @inlinable
    public init(_ comparison: Comparison) { self.comparison = comparison }

    /// Whether a wanted tag is in the lines read, or `*` is all that they hold.
    @inlinable
    public var hasWanted: Bool { isFound || isAny && lines == 1 }

    /// Reads one line; several lines are one list. What follows something malformed in the line is not read.
    ///
    /// - Parameter isWanted: judges the text of a tag, with its quotes; weak tags are not passed in a strong comparison.
    @inlinable
    public mutating func read(_ line: Span<UInt8>, _ isWanted: (_ tag: Span<UInt8>) -> Bool) {
        lines += 1
        isAny = isAny || line.count == 1 && line[0] == UInt8(ascii: "*")
        isFound = isFound || contains(line, isWanted)
    }

    @inlinable
    func contains(_ line: Span<UInt8>, _ isWanted: (Span<UInt8>) -> Bool) -> Bool {
        var place = 0
        while place < line.count {
            switch line[place] {
            case UInt8(ascii: " "), UInt8(ascii: "\t"), UInt8(ascii: ","): place += 1
            default:
                let isWeak = line[place] == UInt8(ascii: "W")
                let start = isWeak ? place + 2 : place
                if isWeak { guard start < line.count, line[place + 1] == UInt8(ascii: "/") else { return false } }
                guard start < line.count, line[start] == UInt8(ascii: "\"") else { return false }
                var end = start + 1
                while end < line.count, line[end] != UInt8(ascii: "\"") { end += 1 }
                guard end < line.count else { return false }
                let isCompared = !isWeak || comparison == .weak
                if isCompared, isWanted(line.extracting(start..<end + 1)) { return true }
                place = end + 1
            }
        }
        return false
    }
}

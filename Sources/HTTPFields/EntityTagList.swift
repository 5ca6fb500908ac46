/// The list of entity tags in `If-None-Match` or `If-Match`, read line by line (RFC 9110, sections 13.1.1 and 13.1.2).
public struct EntityTagList: Sendable {
    /// The comparison of two tags (RFC 9110, section 8.8.3.2).
    public enum Comparison: Sendable {
        /// Tags with the same text are equal, whether they are weak or strong.
        case weak
        /// Tags with the same text are equal if both are strong.
        case strong
    }

    @usableFromInline let comparison: Comparison
    @usableFromInline var lines = 0
    @usableFromInline var isAny = false
    @usableFromInline var isFound = false

    /// Creates an empty list. The wanted tags are treated as strong tags.
    @inlinable
    public init(_ comparison: Comparison) { self.comparison = comparison }

    /// Whether a line contained a wanted tag, or the only line is `*`.
    @inlinable
    public var hasWanted: Bool { isFound || isAny && lines == 1 }

    /// Reads one line. Several lines are one list. After a malformed tag, the rest of the line is ignored.
    ///
    /// - Parameter isWanted: takes the text of a tag, with its quotes, and returns whether the tag is wanted. A strong
    ///   comparison does not call it for weak tags.
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

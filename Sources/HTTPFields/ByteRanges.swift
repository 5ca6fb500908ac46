internal import Bytes

/// The byte ranges in a field `Range` (RFC 9110, section 14.1.2).
public struct ByteRanges: Sendable, Equatable {
    private enum Specifier: Sendable, Equatable {
        /// From one position to another, both included.
        case range(ClosedRange<Int>)
        /// From a position to the end.
        case from(Int)
        /// The last bytes; the value is the number of bytes.
        case suffix(Int)
    }

    private var specifiers: [Specifier] = []

    /// The maximum number of ranges. A field with more ranges is ignored (RFC 9110, section 14.2).
    public static let limit = 32

    /// Reads the value of the field. Nil if the field must be ignored: it has another unit, a malformed value, or too
    /// many ranges.
    public init?(_ value: Span<UInt8>) {
        let equals = value.index(of: UInt8(ascii: "="))
        guard equals < value.count, value.extracting(0..<equals).isEqual(ignoringCase: "bytes") else { return nil }
        var specifiers: [Specifier] = []
        var isValid = true
        value.extracting(equals + 1..<value.count).forEachElement(dividedBy: UInt8(ascii: ",")) { element in
            // Empty elements are ignored (RFC 9110, section 5.6.1.2).
            guard !element.isEmpty else { return true }
            guard let specifier = Self.specifier(element), specifiers.count < Self.limit else {
                isValid = false
                return false
            }
            specifiers.append(specifier)
            return true
        }
        guard isValid, !specifiers.isEmpty else { return nil }
        self.specifiers = specifiers
    }

    private static func specifier(_ text: Span<UInt8>) -> Specifier? {
        let dash = text.index(of: UInt8(ascii: "-"))
        guard dash < text.count else { return nil }
        let last = text.extracting(dash + 1..<text.count)
        if dash == 0 { return number(last).map(Specifier.suffix) }
        guard let first = number(text.extracting(0..<dash)) else { return nil }
        if last.isEmpty { return .from(first) }
        return number(last).flatMap { $0 < first ? nil : .range(first...$0) }
    }

    /// Reads a number of any length. A number that is too large becomes the maximum.
    private static func number(_ digits: Span<UInt8>) -> Int? {
        guard !digits.isEmpty else { return nil }
        for index in digits.indices where digits[index] < UInt8(ascii: "0") || digits[index] > UInt8(ascii: "9") {
            return nil
        }
        return Int(digits: digits) ?? .max
    }

    /// The ranges of a representation to send, as half-open ranges; empty if no range can be satisfied.
    ///
    /// Ranges that overlap or touch are merged. After a merge, all ranges are in ascending order. Otherwise, they are
    /// in the order of the field.
    ///
    /// - Parameter length: the length of the representation in bytes.
    public func resolved(in length: Int) -> [Range<Int>] {
        let ranges = specifiers.compactMap { specifier -> Range<Int>? in
            let range =
                switch specifier {
                case .range(let range): min(range.lowerBound, length)..<min(range.upperBound, length - 1) + 1
                case .from(let first): min(first, length)..<length
                case .suffix(let count): length - min(count, length)..<length
                }
            return range.isEmpty ? nil : range
        }
        let ascending = ranges.sorted { $0.lowerBound < $1.lowerBound }
        var merged: [Range<Int>] = []
        for range in ascending {
            if let last = merged.last, last.upperBound >= range.lowerBound {
                merged[merged.count - 1] = last.lowerBound..<max(last.upperBound, range.upperBound)
            } else {
                merged.append(range)
            }
        }
        return merged.count < ranges.count ? merged : ranges
    }
}

import Bytes
import PropertyLists

/// The value of a condition, read in each of the ways in which it can be compared.
struct WantedValue: Sendable, Equatable {
    private let normalized: [UInt8]
    private let folded: [UInt8]
    private let number: ExactNumber?
    private let moment: Double?
    private let flag: Bool?

    init(_ text: [UInt8]) {
        normalized = ItemKey.normalized(text.span)
        folded = FoldedText.of(text.span)
        number = ExactNumber(text: text.span)
        moment = Moment.seconds(text.span)
        flag = text == Array("true".utf8) ? true : text == Array("false".utf8) ? false : nil
    }

    /// Whether a value is the same number, text after NFC, truth value or moment.
    func isEqual(to value: FieldValue, in bytes: Span<UInt8>) -> Bool {
        switch value {
        case .flag(let isTrue): return flag == isTrue
        case .moment(let seconds): return moment == seconds
        case .array, .other: return false
        case .number, .text: break
        }
        if let other = value.number(in: bytes) { return number.map { $0 == other } ?? false }
        guard case .text(let range) = value else { return false }
        return ItemKey.normalized(bytes.extracting(range)).span.isEqual(to: normalized.span)
    }

    /// Whether a text contains it, both folded.
    func isContained(in value: FieldValue, in bytes: Span<UInt8>) -> Bool {
        guard case .text(let range) = value else { return false }
        var text = ByteBuffer(capacity: range.count)
        FoldedText.append(bytes.extracting(range), to: &text)
        return text.span.contains(folded.span)
    }

    func isAbove(_ value: FieldValue, in bytes: Span<UInt8>) -> Bool {
        compare(value, in: bytes, numbers: <, moments: <, texts: { $0.lexicographicallyPrecedes($1) })
    }

    func isBelow(_ value: FieldValue, in bytes: Span<UInt8>) -> Bool {
        compare(value, in: bytes, numbers: >, moments: >, texts: { $1.lexicographicallyPrecedes($0) })
    }

    /// Compares a value with this one of its own kind; false where they are of two kinds.
    private func compare(
        _ value: FieldValue, in bytes: Span<UInt8>, numbers: (ExactNumber, ExactNumber) -> Bool,
        moments: (Double, Double) -> Bool, texts: ([UInt8], [UInt8]) -> Bool
    ) -> Bool {
        if let other = value.number(in: bytes) { return number.map { numbers(other, $0) } ?? false }
        switch value {
        case .moment(let seconds): return moment.map { moments(seconds, $0) } ?? false
        case .text(let range): return number == nil && texts(FoldedText.of(bytes.extracting(range)), folded)
        default: return false
        }
    }
}

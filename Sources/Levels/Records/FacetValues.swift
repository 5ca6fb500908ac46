internal import Bytes

/// Numbers the texts of one field from 0, in order of first appearance; texts that are the same in NFC have one number.
struct FacetValues: ~Copyable {
    /// All different texts, in NFC.
    private var texts = ByteBuffer()
    private var ranges: [Range<Int>] = []
    private var numbers: [UInt64: Int] = [:]

    mutating func number(of text: Span<UInt8>) -> Int {
        if ItemKey.isPlain(text) { return number(ofNormalized: text) }
        let normalized = NormalizationFormC.text(of: text)
        return number(ofNormalized: normalized.span)
    }

    private mutating func number(ofNormalized text: Span<UInt8>) -> Int {
        var hash = TableHash.of(text)
        while let number = numbers[hash] {
            if texts.span.extracting(ranges[number]).isEqual(to: text) { return number }
            hash &+= 1
        }
        let start = texts.count
        texts.append(text)
        numbers[hash] = ranges.count
        ranges.append(start..<texts.count)
        return ranges.count - 1
    }
}

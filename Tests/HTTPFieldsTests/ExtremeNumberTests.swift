import Bytes
import HTTPFields
import Testing

@testable import TestDocuments

@Suite("A number in a header field, however large") struct ExtremeNumberTests {
    @Test("is a range within the file, however long that is", arguments: 0..<8)
    func ranges(seed: Int) {
        var generator = SeededGenerator(seed: UInt64(seed))
        for _ in 0..<2_000 {
            let parts = (0...generator.below(3)).map { _ in
                let (one, other) = (generator.extremeText(), generator.extremeText())
                return ["\(one)-\(other)", "\(one)-", "-\(one)"][generator.below(3)]
            }
            let text = "bytes=" + parts.joined(separator: ",")
            let length = max(0, generator.extreme())
            for range in ByteRanges(text.utf8Span.span)?.resolved(in: length) ?? [] {
                #expect(!range.isEmpty && range.lowerBound >= 0 && range.upperBound <= length, "\(text)")
            }
        }
    }
}

import Bytes
import HTTPFields
import Testing

@testable import TestDocuments

@Suite("A number in a header field, however large") struct ExtremeNumberTests {
    @Test("is a date of the years 1 to 9999, which reads back, or none", arguments: 0..<8)
    func dates(seed: Int) {
        var generator = SeededGenerator(seed: UInt64(seed))
        for _ in 0..<2_000 {
            let seconds = generator.extreme()
            let date = HTTPDate(seconds: seconds)
            #expect((date != nil) == (-62_135_596_800...253_402_300_799).contains(seconds))
            guard let date else { continue }
            #expect(date.seconds == seconds && HTTPDate(date.text.utf8Span.span) == date)
        }
    }

    @Test("in a date is one of the calendar, or it is not a date", arguments: 0..<8)
    func parts(seed: Int) {
        var generator = SeededGenerator(seed: UInt64(seed))
        func part(_ digits: Int, _ bound: Int) -> String {
            let text = generator.one(in: 8) ? generator.extremeText() : "\(generator.below(bound))"
            return String(repeating: "0", count: max(0, digits - text.count)) + text
        }
        for _ in 0..<2_000 {
            let month = ["Jan", "Feb", "Dec"][generator.below(3)]
            let (day, year) = (part(2, 33), part(4, 10_001))
            let time = "\(part(2, 25)):\(part(2, 61)):\(part(2, 62))"
            for text in ["Sun, \(day) \(month) \(year) \(time) GMT", "Sun \(month) \(day) \(time) \(year)"] {
                guard let date = HTTPDate(text.utf8Span.span) else { continue }
                #expect((-62_135_596_800...253_402_300_799).contains(date.seconds), "\(text)")
            }
        }
    }

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

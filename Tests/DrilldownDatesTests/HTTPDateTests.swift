import DrilldownDates
import Testing

@testable import TestDocuments

@Suite("A date in a header field") struct HTTPDateTests {
    @Test(
        "is read in each of the three forms",
        arguments: [
            ("Sun, 06 Nov 1994 08:49:37 GMT", 784_111_777), ("Sunday, 06-Nov-94 08:49:37 GMT", 784_111_777),
            ("Sun Nov  6 08:49:37 1994", 784_111_777), ("Thu, 01 Jan 1970 00:00:00 GMT", 0),
            ("Mon, 29 Feb 2016 23:59:59 GMT", 1_456_790_399),
        ])
    func read(text: String, seconds: Int64) { #expect(HTTPDate(text)?.seconds == seconds) }

    @Test(
        "is nothing else",
        arguments: [
            "", "yesterday", "0", "Sun, 06 Nov 1994 08:49:37", "Sun, 06 Nov 1994 08:49:37 UTC",
            "Sun, 06 Nov 1994 08:49:37 GMT, x", "\0", String(repeating: " ", count: 100),
        ])
    func refused(text: String) { #expect(HTTPDate(text) == nil) }

    @Test("is written in the preferred form", arguments: [0, 784_111_777, 1_456_790_399, 4_102_444_800] as [Int64])
    func written(seconds: Int64) throws {
        let date = try #require(HTTPDate(seconds: seconds))
        #expect(HTTPDate(date.text) == date)
        #expect(HTTPDate(seconds: 784_111_777)?.text == "Sun, 06 Nov 1994 08:49:37 GMT")
    }

    @Test(
        "is written for the years 1 to 9999, whatever time a clock or a file has",
        arguments: [
            (Int64.min, nil), (.min + 1, nil), (-62_135_596_801, nil), (253_402_300_800, nil),
            (100_000_000_000_000, nil),
            (.max, nil), (-62_135_596_800, "Mon, 01 Jan 0001 00:00:00 GMT"), (-1, "Wed, 31 Dec 1969 23:59:59 GMT"),
            (-86_400, "Wed, 31 Dec 1969 00:00:00 GMT"), (-86_401, "Tue, 30 Dec 1969 23:59:59 GMT"),
            (253_402_300_799, "Fri, 31 Dec 9999 23:59:59 GMT"),
        ] as [(Int64, String?)])
    func extremes(seconds: Int64, text: String?) { #expect(HTTPDate(seconds: seconds)?.text == text) }

    @Test("has no year 0") func yearZero() { #expect(HTTPDate("Sat, 01 Jan 0000 00:00:00 GMT") == nil) }

    @Test("of any number of seconds is one of the years 1 to 9999, which reads back, or none", arguments: 0..<8)
    func dates(seed: Int) {
        var generator = SeededGenerator(seed: UInt64(seed))
        for _ in 0..<2_000 {
            let seconds = Int64(generator.extreme())
            let date = HTTPDate(seconds: seconds)
            #expect((date != nil) == (-62_135_596_800...253_402_300_799).contains(seconds))
            guard let date else { continue }
            #expect(date.seconds == seconds && HTTPDate(date.text) == date)
        }
    }

    @Test("of any numbers is one of the calendar, or it is not a date", arguments: 0..<8)
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
                guard let date = HTTPDate(text) else { continue }
                #expect((-62_135_596_800...253_402_300_799).contains(date.seconds), "\(text)")
            }
        }
    }
}

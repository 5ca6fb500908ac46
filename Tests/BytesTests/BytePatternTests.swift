import Bytes
import Testing

/// Runs of bytes that are searched for in others.
@Suite struct BytePatternTests {
    @Test("Nothing is no pattern")
    func empty() { #expect(BytePattern([]) == nil) }

    @Test("Every occurrence is found, wherever it is, in texts and patterns of any length")
    func occurrences() throws {
        var generator = SystemRandomNumberGenerator()
        for _ in 0..<4_000 {
            let text = (0..<Int.random(in: 0...90, using: &generator)).map { _ in UInt8.random(in: 97...98) }
            let length = [1, 2, 3, 7, 16, 17, 33, 64, 65, 70].randomElement(using: &generator) ?? 1
            let start = Int.random(in: 0...text.count, using: &generator)
            let wanted =
                start + length <= text.count && Bool.random()
                ? Array(text[start..<start + length])
                : (0..<length).map { _ in UInt8.random(in: 97...98, using: &generator) }
            let pattern = try #require(BytePattern(wanted))
            var found: [Int] = []
            var place = 0
            while let offset = pattern.offset(in: text.span, from: place) {
                found.append(offset)
                place = offset + 1
            }
            let expected = text.indices.filter { text[$0...].starts(with: wanted) }
            #expect(found == expected, "\(wanted) in \(text)")
            var passed: [Int] = []
            _ = pattern.occurs(in: text.span, from: start) { offset in
                if text[offset...].starts(with: wanted) { passed.append(offset) }
                return false
            }
            #expect(passed == expected.filter { $0 >= start })
            #expect(
                pattern.occurs(in: text.span, from: start) { $0 == expected.last } == (expected.last ?? -1 >= start))
        }
    }

    @Test("A place after the end of the text has no occurrence")
    func beyond() throws {
        let pattern = try #require(BytePattern([97]))
        #expect(pattern.offset(in: [97, 97].span, from: 2) == nil)
        #expect(pattern.offset(in: [97, 97].span, from: 9) == nil)
    }
}

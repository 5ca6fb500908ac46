import Bytes
import HTTPFields
import Testing

@Suite("A field Range") struct ByteRangesTests {
    private static let mostRanges = "bytes=" + (0..<32).map { "\($0 * 10)-\($0 * 10)" }.joined(separator: ",")

    @Test(
        "names ranges of a representation of 1000 bytes",
        arguments: [
            ("bytes=0-499", [0..<500]), ("bytes=500-999", [500..<1_000]), ("bytes=-500", [500..<1_000]),
            ("bytes=9500-", []), ("bytes=999-", [999..<1_000]), ("bytes=1000-", []), ("bytes=0-0", [0..<1]),
            ("bytes=0-0,-1", [0..<1, 999..<1_000]), ("bytes=-0", []), ("bytes=-2000", [0..<1_000]),
            ("bytes=0-99999999999999999999", [0..<1_000]), ("bytes=99999999999999999999-", []),
            ("bytes=99999999999999999999-99999999999999999999", []), ("Bytes=1-1", [1..<2]),
            ("bytes=-1,0-0", [999..<1_000, 0..<1]), ("bytes=500-600,601-999", [500..<1_000]),
            ("bytes=500-700,100-200,601-999", [100..<201, 500..<1_000]), ("bytes=5-7,5-7", [5..<8]),
            ("bytes=0-9,2-3", [0..<10]),
            ("bytes= 0-1 ,, \t4-5 ,", [0..<2, 4..<6]), ("bytes=2000-3000,7-8", [7..<9]), ("bytes=007-008", [7..<9]),
        ] as [(String, [Range<Int>])])
    func resolved(value: String, expected: [Range<Int>]) {
        #expect(ByteRanges(value.utf8Span.span)?.resolved(in: 1_000) == expected)
    }

    @Test("of an empty representation names nothing", arguments: ["bytes=0-", "bytes=-5", "bytes=0-0", "bytes=3-4"])
    func empty(value: String) { #expect(ByteRanges(value.utf8Span.span)?.resolved(in: 0) == []) }

    @Test(
        "is ignored if it is malformed, of another unit, or of too many ranges",
        arguments: [
            "", "bytes", "bytes=", "bytes=,", "bytes=-", "bytes=1", "bytes=a-b", "bytes=1-b", "bytes=5-4",
            "bytes=1-2,x",
            "bytes=1-2-3", "bytes=--1", "bytes=+1-2", "bytes 0-1", "items=0-1", "=0-1", "bytes =0-1", "bytes=0 - 1",
            mostRanges + ",999-999",
        ])
    func ignored(value: String) { #expect(ByteRanges(value.utf8Span.span) == nil) }

    @Test("may name as many ranges as the limit allows")
    func many() { #expect(ByteRanges(Self.mostRanges.utf8Span.span)?.resolved(in: 1_000).count == ByteRanges.limit) }
}

import Testing

@testable import PropertyLists

@Suite("The encoding of a text") struct TextEncodingTests {
    @Test(
        "is that of its byte order mark, or that in which its first character is ASCII",
        arguments: [
            ([], .utf8, 0), ([0x41], .utf8, 0), ([0], .utf8, 0), ([0, 0], .utf8, 0), ([0, 0, 0x41], .utf8, 0),
            ([0x41, 0x42], .utf8, 0), ([0, 0x41], .utf16BigEndian, 0), ([0x41, 0], .utf16LittleEndian, 0),
            ([0xEF, 0xBB], .utf8, 0), ([0xEF, 0xBB, 0xBF], .utf8, 3), ([0xEF, 0xBB, 0xBE], .utf8, 0),
            ([0xFE, 0xFF], .utf16BigEndian, 2), ([0xFF, 0xFE], .utf16LittleEndian, 2), ([0xFF, 0xFF], .utf8, 0),
        ] as [([UInt8], TextEncoding, Int)])
    func detection(head: [UInt8], encoding: TextEncoding, mark: Int) {
        let found = TextEncoding.detect(head.span)
        #expect(found == (encoding, mark))
    }
}

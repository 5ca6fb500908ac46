import Testing

@testable import drilldown_browse

@Suite("Keys")
struct KeyDecoderTests {
    private func keys(_ text: String) -> [Key] {
        var decoder = KeyDecoder()
        return decoder.decode(text.utf8) + decoder.timeOut()
    }

    @Test(
        "are read from what terminals send",
        arguments: [
            ("\u{1B}[A", [Key.up]), ("\u{1B}OB", [.down]), ("\u{1B}[1;5C", [.right]), ("\u{1B}[D", [.left]),
            ("\u{1B}[5~\u{1B}[6~", [.pageUp, .pageDown]),
            ("\u{1B}[H\u{1B}[7~\u{1B}OH\u{1B}[1~", [.home, .home, .home, .home]),
            ("\u{1B}[F\u{1B}[8~\u{1B}[4~", [.end, .end, .end]), ("\u{1B}[3~", [.delete]),
            ("\r\n\t", [.enter, .enter, .tab]), ("\u{7F}\u{8}", [.backspace, .backspace]),
            ("\u{3}\u{1A}", [.control("c"), .control("z")]), ("\u{1B}", [.escape]),
            ("\u{1B}\u{1B}", [.escape, .escape]),
            ("\u{1B}q", [.escape, .text("q")]), ("aß漢😀", [.text("a"), .text("ß"), .text("漢"), .text("😀")]),
            ("\u{1B}[99~\u{1B}[Z\u{1B}OPx", [.text("x")]), ("\u{9F}a\u{A0}", [.text("a"), .text("\u{A0}")]), ("", []),
            ("\u{1B}OM\u{0}\u{1}\u{1F} ~", [.enter, .control("a"), .text(" "), .text("~")]),
            ("\u{1B}[@a\u{1B}[\u{1F}b\u{1B}[?5~", [.text("a"), .text("b")]), ("\u{1B}O", []),
            (
                "\u{7FF}\u{800}\u{FFFF}\u{10000}\u{10FFFF}",
                "\u{7FF}\u{800}\u{FFFF}\u{10000}\u{10FFFF}".unicodeScalars.map(Key.text)
            ),
        ])
    func sequences(_ text: String, _ expected: [Key]) { #expect(keys(text) == expected) }

    @Test("are the same however the bytes are divided")
    func pieces() {
        let text = "a\u{1B}[A漢\u{1B}[5~\u{1B}OB😀\u{1B}[1;2Cß\r"
        let whole = keys(text)
        #expect(whole == [.text("a"), .up, .text("漢"), .pageUp, .down, .text("😀"), .right, .text("ß"), .enter])
        for length in 1...5 {
            var decoder = KeyDecoder()
            var found: [Key] = []
            var rest = Array(text.utf8)[...]
            while !rest.isEmpty {
                found += decoder.decode(rest.prefix(length))
                rest = rest.dropFirst(length)
            }
            #expect(found == whole)
            #expect(!decoder.isInSequence)
        }
    }

    @Test("wait for the rest of a sequence, and give it up in time")
    func waiting() {
        var decoder = KeyDecoder()
        #expect(decoder.decode([0x1B]).isEmpty)
        #expect(decoder.isInSequence)
        #expect(decoder.decode("[B".utf8) == [.down])
        #expect(decoder.decode("\u{1B}[".utf8).isEmpty)
        #expect(decoder.timeOut().isEmpty)
        #expect(decoder.decode("[".utf8) == [.text("[")])
        #expect(decoder.decode([0x1B, 0x5B] + [UInt8](repeating: 0x30, count: 61)).isEmpty)
        #expect(decoder.isInSequence)
        #expect(decoder.decode([0x30]).isEmpty)
        #expect(!decoder.isInSequence)
        #expect(decoder.decode([0xE2, 0x82]).isEmpty && decoder.isInSequence)
    }

    @Test(
        "leave out what is not UTF-8",
        arguments: [
            ([0xFF, 0x61], [Key.text("a")]), ([0xC3, 0x61], [.text("a")]), ([0xE2, 0x82, 0x61], [.text("a")]),
            ([0xC3, 0x7F], [.backspace]), ([0xF5, 0x61], [.text("a")]), ([0xF4, 0x90, 0x80, 0x80, 0x61], [.text("a")]),
            ([0xED, 0xA0, 0x80, 0x61], [.text("a")]), ([0xC0, 0x80, 0x61], [.text("a")]), ([0x80, 0x61], [.text("a")]),
        ])
    func invalid(_ bytes: [UInt8], _ expected: [Key]) {
        var decoder = KeyDecoder()
        #expect(decoder.decode(bytes) == expected)
    }
}

import CUTF8Proc
import Glibc
import Testing

@testable import Levels

/// Folded text: as utf8proc folds it.
@Suite struct FoldingTests {
    @Test(
        "Case, marks and compositions make no difference",
        arguments: [
            ("Ä", "a"), ("ß", "ss"), ("Straße", "STRASSE"), ("ﬁ", "FI"), ("Ǆ", "ǆ"), ("Å", "å"), ("ΑΣ", "ας"),
            ("é", "e\u{301}"), ("İ", "i"), ("각", "\u{1100}\u{1161}\u{11A8}"), ("ZWÖLF", "zwolf"),
        ] as [(String, String)])
    func sameText(one: String, other: String) {
        #expect(FoldedText.of(Array(one.utf8).span) == FoldedText.of(Array(other.utf8).span))
    }

    @Test("Every character is folded as utf8proc folds it")
    func everyCharacter() {
        var text: [UInt8] = []
        for value in 1...0x10FFFF as ClosedRange<UInt32> {
            guard let scalar = Unicode.Scalar(value) else { continue }
            text += Array("a\u{301}\(Character(scalar))B".utf8)
            guard value & 0x3FF == 0x3FF else { continue }
            #expect(FoldedText.of(text.span) == folded(text), "up to U+\(String(value, radix: 16))")
            text = []
        }
    }

    @Test("Bytes that are not valid UTF-8 stay as they are")
    func invalid() { #expect(FoldedText.of([0x41, 0xFF, 0xCC, 0x42].span) == [0x61, 0xFF, 0xCC, 0x62]) }

    @Test(
        "The initial is the first letter that is left of a title, in upper case",
        arguments: [
            ("apple", "A"), ("Ärger", "A"), ("ßa", "S"), ("ǆ", "Ǆ"), ("42", "#"), ("", "#"), ("(a)", "#"),
            ("\u{301}\u{301}ö", "O"), ("ω", "Ω"), ("漢字", "漢"), ("\u{301}", "#"), ("ı", "I"), ("İ", "I"),
        ] as [(String, String)])
    func initial(title: String, heading: String) {
        #expect(InitialLetter.of(Array(title.utf8).span) == heading)
    }

    private func folded(_ text: [UInt8]) -> [UInt8] {
        let options = utf8proc_option_t(
            rawValue: UTF8PROC_DECOMPOSE.rawValue | UTF8PROC_CASEFOLD.rawValue | UTF8PROC_STRIPMARK.rawValue
                | UTF8PROC_STABLE.rawValue)
        var result: UnsafeMutablePointer<UInt8>?
        let count = unsafe utf8proc_map(text, text.count, &result, options)
        defer { unsafe free(result) }
        return unsafe count < 0 ? [] : Array(UnsafeBufferPointer(start: result, count: count))
    }
}

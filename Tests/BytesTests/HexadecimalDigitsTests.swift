import Bytes
import Testing

/// Hexadecimal digits and numbers.
@Suite struct HexadecimalDigitsTests {
    @Test("The 22 digits have their values, and no other byte has one")
    func values() {
        let digits = (UInt8.min...UInt8.max).filter { $0.hexadecimalValue != nil }
        #expect(digits == Array("0123456789ABCDEFabcdef".utf8))
        #expect(digits.compactMap(\.hexadecimalValue) == Array(0...15) + Array(10...15))
    }

    @Test("Bytes are pairs of digits")
    func bytes() {
        let bytes = Array(UInt8.min...UInt8.max)
        let text = bytes.hexadecimal
        #expect(text.prefix(6).elementsEqual("000102".utf8) && text.suffix(4).elementsEqual("feff".utf8))
        #expect([UInt8](hexadecimal: text.span) == bytes)
        #expect([UInt8](hexadecimal: "aBFf".utf8Span.span) == [0xAB, 0xFF])
        for wrong in ["a", "abc", "ag", "0x"] { #expect([UInt8](hexadecimal: wrong.utf8Span.span) == nil) }
    }

    @Test("A number has at least as many digits as wanted")
    func numbers() {
        #expect(String(hexadecimal: UInt8(0x0B), digits: 4) == "000B")
        #expect(String(hexadecimal: UInt8(0), digits: 2) == "00")
        #expect(String(hexadecimal: UInt16(0x202E), digits: 4, uppercase: false) == "202e")
        #expect(String(hexadecimal: UInt32(0x10FFFF), digits: 4) == "10FFFF")
        #expect(String(hexadecimal: UInt8(0xFF), digits: 0) == "FF")
    }
}

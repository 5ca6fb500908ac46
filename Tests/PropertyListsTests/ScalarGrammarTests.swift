import Foundation
import PropertyLists
import Testing

/// Every form of a scalar that the grammars name, and the nearest texts that are none.
@Suite("The text of an XML element is one of its grammar:") struct ScalarGrammarTests {
    private func read(_ element: String, _ text: String) throws(PropertyListError) -> Tree? {
        try Format.xml.read(Array("<\(element)>\(text)</\(element)>".utf8))
    }

    private func reason(_ element: String, _ text: String) -> String? {
        Format.xml.refusal(of: Array("<\(element)>\(text)</\(element)>".utf8))
    }

    @Test(
        "a date ends with Z after any part; parts that are left out are the first",
        arguments: [
            ("2001Z", 0), ("2002Z", 31_536_000), ("2001-03Z", 5_097_600), ("2001-03-12Z", 6_048_000),
            ("2001-03-12T07Z", 6_073_200), ("2001-03-12T07:08Z", 6_073_680), ("2001-03-12T07:08:09Z", 6_073_689),
            (" 2001Z\n", 0), ("0001Z", -63_113_904_000), ("9999-12-31T23:59:59Z", 252_423_993_599),
        ])
    func date(_ text: String, _ seconds: Double) throws { #expect(try read("date", text) == .date(seconds)) }

    @Test(
        "a date has no other form",
        arguments: [
            "", "Z", "2001", "201Z", "20011Z", "2001ZZ", "2001-Z", "2001-3Z", "2001/03Z", "2001-03-12 07Z",
            "2001-03T07Z",
            "2001-03-12T07.08Z", "2001-03-12T07:08:09", "2001-03-12T07:08:09z", "2001-03-12T07:08:09+00:00", "+001Z",
            "2001-03-12T07:08:09:10Z", "2001 Z",
        ])
    func notDate(_ text: String) {
        #expect(reason("date", text) == "1:7: '\(text)' is not a date; <date> needs one such as 2001-03-12T00:00:00Z")
    }

    @Test(
        "an integer is decimal or hexadecimal, from -2^63 to 2^64-1",
        arguments: [
            ("0", 0), ("-0", 0), ("+7", 7), ("007", 7), ("0x0", 0), ("0Xff", 255), ("-0x10", -16), (" 5\t", 5),
            ("-9223372036854775808", .integer(.init(Int64.min))),
            ("18446744073709551615", .integer(.init(UInt64.max))), ("0xFFFFFFFFFFFFFFFF", .integer(.init(UInt64.max))),
        ] as [(String, Tree)])
    func integer(_ text: String, _ value: Tree) throws { #expect(try read("integer", text) == value) }

    @Test(
        "an integer has no other form",
        arguments: ["", "-", "+", "0x", "-0x", "x1", "1.0", "1e3", "0xG", "A", "--1", "1 2", "1_000", "٣"])
    func notInteger(_ text: String) {
        let needs = "<integer> needs decimal digits, or 0x and hexadecimal ones"
        #expect(reason("integer", text) == "1:10: '\(text)' is not a whole number; \(needs)")
    }

    @Test(
        "an integer beyond 64 bits is refused",
        arguments: [
            "18446744073709551616", "-9223372036854775809", "0x10000000000000000", "99999999999999999999999",
            "-0xFFFFFFFFFFFFFFFF",
        ])
    func tooLarge(_ text: String) {
        let sentence = "1:10: \(text) does not fit in 64 bits; an integer must be from -2^63 to 2^64-1"
        #expect(reason("integer", text) == sentence)
    }

    @Test(
        "a real number is decimal, or not finite",
        arguments: [
            "0", "-0", "+1", "1.5", "-1.5", "1e3", "1E-3", "123456789012345", "1234567890123456", "0.000000000000001",
            "12345678.9012345", "9007199254740993", "nan", "inf", "-inf", "infinity", " 2.5\n", "1.",
        ])
    func real(_ text: String) throws {
        let expected = try #require(Double(text.trimmingCharacters(in: .whitespacesAndNewlines)))
        #expect(try read("real", text) == .real(expected))
    }

    @Test(
        "a real number has no other form",
        arguments: ["", "-", ".", "0x1p3", "nan(7)", "1,5", "one", "1 2", "1:5", "1/5", "1.2.3"])
    func notReal(_ text: String) {
        let needs = "<real> needs one such as 9.5, 1e-3, nan or infinity"
        #expect(reason("real", text) == "1:7: '\(text)' is not a number; \(needs)")
    }

    @Test(
        "data are groups of four characters; the last may be padded, or short without padding",
        arguments: [
            "", "QQ==", "QUI=", "QUJD", "QUJDRA==", "+/+/", "AZaz09+/", " Q\nU\tJ D ", "Q Q = =", "/w==", "//8=",
            "////",
        ])
    func data(_ text: String) throws {
        let bytes = try #require(Data(base64Encoded: text, options: .ignoreUnknownCharacters))
        #expect(try read("data", text) == .data(Array(bytes)))
        #expect(try read("data", text.filter { $0 != "=" }) == .data(Array(bytes)))
    }

    @Test(
        "data with wrong padding are refused",
        arguments: ["QQ=", "QQ===", "QUI==", "QUJD=", "QUJD==", "Q", "QUJDR", "="])
    func wrongPadding(_ text: String) {
        let sentence = "1:7: a <data> element's base64 is incomplete; it needs groups of four characters"
        #expect(reason("data", text) == sentence)
        #expect(Base64Text.bytes(text) == nil)
    }

    @Test(
        "data have no other characters, and nothing after the padding",
        arguments: [
            ("QQ-=", "contains a character that is not base64"), ("Q_==", "contains a character that is not base64"),
            ("QQ==QQ==", "continues after its base64 padding"), ("Q=Q=", "continues after its base64 padding"),
        ])
    func notBase64(_ text: String, _ fault: String) {
        #expect(reason("data", text) == "1:7: a <data> element \(fault)")
        #expect(Base64Text.bytes(text) == nil)
    }

    @Test(
        "in JSON answers, base64 is padded and without white space",
        arguments: ["QQ", "QUI", "QQ==\n", " QQ==", "QUJD "])
    func notBase64Text(_ text: String) { #expect(Base64Text.bytes(text) == nil) }

    @Test("in JSON answers, base64 is read as it is written", arguments: ["", "QQ==", "QUI=", "QUJD", "AZaz09+/"])
    func base64Text(_ text: String) throws {
        #expect(try Base64Text.bytes(text) == Array(#require(Data(base64Encoded: text))))
    }
}

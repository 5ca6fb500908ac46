import Foundation
import Testing

@testable import DrilldownClient

@Suite struct JSONReaderTests {
    private func read(_ text: String) throws(JSONError) -> FieldValue {
        var reader = JSONReader(Array(text.utf8))
        let value = try reader.value()
        try reader.end()
        return value
    }

    private static let values: [(String, FieldValue)] = [
        ("0", .integer(0)), ("-1", .integer(-1)), ("9223372036854775807", .integer(.max)),
        ("-9223372036854775808", .integer(.min)), ("9223372036854775808", .unsigned(9_223_372_036_854_775_808)),
        ("18446744073709551615", .unsigned(.max)), ("18446744073709551616", .real(0x1p64)),
        ("-9223372036854775809", .real(-0x1p63)), ("1.5", .real(1.5)), ("1.0", .real(1)),
        ("1e2", .real(100)), ("12E-1", .real(1.2)), ("0.1", .real(0.1)), ("true", .boolean(true)),
        ("false", .boolean(false)), ("null", .null), ("[]", []), ("{}", [:]), ("\t[\r\n1 ,\t[ ] ] \n", [1, []]),
        ("-0", .real(0)), ("0e1", .real(0)), ("1E+2", .real(100)),
        (#""\ud7ff\ue000\uffff""#, "\u{D7FF}\u{E000}\u{FFFF}"),
        (#""\ud800\udc00""#, "\u{10000}"), (#"" \n ""#, " \n "), (#""\u00Aa""#, "\u{AA}"),
        (#"{"b":1,"a":{"c":null}}"#, ["b": 1, "a": ["c": nil]]), (#"{"a":1,"b":2,"a":3}"#, ["a": 3, "b": 2]),
        (#""a\"\\\/\b\f\n\r\t\u0041\u00e4\ud83d\ude00""#, .text("a\"\\/\u{8}\u{c}\n\r\tA\u{e4}\u{1F600}")),
        (#""\ud840\udc00\ud869\uded6\udbff\udfff""#, .text("\u{20000}\u{2A6D6}\u{10FFFF}")),
        ("\"\u{e4}\u{1F600}\u{FFFD}\"", "\u{e4}\u{1F600}\u{FFFD}"),
    ]

    @Test(arguments: values) func `a value is read exactly`(_ text: String, _ value: FieldValue) throws {
        #expect(try read(text) == value)
    }

    private static let refusals: [(String, String)] = [
        ("", "it ends where a value was expected (at byte 0)"),
        ("[1,]", "it has ']' where a value was expected (at byte 3)"),
        ("[1 2]", "it has '2' where ',' or ']' was expected (at byte 3)"),
        ("{\"a\" 1}", "it has '1' where ':' was expected (at byte 5)"),
        ("{\"a\":1,}", "it has '}' where a member's name was expected (at byte 7)"),
        ("{a:1}", "it has 'a' where a member's name was expected (at byte 1)"),
        ("01", "it has a number that begins with 0 (at byte 0)"),
        ("-", "it ends where a digit was expected (at byte 1)"),
        ("1.", "it ends where a digit was expected (at byte 2)"),
        ("1e", "it ends where a digit was expected (at byte 2)"),
        ("1. ", "it has byte 32 where a digit was expected (at byte 2)"),
        ("-!", "it has '!' where a digit was expected (at byte 1)"),
        ("-~", "it has '~' where a digit was expected (at byte 1)"),
        ("-\u{7F}", "it has byte 127 where a digit was expected (at byte 1)"),
        ("-01", "it has a number that begins with 0 (at byte 0)"),
        (".5", "it has '.' where a value was expected (at byte 0)"),
        ("+1", "it has '+' where a value was expected (at byte 0)"),
        ("1e999", "it has a number that is too large for a real number of 64 bits (at byte 0)"),
        ("nul", "it has 'n' where a value was expected (at byte 0)"),
        ("truely", "it has 'l' where the end was expected (at byte 4)"),
        ("1 1", "it has '1' where the end was expected (at byte 2)"),
        ("\"a", "it ends where the end of a text was expected (at byte 2)"),
        ("\"\u{1F}\"", "it has the control character 31 in a text (at byte 1)"),
        ("\"\\n\u{1F}\"", "it has the control character 31 in a text (at byte 3)"),
        ("\"\\n", "it ends where the end of a text was expected (at byte 3)"),
        ("\"\\ud800\\n\"", "it has half a surrogate pair (at byte 1)"),
        ("\"\\ud800\\ue000\"", "it has half a surrogate pair (at byte 1)"),
        ("\"\\x\"", "it has 'x' where the letter of an escape was expected (at byte 2)"),
        ("\"\\u12g4\"", "it has 'g' where a hexadecimal digit was expected (at byte 5)"),
        ("\"\\ud800\"", "it has half a surrogate pair (at byte 1)"),
        ("\"\\ud800\\u0041\"", "it has half a surrogate pair (at byte 1)"),
        ("\"\\udc00\"", "it has half a surrogate pair (at byte 1)"),
        ("\u{FEFF}1", "it has byte 239 where a value was expected (at byte 0)"),
    ]

    @Test(arguments: refusals) func `what is no JSON is refused`(_ text: String, _ sentence: String) {
        let error = #expect(throws: JSONError.self) { try read(text) }
        #expect(error?.description == sentence)
    }

    @Test(arguments: [[0xFF], [0xC0, 0x80], [0xED, 0xA0, 0x80], [0xE4], [0xF4, 0x90, 0x80, 0x80]] as [[UInt8]])
    func `a text that is not UTF-8 is refused`(_ bytes: [UInt8]) {
        var reader = JSONReader([UInt8(ascii: "\"")] + bytes + [UInt8(ascii: "\"")])
        let error = #expect(throws: JSONError.self) { try reader.value() }
        #expect(error == JSONError(reason: "it has a text that is not UTF-8", at: 1))
    }

    @Test func `nesting is bounded`() throws {
        let deepest = JSONReader.deepest
        _ = try read(String(repeating: "[", count: deepest) + String(repeating: "]", count: deepest))
        let error = #expect(throws: JSONError.self) { try read(String(repeating: "[", count: 1_000_000)) }
        #expect(error == .tooDeep(at: 512))
        _ = try read("[" + String(repeating: "[],{},", count: deepest) + "[]]")
    }

    /// The stack is that of a worker thread on Apple's systems; recursion that needs more ends the process.
    @Test func `the deepest value is released on a small stack`() async {
        let text = String(repeating: "{\"a\":[", count: 256) + String(repeating: "]}", count: 256)
        let isRead = await withCheckedContinuation { continuation in
            let thread = Thread { continuation.resume(returning: (try? read(text)) != nil) }
            thread.stackSize = 512 << 10
            thread.start()
        }
        #expect(isRead)
    }

    @Test func `random documents are read as Foundation reads them`() throws {
        var random = SystemRandomNumberGenerator()
        for _ in 0..<300 {
            let object = Self.randomObject(&random, depth: 0)
            let data = try JSONSerialization.data(withJSONObject: object, options: .fragmentsAllowed)
            var reader = JSONReader([UInt8](data))
            let own = try reader.value()
            try reader.end()
            #expect(Self.foundation(own) as? NSObject == object as? NSObject)
        }
    }

    private static func randomObject(_ random: inout some RandomNumberGenerator, depth: Int) -> Any {
        switch Int.random(in: depth < 4 ? 0..<7 : 2..<7, using: &random) {
        case 0: return NSArray(array: (0..<Int.random(in: 0..<6)).map { _ in randomObject(&random, depth: depth + 1) })
        case 1:
            let members = (0..<Int.random(in: 0..<30)).map {
                ("\(randomText(&random))\($0)", randomObject(&random, depth: depth + 1))
            }
            return NSDictionary(dictionary: Dictionary(members) { $1 })
        case 2: return NSNumber(value: Int64.random(in: .min ... .max, using: &random))
        case 3: return NSNumber(value: Double.random(in: -1e9...1e9, using: &random))
        case 4: return NSNumber(value: Bool.random(using: &random))
        case 5: return NSNull()
        default: return NSString(string: randomText(&random))
        }
    }

    private static func randomText(_ random: inout some RandomNumberGenerator) -> String {
        let characters: [Character] = [
            "a", "Z", "\"", "\\", "/", "\n", "\u{1}", "\u{e4}", "\u{1F600}", "\u{2028}", " ",
        ]
        return String((0..<Int.random(in: 0..<20, using: &random)).compactMap { _ in characters.randomElement() })
    }

    /// The value as Foundation's objects.
    private static func foundation(_ value: FieldValue) -> Any {
        switch value {
        case .text(let text): NSString(string: text)
        case .integer(let number): NSNumber(value: number)
        case .unsigned(let number): NSNumber(value: number)
        case .real(let number): NSNumber(value: number)
        case .boolean(let flag): NSNumber(value: flag)
        case .list(let elements): NSArray(array: elements.map(foundation))
        case .dictionary(let fields):
            NSDictionary(dictionary: Dictionary(fields.map { ($0.name, foundation($0.value)) }) { $1 })
        case .null: NSNull()
        }
    }
}

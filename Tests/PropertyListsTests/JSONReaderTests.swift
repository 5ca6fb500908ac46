import Bytes
import PropertyLists
import Testing

@Suite("The JSON reader")
struct JSONReaderTests {
    @Test(
        "reads every type, with white space wherever it may stand",
        arguments: [
            (
                " \t\r\n{ \"a\" : [ true , false ] , \"b\" : { } , \"c\" : [ ] } \n",
                ["a": [true, false], "b": .dictionary([]), "c": []]
            ),
            ("[]", []),
            ("[[[]],{}]", [[[]], .dictionary([])]),
            ("\"\"", ""),
            ("0", 0),
            ("-0", 0),
            ("[1,-1,10]", [1, -1, 10]),
            ("18446744073709551615", .integer(PropertyListInteger(UInt64.max))),
            ("-9223372036854775808", .integer(PropertyListInteger(Int64.min))),
            (
                "[0.0,-0.0,1.0,0.1,1e2,1E+2,1e-2,12.5e1]",
                [
                    .real(0.0), .real(-0.0), .real(1.0), .real(0.1), .real(100.0), .real(100.0), .real(0.01),
                    .real(125.0),
                ]
            ),
            ("[123456789012345678901.0,0.00e-400]", [.real(123_456_789_012_345_678_901.0), .real(0.0)]),
            ("\"\\\"\\\\\\/\\b\\f\\n\\r\\t\"", "\"\\/\u{8}\u{C}\n\r\t"),
            ("\"\\u0061\\u00E9\\u6771\\uD83D\\uDC0D\\u0000\\uFFFF\"", "aé東\u{1F40D}\0\u{FFFF}"),
            ("\"\\uD840\\uDC00\\uDBFF\\uDFFF\"", "\u{20000}\u{10FFFF}"),
            ("\"é東\u{1F40D}\u{7F}\u{2028}\u{FFFF}\"", "é東\u{1F40D}\u{7F}\u{2028}\u{FFFF}"),
            ("\"exactly sixteen.\"", "exactly sixteen."),
            (
                "{\"\":1,\"a\\u0062\":2,\"\":3}",
                .dictionary([.init(key: "", value: 1), .init(key: "ab", value: 2), .init(key: "", value: 3)])
            ),
            ("\u{FEFF}[1]", [1]),
        ] as [(String, Tree)])
    func reads(text: String, value: Tree) throws {
        #expect(try Format.json.read(Array(text.utf8)) == value)
    }

    @Test(
        "refuses what is not JSON, and says where and why",
        arguments: [
            ("", "1:1: the document is empty; it needs one value, an array or an object"),
            (" \n ", "2:2: the document is empty; it needs one value, an array or an object"),
            ("[1,]", "1:4: a comma precedes the end of an array or object; JSON does not allow trailing commas"),
            (
                "{\"a\":1,}",
                "1:8: a comma precedes the end of an array or object; JSON does not allow trailing commas"
            ),
            ("[1 2]", "1:4: a ',' is missing in an array; an element is followed by ',' or ']'"),
            ("[1}", "1:3: a ',' is missing in an array; an element is followed by ',' or ']'"),
            ("{\"a\":1]", "1:7: a ',' is missing in an object; an entry is followed by ',' or '}'"),
            ("[,1]", "1:2: a value is missing before ','"),
            (
                "{\"a\":}",
                "1:6: in /a: this bracket or brace does not match an open array or object, or a value before it is missing"
            ),
            ("]", "1:1: this bracket or brace does not match an open array or object, or a value before it is missing"),
            ("[1]]", "1:4: the document continues after the end of the JSON value; remove the rest"),
            ("1 1", "1:3: the document continues after the end of the JSON value; remove the rest"),
            ("{a:1}", "1:2: an object's key must be a string in double quotes"),
            ("{1:1}", "1:2: an object's key must be a string in double quotes"),
            ("{\"a\" 1}", "1:6: in /a: an object's key must be followed by ':' and a value"),
            ("{\"a\"", "1:5: in /a: the document ends before its value does; it was truncated"),
            ("{\"a\":", "1:6: in /a: the document ends before its value does; it was truncated"),
            ("[\n[1,\n2", "3:2: the document ends before its value does; it was truncated"),
            ("{\"a\":\n null}", "2:2: in /a: a property list cannot contain null; omit the entry"),
            ("nul", "1:1: \(noValue)"),
            ("True", "1:1: \(noValue)"),
            ("NaN", "1:1: \(noValue)"),
            ("+1", "1:1: \(noValue)"),
            (".5", "1:1: \(noValue)"),
            ("'a'", "1:1: a string must be in double quotes"),
            ("[1, // one\n2]", "1:5: JSON has no comments; remove this one"),
            ("[1 /* one */]", "1:4: JSON has no comments; remove this one"),
            ("# one", "1:1: JSON has no comments; remove this one"),
            ("{ // one\n}", "1:3: JSON has no comments; remove this one"),
            ("{\"a\": 1 # one\n}", "1:9: JSON has no comments; remove this one"),
            ("{}\n// one", "2:1: JSON has no comments; remove this one"),
            ("{}\n{}", "2:1: the document continues after the end of the JSON value; \(lines)"),
            ("[]\n[]", "2:1: the document continues after the end of the JSON value; \(lines)"),
            ("[]\n1", "2:1: the document continues after the end of the JSON value; remove the rest"),
            ("{\"a\":1,\"b\"", "1:11: in /b: the document ends before its value does; it was truncated"),
            ("[1,", "1:4: the document ends before its value does; it was truncated"),
            ("{\"a\":1 \"b\":2}", "1:8: a ',' is missing in an object; an entry is followed by ',' or '}'"),
            ("[tru]", "1:2: \(noValue)"), ("[falsy]", "1:2: \(noValue)"), ("[nil]", "1:2: \(noValue)"),
            ("-", "1:1: a number must have a digit after '-'"),
            ("[01]", "1:2: a number must not begin with 0 before other digits"),
            ("-00", "1:1: a number must not begin with 0 before other digits"),
            ("1.", "1:1: a number must have a digit after '.'"),
            ("1.e5", "1:1: a number must have a digit after '.'"),
            ("1e", "1:1: a number must have a digit after its exponent's 'e'"),
            ("1e+", "1:1: a number must have a digit after its exponent's 'e'"),
            ("0x10", "1:2: the document continues after the end of the JSON value; remove the rest"),
            ("18446744073709551616", "1:1: an integer does not fit in 64 bits; it must be from -2^63 to 2^64-1"),
            ("-9223372036854775809", "1:1: an integer does not fit in 64 bits; it must be from -2^63 to 2^64-1"),
            ("[1e400]", "1:2: a number is outside the range of 64-bit floating point, about 4.9e-324 to 1.8e308"),
            ("[1e-400]", "1:2: a number is outside the range of 64-bit floating point, about 4.9e-324 to 1.8e308"),
            (
                "[-0.0001E-330]",
                "1:2: a number is outside the range of 64-bit floating point, about 4.9e-324 to 1.8e308"
            ),
            ("\"a", "1:2: the document ends inside a string; '\"' is missing"),
            (
                "[\"a\nb\"]",
                "1:4: a string contains a line break or a tab; write \\n, \\r or \\t, or close it with '\"'"
            ),
            ("[\"é\t\"]", "1:4: a string contains a line break or a tab; write \\n, \\r or \\t, or close it with '\"'"),
            ("\"\u{1}\"", "1:2: the control character U+0001 cannot appear in JSON; in a string, write it as \\u0001"),
            (
                "\"\\x41\"",
                "1:2: '\\' does not begin an escape here; the escapes are \\\" \\\\ \\/ \\b \\f \\n \\r \\t and \\u1234"
            ),
            ("\"\\u12G4\"", "1:2: '\\u' must be followed by four hexadecimal digits"),
            ("\"\\uD800\"", "1:2: \(halfPair)"),
            ("\"\\uD800\\u0041\"", "1:2: \(halfPair)"),
            ("\"\\uD83DXuDC0D\"", "1:2: \(halfPair)"), ("\"\\uD83D\\tDC0D\"", "1:2: \(halfPair)"),
            ("\"\\uDC0D\\uD83D\"", "1:2: \(halfPair)"),
        ] as [(String, String)])
    func refuses(text: String, sentence: String) {
        #expect(Format.json.refusal(of: Array(text.utf8)) == sentence)
    }

    @Test(
        "reads the values of lines as the elements of an array",
        arguments: [
            ("{\"a\":1}\n{\"a\":2}\n", [["a": 1], ["a": 2]]), ("{\"a\":1}", [["a": 1]]),
            ("\n1\r\n\n\"a\"\n[2]\n", [1, "a", [2]]), ("{\n\"a\":1\n}\n{\n\"a\":2}", [["a": 1], ["a": 2]]),
            ("\u{FEFF}true\nfalse", [true, false]), ("", []),
        ] as [(String, Tree)])
    func readsLines(text: String, value: Tree) throws { #expect(try asLines(text) == value) }

    @Test(
        "refuses lines that break a rule",
        arguments: [
            ("{} {}", "1:4: the document continues after the end of the JSON value; begin each value on its own line"),
            (
                "1\n[\n] 2",
                "3:3: the document continues after the end of the JSON value; begin each value on its own line"
            ),
            ("{}\n,{}", "2:1: a value is missing before ','"),
            ("{}\n{\"a\":", "2:6: in /a: the document ends before its value does; it was truncated"),
            ("{}\n// one", "2:1: JSON has no comments; remove this one"),
        ])
    func refusesLines(text: String, sentence: String) {
        let error = #expect(throws: PropertyListError.self) { try asLines(text) }
        #expect(error?.description == sentence)
    }

    private func asLines(_ text: String) throws(PropertyListError) -> Tree? {
        var recorder = TreeRecorder()
        try JSONPropertyListReader.read(
            .memory(Array(text.utf8)), asLines: true, limits: .init(), into: &recorder)
        return recorder.root
    }

    private static let noValue =
        "this is not a JSON value; the values are objects, arrays, strings in double quotes, numbers, true and false"
    private static let lines = "make an array of its lines, as jq -s . does"
    private static let halfPair =
        "an escape names half of a surrogate pair; the other half must follow or precede it"

    @Test("refuses every document that is cut short, wherever it is")
    func truncation() {
        let document = Array("{\"a\":[1,-2.5e3,\"\\u00e9\\\"\",{\"b\":true}],\"c\":false}".utf8)
        for count in 0..<document.count { #expect(Format.json.refusal(of: Array(document.prefix(count))) != nil) }
    }

    @Test("says of one that is cut in its strings that it is")
    func cutStrings() throws {
        let document = Array("{\"é\\u00e9\":\"\\\"東\\ud83d\\udc0d\"}".utf8)
        for count in 1..<document.count {
            let refusal = try #require(Format.json.refusal(of: Array(document.prefix(count))))
            #expect(refusal.contains("the document ends"), "after \(count) bytes")
        }
    }

    @Test("refuses what passes a limit, and not before")
    func limits() throws {
        let document = Array("[[\"abc\",\"a\\u0062c\"]]".utf8)
        let exact = PropertyListLimits(nesting: 2, valueBytes: 7, values: 4)
        #expect(try Format.json.read(document, limits: exact) == [["abc", "abc"]])
        #expect(
            Format.json.refusal(of: document, limits: PropertyListLimits(nesting: 1))
                == "1:2: the document nests deeper than 1 containers; flatten it")
        #expect(
            Format.json.refusal(of: document, limits: PropertyListLimits(values: 3))
                == "1:9: the document holds more than 3 values; split it")
        let limits = PropertyListLimits(valueBytes: 5)
        for (text, most, reason) in [
            ("\"\\u0061b\"", 2, "a value is longer than 1 bytes; store large data in separate files"),
            ("\"\\n\\n\\n\"", 3, "a value is longer than 2 bytes; store large data in separate files"),
            ("[0.125]", 5, "a number is longer than 4 bytes; round it"),
            ("1e003", 5, "a number is longer than 4 bytes; round it"),
        ] {
            #expect(Format.json.refusal(of: Array(text.utf8), limits: .init(valueBytes: most)) == nil)
            #expect(
                Format.json.refusal(of: Array(text.utf8), limits: .init(valueBytes: most - 1))?.hasSuffix(": \(reason)")
                    == true)
        }
        let long = Array("[\"\(String(repeating: "x", count: 200_000))\"]".utf8)
        #expect(Format.json.refusal(of: long, limits: .init(valueBytes: 200_001)) == nil)
        #expect(
            Format.json.refusal(of: long, limits: limits)
                == "1:2: a value is longer than 5 bytes; store large data in separate files")
    }

    @Test("reads many texts, each as if it were the first, and says whether one has a real that is rounded")
    func manyTexts() throws {
        var reader = try JSONPropertyListReader(limits: .init(values: 3))
        for (text, value, isRounded) in [
            ("[0.12345678901234567, 1.00]", [.real(0.12345678901234567), .real(1)], false), ("[[\n\n", nil, false),
            ("123456789012345678.5e2", .real(1.234567890123456785e19), true), ("{\"a\":[", nil, false),
            ("[1, 2]", [1, 2], false),
            ("0.000000000000000000012345678901234567", .real(1.2345678901234567e-20), false), ("[1, 2, 3]", nil, false),
            ("-10000000000000000000000.0", .real(-1e22), false),
            ("1.23456789012345678", .real(1.23456789012345678), true),
            (String(repeating: " ", count: 5_000) + "\"é\"", "é", false), ("tru", nil, false), ("true", true, false),
        ] as [(String, Tree?, Bool)] {
            var recorder = TreeRecorder()
            var refusal: String?
            do throws(PropertyListError) { try reader.read(text.utf8Span.span, into: &recorder) } catch {
                refusal = error.description
            }
            #expect(recorder.root == value || value == nil)
            #expect(refusal == Format.json.refusal(of: Array(text.utf8), limits: .init(values: 3)))
            #expect((refusal == nil) == (value != nil))
            #expect(reader.hasRoundedReal == isRounded)
        }
    }

    @Test(
        "leaves out entries that are null if the consumer wants it so, and no others",
        arguments: [
            (#"{"a" : null ,"b":1,"\u0063":null,"d":"# + "\n\nnull\n}", "b"), (#"{"a":null}"#, ""),
            ("{\"a\"\n:\nnull,\n\"b\":nope}", "4:5"),
            (#"{"a":nul}"#, "1:6"), (#"{"a" null}"#, "1:6"), (#"{"a":nulls}"#, "1:10"), (#"{"a":[null]}"#, "1:7"),
            (#"{"a":null"#, "1:10"),
            (#"{"a":null "b":1}"#, "1:11"), (#"{"a":"null","b":true}"#, "a b"),
        ] as [(String, String)])
    func nullEntries(text: String, expected: String) {
        var consumer = Omitting()
        do throws(PropertyListError) {
            try JSONPropertyListReader.read(.memory(Array(text.utf8)), limits: .init(), into: &consumer)
            #expect(consumer.keys.joined(separator: " ") == expected)
        } catch {
            #expect(error.position.map { "\($0)" } == expected)
        }
    }

    private struct Omitting: PropertyListConsumer {
        static var omitsNullEntries: Bool { true }
        var keys: [String] = []
        mutating func key(_ name: Span<UInt8>, at position: SourcePosition) { keys.append(String(utf8: name)) }
        func beginDictionary(at position: SourcePosition) {}
        func endDictionary() {}
        func beginArray(at position: SourcePosition) {}
        func endArray() {}
        func string(_ text: Span<UInt8>) {}
        func data(_ bytes: Span<UInt8>) {}
        func scalar(_ value: PropertyListScalar) {}
    }

    @Test("reports the beginning of each container and key")
    func positions() throws {
        var recorder = TreeRecorder()
        let document = Array("[\n  {\"a\": [],\n   \"b\": {}}]".utf8)
        try Format.json.read(.memory(document), limits: PropertyListLimits(), into: &recorder)
        let places = [(1, 1), (2, 3), (2, 4), (2, 9), (3, 4), (3, 9)]
        #expect(recorder.positions == places.map { .text(line: $0.0, column: $0.1) })
    }
}

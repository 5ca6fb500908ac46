import Bytes
import PropertyLists
import Testing

@Suite("The JSON writer")
struct JSONWriterTests {
    @Test(
        "writes every type",
        arguments: [
            ([], "[]"),
            (.dictionary([]), "{}"),
            (["a": [1, true], "b": .dictionary([]), "": [[], []]], "{\"a\":[1,true],\"b\":{},\"\":[[],[]]}"),
            ([false, "x", 0, -1], "[false,\"x\",0,-1]"),
            (.integer(PropertyListInteger(UInt64.max)), "18446744073709551615"),
            (.integer(PropertyListInteger(Int64.min)), "-9223372036854775808"),
            (.real(1.0), "1.0"),
            (.real(-0.0), "-0.0"),
            (.real(0.1), "0.1"),
            (.real(1e16), "1e+16"),
            (.real(123_456.789), "123456.789"),
            (.real(.nan), "\"nan\""),
            (.real(.infinity), "\"+infinity\""),
            (.real(-.infinity), "\"-infinity\""),
            (.data([]), "\"\""),
            (.data([0]), "\"AA==\""),
            (.data([0xFB, 0xFF]), "\"+/8=\""),
            (.data([1, 2, 3, 4, 5, 6]), "\"AQIDBAUG\""),
            ([.uid(7), .uid(.max)], "[{\"CF$UID\":7},{\"CF$UID\":18446744073709551615}]"),
        ] as [(Tree, String)])
    func types(value: Tree, text: String) throws {
        #expect(try String(decoding: Format.json.write(value), as: UTF8.self) == text)
    }

    @Test("writes reals as the shortest text that reads back")
    func reals() throws {
        var values: [Double] = [999_999.999, 1_000_000, 1_000_000.5, 999_999.9999, 0.001, 0.0001, 1e-5, 0.1 + 0.2]
        for scale in [1.0, 10, 100, 1_000, 10_000] { values += (0..<3_000).map { Double($0) / scale } }
        for value in values { values += [-value, value.nextUp, value.nextDown, value + 524_288] }
        for _ in 0..<10_000 { values.append(.random(in: -2_000_000...2_000_000)) }
        let written = try Format.json.write(.array(values.map { .real($0) }))
        #expect(String(decoding: written, as: UTF8.self) == "[\(values.map(\.description).joined(separator: ","))]")
    }

    @Test(
        "escapes what JSON demands and nothing else, wherever it stands",
        arguments: [
            ("\"", "\\\""), ("\\", "\\\\"), ("\n", "\\n"), ("\r", "\\r"), ("\t", "\\t"), ("\u{8}", "\\b"),
            ("\u{C}", "\\f"), ("\0", "\\u0000"), ("\u{1F}", "\\u001f"), ("\u{B}", "\\u000b"), ("/", "/"),
            ("\u{7F}", "\u{7F}"), ("é", "é"), ("\u{2028}", "\u{2028}"), ("\u{1F40D}", "\u{1F40D}"), ("!", "!"),
        ])
    func escapes(character: String, escaped: String) throws {
        for length in 0..<20 {
            for place in 0...length {
                let before = String(repeating: "a", count: place)
                let after = String(repeating: "b", count: length - place)
                let written = try Format.json.write(.string(before + character + after + character))
                #expect(String(decoding: written, as: UTF8.self) == "\"\(before)\(escaped)\(after)\(escaped)\"")
            }
        }
    }

    @Test(
        "writes dates as Python's datetime rounds and shows them",
        arguments: [
            (0, "2001-01-01T00:00:00Z"),
            (6_048_000, "2001-03-12T00:00:00Z"),
            (-1, "2000-12-31T23:59:59Z"),
            (0.5, "2001-01-01T00:00:00.5Z"),
            (-0.25, "2000-12-31T23:59:59.75Z"),
            (1.000_000_4, "2001-01-01T00:00:01Z"),
            (0.000_001, "2001-01-01T00:00:00.000001Z"),
            (0.000_000_5, "2001-01-01T00:00:00Z"),
            (-0.000_000_5, "2001-01-01T00:00:00Z"),
            (0.000_001_5, "2001-01-01T00:00:00.000002Z"),
            (0.000_002_5, "2001-01-01T00:00:00.000002Z"),
            (-0.000_001_5, "2000-12-31T23:59:59.999998Z"),
            (0.999_999_9, "2001-01-01T00:00:01Z"),
            (-0.999_999_9, "2000-12-31T23:59:59Z"),
            (99_705_599, "2004-02-28T23:59:59Z"),
            (99_705_600, "2004-02-29T00:00:00Z"),
            (-63_113_904_000, "0001-01-01T00:00:00Z"),
            (252_423_993_599, "9999-12-31T23:59:59Z"),
        ] as [(Double, String)])
    func dates(seconds: Double, text: String) throws {
        #expect(try String(decoding: Format.json.write(.date(seconds)), as: UTF8.self) == "\"\(text)\"")
    }

    @Test("refuses a date that no calendar has", arguments: [-63_113_904_001, 252_423_993_600, .nan, .infinity])
    func impossibleDates(seconds: Double) {
        for format in Format.allCases {
            #expect(
                throws: PropertyListError(
                    reason: "a date is outside the years 1 to 9999; a property list cannot represent it")
            ) { try format.write(.date(seconds)) }
        }
    }

    @Test("writes null where it is asked to, and may be drained between events")
    func draining() throws {
        var writer = JSONPropertyListWriter()
        var text = ""
        writer.beginArray(at: .byte(offset: 0))
        for _ in 0..<2 {
            writer.null()
            text += String(utf8: writer.output.span)
            writer.output.truncate(to: 0)
        }
        writer.endArray()
        try writer.finish()
        #expect(text + String(utf8: writer.output.span) == "[null,null]")
    }

    @Test("refuses to finish before there is one whole value, as the others do")
    func completeness() {
        let open = PropertyListError(reason: "the property list cannot end here: 1 of its containers are still open")
        let none = PropertyListError(reason: "a property list is one value, but 0 were written")
        let here = SourcePosition.byte(offset: 0)
        #expect(throws: open) {
            var writer = JSONPropertyListWriter()
            writer.beginArray(at: here)
            try writer.finish()
        }
        #expect(throws: open) {
            var writer = XMLPropertyListWriter()
            writer.beginArray(at: here)
            try writer.finish()
        }
        #expect(throws: none) {
            var writer = BinaryPropertyListWriter()
            try writer.finish()
        }
        #expect(throws: PropertyListError(reason: "a property list is one value, but 2 were written")) {
            var writer = JSONPropertyListWriter()
            writer.null()
            writer.null()
            try writer.finish()
        }
    }
}

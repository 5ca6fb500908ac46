import PropertyLists
import Testing

/// Values of requests (`PropertyListValue`).
@Suite("A property list value")
struct PropertyListValueTests {
    private func json(_ text: String) throws -> PropertyListValue { try PropertyListValue(json: Array(text.utf8)) }

    private func dictionary(_ entries: (String, PropertyListValue)...) -> PropertyListValue {
        .dictionary(PropertyListDictionary(entries.map { .init(key: $0.0, value: $0.1) }))
    }

    @Test("is read from JSON with null, and of several entries with one key the last one counts")
    func reading() throws {
        let value = try json(#"{"a":[1,2.5,true,null,{}],"é":"x","b":{"c":null},"a":-7,"e\u0301":"y"}"#)
        let expected = dictionary(
            ("é", .string("x")), ("b", dictionary(("c", .null))), ("a", .integer(PropertyListInteger(Int64(-7)))),
            ("e\u{301}", .string("y")))
        #expect(value == expected)
        #expect(try json("null") == .null)
        #expect(try json(#"["é"]"#) != json(#"["e\u0301"]"#))
    }

    @Test(
        "is refused with line and column",
        arguments: [
            ("{\"Title\":\n \"x\"", "2:5: the document ends before its value does; it was truncated"),
            (
                "{\"Title\": \"x\",\n\n}",
                "3:1: a comma precedes the end of an array or object; JSON does not allow trailing commas"
            ), ("\"a\" \"b\"", "1:5: the document continues after the end of the JSON value; remove the rest"),
            ("[nulls]", "1:6: a ',' is missing in an array; an element is followed by ',' or ']'"),
            ("", "1:1: the document is empty; it needs one value, an array or an object"),
        ])
    func refused(_ text: String, _ sentence: String) {
        #expect {
            try json(text)
        } throws: { "\($0)" == sentence }
    }

    @Test("is read from XML and binary property lists, and sent again as it was read")
    func propertyLists() throws {
        let xml =
            "<plist><dict><key>D</key><date>2001-01-01T00:00:01Z</date><key>B</key><data>AAE=</data><key>A</key>"
            + "<array><real>2</real><false/></array></dict></plist>"
        let value = try PropertyListValue(propertyList: Array(xml.utf8))
        #expect(
            value
                == dictionary(("D", .date(1)), ("B", .data([0, 1])), ("A", .array([.real(2), .boolean(false)]))))
        var builder = PropertyListValueBuilder()
        try value.tell(to: &builder)
        #expect(builder.value == value)
        #expect(throws: PropertyListError.self) { try PropertyListValue(propertyList: Array("bplist00".utf8)) }
        #expect(throws: PropertyListError.self) { try PropertyListValue(propertyList: Array("{}".utf8)) }
    }

    @Test(
        "says where a consumer refused it",
        arguments: [
            (#"{"a/b~c":{"d":[1,null]}}"#, "/a~1b~0c/d/1"), ("[[],[null]]", "/1/0"), ("null", ""), (#"{"":null}"#, "/"),
        ])
    func pointers(_ text: String, _ pointer: String) throws {
        var walk = PropertyListValueWalk(try json(text))
        var refusing = Refusing()
        #expect(throws: PropertyListError(reason: "a property list cannot contain null; omit the entry")) {
            try walk.finish(to: &refusing)
        }
        #expect(walk.pointer == pointer)
    }

    @Test("of many entries finds each key, and loses entries that are set to nil")
    func wide() {
        var entries = PropertyListDictionary()
        for number in 0..<100 { entries["\(number)"] = .integer(PropertyListInteger(UInt64(number))) }
        entries["50"] = nil
        entries["51"] = .boolean(true)
        #expect(entries["50"] == nil)
        #expect(entries["51"] == .boolean(true))
        #expect(entries["99"] == .integer(PropertyListInteger(UInt64(99))))
        #expect(entries.entries.count == 99)
        #expect(
            entries.removing { $0 != "7" }
                == PropertyListDictionary([.init(key: "7", value: .integer(.init(UInt64(7))))]))
    }

    @Test("nests as deep as a document may, and no deeper")
    func nesting() throws {
        let deep = String(repeating: #"{"a":["#, count: 1_100) + "1" + String(repeating: "]}", count: 1_100)
        #expect(try json(deep) == json(deep))
        #expect(throws: PropertyListError.self) { try json("[" + deep + "]") }
    }

    @Test(
        "that is base64 is taken for data only if a detail could show it so",
        arguments: [
            ("AAEC", [0, 1, 2]), ("AAE=", [0, 1]), ("", []), ("two words", nil), ("AAE", nil), ("A A=", nil),
            ("é===", nil), ("AAAA====", nil),
        ] as [(String, [UInt8]?)])
    func base64(_ text: String, _ bytes: [UInt8]?) { #expect(Base64Text.bytes(text) == bytes) }

    private struct Refusing: PropertyListConsumer {
        func beginDictionary(at position: SourcePosition) {}
        func key(_ name: Span<UInt8>, at position: SourcePosition) {}
        func endDictionary() {}
        func beginArray(at position: SourcePosition) {}
        func endArray() {}
        func string(_ text: Span<UInt8>) {}
        func data(_ bytes: Span<UInt8>) {}
        func scalar(_ value: PropertyListScalar) {}
    }
}

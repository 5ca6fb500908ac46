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

    @Test("has one entry for each key, the last one, however many there are", arguments: 0...20)
    func repeatedKeys(count: Int) {
        let entries = (0..<count).map { PropertyListDictionary.Entry(key: "\($0)", value: .string("\($0)")) }
        let repeated = entries + entries.prefix(2).map { .init(key: $0.key, value: .null) }
        let last = Array(entries.dropFirst(2)) + repeated.suffix(min(count, 2))
        var dictionary = PropertyListDictionary(repeated)
        #expect(dictionary.entries == last)
        for entry in last { #expect(dictionary[entry.key] == entry.value) }
        #expect(dictionary["e\u{301}"] == nil)
        dictionary["e\u{301}"] = .boolean(true)
        dictionary["é"] = .boolean(false)
        dictionary["absent"] = nil
        #expect(dictionary["e\u{301}"] == .boolean(true) && dictionary["é"] == .boolean(false))
        #expect(dictionary.entries.map(\.key.utf8.count) == last.map(\.key.utf8.count) + [3, 2])
        for entry in last { dictionary[entry.key] = nil }
        #expect(dictionary.entries.map(\.value) == [.boolean(true), .boolean(false)])
        #expect(dictionary["é"] == .boolean(false) && dictionary["0"] == nil)
    }

    @Test("of an error has the first place and path that are known, and a lack of memory has no place")
    func errors() {
        let (first, second) = (SourcePosition.text(line: 1, column: 2), SourcePosition.byte(offset: 3))
        let error = PropertyListError(reason: "no").located(at: first, path: "/a").located(at: second, path: "/b")
        #expect("\(error)" == "1:2: in /a: no")
        #expect(
            "\(PropertyListError(reason: "no").located(at: second).located(at: first, path: "/b"))"
                == "byte 3: in /b: no")
        for shortage in [PropertyListError.outOfMemory, PropertyListError(shortage: "short")] {
            #expect(shortage.isOutOfMemory && shortage.located(at: first).position == nil)
        }
        #expect(!error.isOutOfMemory)
    }

    @Test("is read with a progress that begins at zero, and again after a reset")
    func progress() {
        let progress = ReadingProgress()
        progress.add(bytes: 5)
        progress.add(items: 2)
        progress.add(bytes: 3)
        #expect(progress.bytes == 8 && progress.items == 2)
        progress.reset()
        #expect(progress.bytes == 0 && progress.items == 0)
    }

    @Test("nests as deep as a document may, and no deeper")
    func nesting() throws {
        let deep = String(repeating: #"{"a":["#, count: 1_100) + "1" + String(repeating: "]}", count: 1_100)
        #expect(try json(deep) == json(deep))
        #expect(throws: PropertyListError.self) { try json("[" + deep + "]") }
    }

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

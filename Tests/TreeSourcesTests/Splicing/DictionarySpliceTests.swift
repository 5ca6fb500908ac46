import PropertyLists
import Testing

@testable import TreeSources

/// Documents that are one dictionary of values.
struct DictionarySpliceTests {
    private static func write(
        _ text: String?, _ syntax: PropertyListSyntax, _ old: String, _ new: String
    ) throws -> String {
        func dictionary(_ json: String) throws -> PropertyListDictionary {
            guard case .dictionary(let dictionary) = try PropertyListValue(json: Array(json.utf8)) else {
                return .init()
            }
            return dictionary
        }
        var written: [UInt8] = []
        let splice = DictionarySplice(old: try dictionary(old), new: try dictionary(new))
        try splice.write(text.map { .memory(Array($0.utf8)) }, syntax: syntax) { (piece: Span<UInt8>) in
            for index in piece.indices { written.append(piece[index]) }
        }
        return String(decoding: written, as: UTF8.self)
    }

    @Test("only differing parts are written")
    func splice() throws {
        let text = "<plist>\n<dict>\n  <!-- a -->\n  <key>a</key><integer>0x01</integer>\n</dict>\n</plist>\n"
        #expect(
            try Self.write(text, .xml, #"{"a":1}"#, #"{"a":1,"b":"x"}"#)
                == text.replacing("</dict>", with: "  <key>b</key><string>x</string>\n</dict>"))
        #expect(try Self.write(text, .xml, #"{"a":1}"#, #"{"a":2}"#) == text.replacing("0x01", with: "2"))
        #expect(
            try Self.write(text, .xml, #"{"a":1}"#, "{}")
                == text.replacing("\n  <key>a</key><integer>0x01</integer>", with: ""))
        #expect(try Self.write(#"{"a":1, "b":2}"#, .json, #"{"a":1,"b":2}"#, #"{"b":2}"#) == #"{"b":2}"#)
        #expect(try Self.write("{}", .json, "{}", #"{"b":true}"#).contains(#""b": true"#))
    }

    @Test("without a file it is written anew")
    func anew() throws {
        #expect(try Self.write(nil, .json, "{}", #"{"b":true}"#) == #"{"b":true}"#)
        #expect(
            try Self.write(nil, .xml, "{}", #"{"b":true}"#).hasSuffix(
                "<dict>\n\t<key>b</key>\n\t<true/>\n</dict>\n</plist>\n"))
        #expect(try Self.write(nil, .binary, "{}", #"{"b":true}"#).hasPrefix("bplist00"))
        #expect(throws: SpliceError<Never>.self) { try Self.write(nil, .xml, "{}", #"{"b":"\u0001"}"#) }
    }

    @Test(
        "a value that XML cannot represent is refused",
        arguments: [
            #"{"a":1,"\u0001":2}"#, #"{"a":1,"b":"\u0001"}"#, #"{"a":"\u0001"}"#, #"{"\u0001":1}"#,
            #"{"a":1,"b":{"\u0001":1}}"#,
        ])
    func unwritable(new: String) {
        let error = #expect(throws: SpliceError<Never>.self) {
            try Self.write("<plist><dict><key>a</key><integer>1</integer></dict></plist>", .xml, #"{"a":1}"#, new)
        }
        guard case .document(let refusal)? = error else { return }
        #expect(
            refusal.description == "the text contains U+0001, which XML cannot represent; use the binary format")
    }

    @Test(
        "most entries stay when the order changes, and always the pinned one",
        arguments: [
            ([2, 0, 1], nil, [nil, 0, 1]), ([2, 0, 1], 0, [2, nil, nil]), ([2, 1, 0], 1, [nil, 1, nil]),
            ([0, nil, 1], 2, [0, nil, 1]), ([3, 0, 2, 1, 4], 2, [nil, 0, 2, nil, 4]), ([1, nil], 1, [1, nil]),
        ] as [([Int?], Int?, [Int?])])
    func order(old: [Int?], pinned: Int?, stays: [Int?]) {
        #expect(EntryOrder.staying(old, pinned: pinned) == stays)
    }

    @Test(
        "in any syntax ends with the first error of what takes its bytes",
        arguments: [PropertyListSyntax.xml, .json, .binary])
    func refusal(syntax: PropertyListSyntax) throws {
        struct Full: Error {}
        let value = PropertyListDictionary([.init(key: "b", value: .boolean(true))])
        for text in syntax == .json ? [nil, "{}"] : [nil] as [String?] {
            let error = #expect(throws: SpliceError<Full>.self) {
                try DictionarySplice(old: .init(), new: value).write(
                    text.map { .memory(Array($0.utf8)) }, syntax: syntax
                ) {
                    (_: Span<UInt8>) throws(Full) in throw Full()
                }
            }
            if case .sink? = error {} else { Issue.record("the sink's error was lost") }
        }
    }
}

import PropertyLists
import Testing
import TreeSources

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
    }
}

import PropertyLists
import Testing

/// The characters of a document: its encoding, bytes that no encoding has, and the end of the reader's window.
@Suite("The text of a document") struct TextDocumentTests {
    private static func bytes(_ units: [UInt16], isBigEndian: Bool) -> [UInt8] {
        units.flatMap { unit in
            let bytes = [UInt8(truncatingIfNeeded: unit >> 8), UInt8(truncatingIfNeeded: unit)]
            return isBigEndian ? bytes : bytes.reversed()
        }
    }

    /// All sequences of a length of some elements.
    private static func sequences<Element>(of elements: [Element], length: Int) -> [[Element]] {
        length == 0
            ? [[]] : sequences(of: elements, length: length - 1).flatMap { start in elements.map { start + [$0] } }
    }

    @Test("is UTF-8 exactly if Swift's decoder finds it so, whatever precedes it", arguments: [0, 15, 63])
    func utf8(before: Int) throws {
        let plain = [UInt8](repeating: UInt8(ascii: "a"), count: before)
        let next: [UInt8] = [0x41, 0x7F, 0x80, 0x8F, 0x90, 0x9F, 0xA0, 0xBF, 0xC0]
        let firsts: [UInt8] = [0x7F, 0x80, 0xBF, 0xC0, 0xC1, 0xC2, 0xDF, 0xE0, 0xE1, 0xEC, 0xED, 0xEE, 0xEF]
        let short = firsts.flatMap { first in Self.sequences(of: next, length: 2).map { [first] + $0 } }
        let ends = Self.sequences(of: [0x7F, 0x80, 0xBF, 0xC0] as [UInt8], length: 2)
        let long = (0xF0...0xFF as ClosedRange<UInt8>).flatMap { first in
            next.flatMap { second in ends.map { end -> [UInt8] in [first, second] + end } }
        }
        for bytes in short + long {
            let document = Array("\"".utf8) + plain + bytes + Array("\"".utf8)
            let expected = String(validating: plain + bytes, as: UTF8.self).map { Tree.string($0) }
            if let expected {
                #expect(try Format.json.read(document) == expected, "\(bytes)")
            } else {
                let refusal = Format.json.refusal(of: document)
                #expect(
                    refusal?.hasSuffix(": the text is not valid UTF-8; save the document as UTF-8") == true, "\(bytes)")
            }
        }
    }

    @Test("is UTF-16 exactly if Swift's decoder finds it so, as is a text of a binary property list")
    func utf16() {
        let units: [UInt16] = [0x41, 0x7FF, 0x800, 0xD7FF, 0xD800, 0xDBFF, 0xDC00, 0xDFFF, 0xE000, 0xFFFD]
        for text in (1...3).flatMap({ Self.sequences(of: units, length: $0) }) {
            let expected = String(validating: text, as: UTF16.self).map { Tree.string($0) }
            for isBigEndian in [true, false] {
                let document = Self.bytes([0xFEFF, 0x22] + text + [0x22], isBigEndian: isBigEndian)
                #expect(expected == (try? Format.json.read(document)), "\(text)")
            }
            let object = [0x60 | UInt8(text.count)] + Self.bytes(text, isBigEndian: true)
            #expect(expected == (try? Format.binary.read(BinaryDocument(object).bytes)), "\(text)")
        }
    }

    @Test("has no control characters but white space, wherever they are", arguments: UInt8.min..<0x20)
    func controlCharacters(byte: UInt8) {
        let isSpace = byte == 9 || byte == 10 || byte == 13
        let name = "U+00" + (byte < 16 ? "0" : "") + String(byte, radix: 16, uppercase: true)
        for before in [2, 15, 16, 63, 64, 100] {
            let blank = [UInt8](repeating: 0x20, count: before)
            let place = "1:\(before + 1): the control character \(name) cannot appear in"
            let json = Format.json.refusal(of: blank + [byte] + Array("[]".utf8))
            #expect(json == (isSpace ? nil : "\(place) JSON; in a string, write it as \\u\(name.dropFirst(2))"))
            let xml = Format.xml.refusal(of: blank + [byte] + Array("<array/>".utf8))
            #expect(xml == (isSpace ? nil : "\(place) XML; remove it, or use the binary format"))
        }
    }

    @Test("has no noncharacters in XML, which JSON may have")
    func noncharacters() throws {
        for (value, isRead) in [
            (0xEFFF, true), (0xFDD0, true), (0xFFFD, true), (0xFFFE, false), (0xFFFF, false), (0x1FFFE, true),
        ] as [(UInt32, Bool)] {
            let text = try String(#require(Unicode.Scalar(value)))
            let sentence = "1:10: U+FFFE and U+FFFF cannot appear in XML; remove them"
            #expect(Format.xml.refusal(of: Array("<string>a\(text)</string>".utf8)) == (isRead ? nil : sentence))
            #expect(try Format.json.read(Array("\"\(text)\"".utf8)) == .string(text))
        }
    }

    @Test(
        "in XML has the encoding of its declaration, written in either case",
        arguments: [
            ("utf-8", "é"), ("UTF8", "é"), ("us-ascii", "é"), ("ASCII", "é"), ("iso-8859-1", "\u{C3}\u{A9}"),
            ("ISO8859-1", "\u{C3}\u{A9}"), ("ISO_8859-1", "\u{C3}\u{A9}"), ("latin1", "\u{C3}\u{A9}"),
            ("Latin-1", "\u{C3}\u{A9}"),
        ])
    func declaredEncoding(name: String, text: String) throws {
        for (before, after) in [
            ("encoding=\"", "\""), ("encoding = '", "'"), ("version='1.0' encoding=\"", "\" standalone='no'"),
        ] {
            let document = Array("<?xml \(before)\(name)\(after)?><string>é</string>".utf8)
            #expect(try Format.xml.read(document) == .string(text))
            // A byte order mark is more certain than a declaration.
            #expect(try Format.xml.read([0xEF, 0xBB, 0xBF] + document) == "é")
        }
        #expect(
            try Format.xml.read(Array("<?xml version='1.0'?><string>encoding='\(name)' é</string>".utf8))
                == .string("encoding='\(name)' é"))
    }

    @Test("that is Latin-1 has all of its characters but the control characters of ASCII")
    func latin1() throws {
        let bytes = [UInt8](0x20...0xFF).filter { !"<&".utf8.contains($0) }
        let document = Array("<?xml encoding='latin1'?><string>".utf8) + bytes + Array("</string>".utf8)
        let text = bytes.reduce(into: "") { $0.unicodeScalars.append(Unicode.Scalar($1)) }
        #expect(try Format.xml.read(document) == .string(text))
    }

    @Test(
        "of a name that no reader knows, or that contradicts its bytes, is refused",
        arguments: [
            "UTF-16", "utf16", "UTF_16", "utf-16le", "UTF-32", "UTF32BE", "UTF_32", "UCS-2", "ucs-4", "ISO-10646-UCS-2",
        ])
    func wideEncoding(name: String) {
        let sentence =
            "the XML declaration names the encoding \(name), but the text is UTF-8; write encoding=\"UTF-8\" there"
        #expect(Format.xml.refusal(of: Array("<?xml encoding='\(name)'?><array/>".utf8)) == "1:1: \(sentence)")
        let wide = Self.bytes(Array("\u{FEFF}<?xml encoding='\(name)'?><array/>".utf16), isBigEndian: true)
        #expect(Format.xml.refusal(of: wide) == nil)
    }

    @Test("without a mark is UTF-16 if every other of the first bytes is zero", arguments: [Format.json, .xml])
    func unmarked(format: Format) throws {
        for isBigEndian in [false, true] {
            let document = Self.bytes(
                Array((format == .json ? "[\"é\"]" : "<array><string>é</string></array>").utf16),
                isBigEndian: isBigEndian)
            #expect(try format.read(document) == ["é"])
            let cut = "the document ends inside a UTF-16 character; it was truncated"
            #expect(format.refusal(of: document + [0])?.hasSuffix(cut) == true)
        }
    }

    /// One token of each kind and each way to be refused, which is read with the end of the reader's first piece at many
    /// places.
    @Test(
        "reads the same wherever a piece of it ends",
        arguments: [
            (
                Format.json,
                #"{"key":["text","\u00e9\ud83d\udc0d\\",-12.5e3,{"n":18446744073709551615}],"é東🐍":[true,false]}"#
            ),
            (
                .xml,
                "<!-- - -- > --><dict><key>é</key><string>a&#x1F40D;\r\nb<![CDATA[]]]]>東</string><key>k</key><array >"
                    + "<integer>-5</integer><real>0.5</real><data>AAAA</data><true/><?a ?b?><date>2001Z</date></array></dict>"
            ),
            (.json, #"["text", "\u00e9", 1.5, tru]"#),
            (.xml, "<array><string>a</string><string>b<c/></string></array>"),
        ])
    func pieces(format: Format, text: String) {
        let expected = Self.outcome(of: Array("\n\(text)".utf8), format)
        for (size, isWide) in [(65_536, false), (10_920, true)] {
            for cut in stride(from: 1, to: isWide ? text.utf16.count : text.utf8.count, by: 11) {
                let padded =
                    String(repeating: " ", count: size - cut - 1) + "\n" + text + String(repeating: " ", count: 22_000)
                let document =
                    isWide ? Self.bytes(Array("\u{FEFF}\(padded)".utf16), isBigEndian: true) : Array(padded.utf8)
                #expect(Self.outcome(of: document, format) == expected, "\(cut)")
            }
        }
    }

    private static func outcome(of document: [UInt8], _ format: Format) -> Result<Tree?, PropertyListError> {
        Result { () throws(PropertyListError) in try format.read(document) }
    }

    /// The tokens of a text, and the end of its first container; positions are counted from the end of the padding.
    private static func tokens(_ text: String, padding: Int, isXML: Bool, isWide: Bool) throws -> [String] {
        let padded = String(repeating: " ", count: padding) + text + String(repeating: " ", count: 300)
        let bytes = isWide ? bytes(Array("\u{FEFF}\(padded)".utf16), isBigEndian: false) : Array(padded.utf8)
        var document = try DocumentText(input: .memory(bytes), isXML: isXML)
        document.mostKept = 256
        func all<Tokens: DocumentTokens & ~Copyable>(_ tokens: inout Tokens) throws -> [String] {
            func shown(_ range: Range<Int>) -> String {
                "\(range.lowerBound - padding)..<\(range.upperBound - padding)"
            }
            var found = [shown(try tokens.finish(tokens.required()))]
            tokens.seek(0)
            while let token = try tokens.next() {
                found.append("\(token.kind) \(shown(token.range)) \(tokens.comma.map { $0 - padding } ?? -1)")
            }
            return found
        }
        if isXML {
            var tokens = try XMLTokens(document)
            return try all(&tokens)
        }
        var tokens = try JSONTokens(document)
        return try all(&tokens)
    }

    @Test(
        "has the same tokens wherever a piece of it ends",
        arguments: [
            (
                #"{"a":[1,-2.5e3, "x\"]" ,{}],"b\\":[[],true]}"#,
                "0..<44;dictionary 0..<1 -1;scalar 1..<4 -1;array 5..<6 -1;scalar 6..<7 -1;scalar 8..<14 7;scalar 16..<22 14;"
                    + "dictionary 24..<25 23;end 25..<26 -1;end 26..<27 -1;scalar 28..<33 27;array 34..<35 -1;array 35..<36 -1;"
                    + "end 36..<37 -1;scalar 38..<42 37;end 42..<43 -1;end 43..<44 -1"
            ),
            (
                "<plist><!-- > --><dict a='>'><key>k</key><array/><key>l</key><array ><string>a<![CDATA[</dict>]]></string>"
                    + "<?a ?><true/></array><key>m</key><data>AA</data></dict></plist>",
                "17..<161;dictionary 17..<29 -1;key 29..<41 -1;array 41..<49 -1;end 49..<49 -1;key 49..<61 -1;array 61..<69 -1;"
                    + "scalar 69..<106 -1;scalar 112..<119 -1;end 119..<127 -1;key 127..<139 -1;scalar 139..<154 -1;end 154..<161 -1"
            ),
        ])
    func tokens(text: String, expected: String) throws {
        let isXML = text.hasPrefix("<")
        let expected = expected.split(separator: ";").map(String.init)
        for isWide in [false, true] {
            #expect(try Self.tokens(text, padding: 0, isXML: isXML, isWide: isWide) == expected)
            for end in text.dropLast(isXML ? "</plist>".count : 0).indices.dropFirst() {
                #expect(throws: PropertyListError.notWhatWasRead) {
                    try Self.tokens(String(text[..<end]), padding: 0, isXML: isXML, isWide: isWide)
                }
            }
            for cut in stride(from: 0, to: text.utf8.count, by: isWide ? 9 : 1) {
                let found = try Self.tokens(text, padding: 256 - cut, isXML: isXML, isWide: isWide)
                #expect(found == expected, "\(cut)")
            }
        }
    }
}

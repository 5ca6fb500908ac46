public import Bytes
import DrilldownDates

/// Writes an XML property list as Xcode does: with tabs, one element per line.
///
/// The writer refuses text and dates that XML cannot represent: control characters, U+FFFE, U+FFFF, and fractions of a
/// second. A UID becomes a dictionary with the single key `CF$UID`, as in CoreFoundation. Readers may convert this
/// dictionary back.
public struct XMLPropertyListWriter: PropertyListConsumer, ~Copyable {
    /// The XML so far; it may be drained between events.
    public var output: ByteBuffer
    /// The number of tabs at the beginning of a line.
    public var depth = 0
    private var completeness = Completeness()
    /// The container that was begun last, if its start tag is not written yet; otherwise nil. The start tag waits,
    /// because an empty container is written as a single tag.
    private var pending: Container?

    private enum Container { case dictionary, array }

    /// - Parameter output: the buffer to which the XML is appended.
    public init(output: consuming ByteBuffer = ByteBuffer()) {
        self.output = output
        self.output.append(
            """
            <?xml version="1.0" encoding="UTF-8"?>
            <!DOCTYPE plist PUBLIC "-//Apple//DTD PLIST 1.0//EN" "http://www.apple.com/DTDs/PropertyList-1.0.dtd">
            <plist version="1.0">

            """ as StaticString)
    }

    /// Ends the document.
    ///
    /// - Throws: `PropertyListError` unless exactly one value was written and all its containers were ended.
    public mutating func finish() throws(PropertyListError) {
        try completeness.check()
        output.append("</plist>\n" as StaticString)
        guard !output.isIncomplete else { throw .outOfMemory }
    }

    /// Begins a line.
    private mutating func beginLine() {
        switch pending {
        case .dictionary: output.append("<dict>\n" as StaticString)
        case .array: output.append("<array>\n" as StaticString)
        case nil: break
        }
        pending = nil
        output.append(ByteScan.word(of: UInt8(ascii: "\t")), repeated: depth)
    }

    /// Begins the line of a value.
    private mutating func beginValue() {
        completeness.value()
        beginLine()
    }

    private mutating func begin(_ container: Container) {
        beginValue()
        completeness.begin()
        pending = container
        depth += 1
    }

    private mutating func end(_ container: Container) {
        completeness.end()
        depth = max(depth - 1, 0)
        let isEmpty = pending == container
        if isEmpty { pending = nil } else { beginLine() }
        switch (container, isEmpty) {
        case (.dictionary, true): output.append("<dict/>\n" as StaticString)
        case (.dictionary, false): output.append("</dict>\n" as StaticString)
        case (.array, true): output.append("<array/>\n" as StaticString)
        case (.array, false): output.append("</array>\n" as StaticString)
        }
    }

    public mutating func beginDictionary(at position: SourcePosition) { begin(.dictionary) }

    public mutating func key(_ name: Span<UInt8>, at position: SourcePosition) throws(PropertyListError) {
        beginLine()
        output.append("<key>" as StaticString)
        try output.append(xmlText: name)
        output.append("</key>\n" as StaticString)
    }

    public mutating func endDictionary() { end(.dictionary) }

    public mutating func beginArray(at position: SourcePosition) { begin(.array) }

    public mutating func endArray() { end(.array) }

    public mutating func string(_ text: Span<UInt8>) throws(PropertyListError) {
        beginValue()
        output.append("<string>" as StaticString)
        try output.append(xmlText: text)
        output.append("</string>\n" as StaticString)
    }

    public mutating func integer(_ value: PropertyListInteger) {
        beginValue()
        output.append(xml: value)
        output.append(UInt8(ascii: "\n"))
    }

    public mutating func boolean(_ value: Bool) {
        beginValue()
        output.append(xml: value)
        output.append(UInt8(ascii: "\n"))
    }

    public mutating func scalar(_ value: PropertyListScalar) throws(PropertyListError) {
        if case .uid(let number) = value { return uid(number) }
        beginValue()
        try output.append(xml: value)
        output.append(UInt8(ascii: "\n"))
    }

    private mutating func uid(_ value: UInt64) {
        begin(.dictionary)
        beginLine()
        output.append("<key>CF$UID</key>\n" as StaticString)
        integer(PropertyListInteger(value))
        end(.dictionary)
    }

    public mutating func data(_ bytes: Span<UInt8>) {
        beginValue()
        output.append("<data>\n" as StaticString)
        // As in CoreFoundation: 76 columns minus the indentation, with eight columns per tab.
        let lineBytes = max(16, 76 - 8 * depth) / 4 * 3
        for start in stride(from: 0, to: bytes.count, by: lineBytes) {
            beginLine()
            output.append(base64: bytes.extracting(start..<min(start + lineBytes, bytes.count)))
            output.append(UInt8(ascii: "\n"))
        }
        beginLine()
        output.append("</data>\n" as StaticString)
    }

    /// Returns the XML and ends the writer.
    public consuming func takeOutput() -> ByteBuffer { output }
}

extension ByteBuffer {
    /// Appends a value as an element. A UID becomes an `<integer>` with its number.
    ///
    /// - Throws: `PropertyListError` for a date that is out of range, or that has a fraction of a second.
    mutating func append(xml value: PropertyListScalar) throws(PropertyListError) {
        switch value {
        case .integer(let value): append(xml: value)
        case .real(let value):
            append("<real>" as StaticString)
            append(JSONText.real(value))
            append("</real>" as StaticString)
        case .boolean(let value): append(xml: value)
        case .date(let seconds):
            guard CivilDate.holds(seconds) else { throw CivilDate.outOfRange }
            guard seconds == seconds.rounded(.down) else { throw CivilDate.fractionInXML }
            append("<date>" as StaticString)
            append(CivilDate(seconds: Int64(seconds)))
            append("</date>" as StaticString)
        case .uid(let value): append(xml: PropertyListInteger(value))
        }
    }

    mutating func append(xml value: PropertyListInteger) {
        append("<integer>" as StaticString)
        append(value)
        append("</integer>" as StaticString)
    }

    mutating func append(xml value: Bool) { append(value ? "<true/>" : "<false/>" as StaticString) }

    /// Appends a text as XML character data: `&`, `<` and `>` as entities, a carriage return as a reference.
    ///
    /// - Throws: `PropertyListError` for a character that XML 1.0 (section 2.2) cannot represent.
    mutating func append(xmlText text: Span<UInt8>) throws(PropertyListError) {
        var start = 0
        var index = 0
        while true {
            // The scan also stops at 0xEF, which begins U+F000 to U+FFFF, because some of these characters are not
            // allowed.
            index = ByteScan.index(in: text, from: index) { word in
                ByteScan.controls(word) | ByteScan.equal(word, UInt8(ascii: "&"))
                    | ByteScan.equal(word, UInt8(ascii: "<")) | ByteScan.equal(word, UInt8(ascii: ">"))
                    | ByteScan.equal(word, 0xEF)
            }
            guard index < text.count else { break }
            if let reference = try Self.xmlReference(for: text, at: index) {
                append(text.extracting(start..<index))
                append(reference)
                start = index + 1
            }
            index += 1
        }
        append(text.extracting(start..<text.count))
    }

    /// The reference that replaces a character; nil for a character that stays.
    private static func xmlReference(
        for text: Span<UInt8>, at index: Int
    ) throws(PropertyListError) -> StaticString? {
        switch text[index] {
        case UInt8(ascii: "&"): return "&amp;"
        case UInt8(ascii: "<"): return "&lt;"
        case UInt8(ascii: ">"): return "&gt;"
        case 0x0D: return "&#13;"
        case 0x09, 0x0A: return nil
        case 0xEF:
            guard XMLText.isNoncharacter(text, at: index) else { return nil }
            throw unfitForXML("U+FFF\(text[index + 2] == 0xBE ? "E" : "F")")
        default:
            throw unfitForXML("U+\(String(hexadecimal: text[index], digits: 4))")
        }
    }

    private static func unfitForXML(_ character: String) -> PropertyListError {
        PropertyListError(reason: "the text contains \(character), which XML cannot represent; use the binary format")
    }
}

/// The limits of text in XML.
public enum XMLText {
    /// Whether a text contains a character that XML 1.0 (section 2.2) cannot represent. These are U+FFFE, U+FFFF, and
    /// the control characters other than tab, line feed and carriage return.
    public static func holdsMoreThanXML(_ text: Span<UInt8>) -> Bool {
        guard ByteScan.any(in: text, where: mayBeBeyondXML) else { return false }
        var index = 0
        while true {
            index = ByteScan.index(in: text, from: index, where: mayBeBeyondXML)
            guard index < text.count else { return false }
            let byte = text[index]
            if byte == 0xEF ? isNoncharacter(text, at: index) : byte != 9 && byte != 10 && byte != 13 { return true }
            index += 1
        }
    }

    /// Marks the bytes of a word that may begin such a character.
    @inline(__always)
    private static func mayBeBeyondXML(_ word: UInt64) -> UInt64 {
        ByteScan.controls(word) | ByteScan.equal(word, 0xEF)
    }

    /// Whether a character is U+FFFE (EF BF BE) or U+FFFF (EF BF BF), by its three bytes.
    fileprivate static func isNoncharacter(_ text: Span<UInt8>, at index: Int) -> Bool {
        index + 2 < text.count && text[index] == 0xEF && text[index + 1] == 0xBF && text[index + 2] >= 0xBE
    }
}

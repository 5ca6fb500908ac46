public import Bytes
import DrilldownDates

/// Writes an XML property list as Xcode does: with tabs, one element per line.
///
/// It refuses what XML cannot represent: control characters, U+FFFE, U+FFFF, and fractions of a second.
/// A UID becomes a dictionary with the one key `CF$UID`, as in CoreFoundation; readers may convert it back.
public struct XMLPropertyListWriter: PropertyListConsumer, ~Copyable {
    /// The XML so far; it may be drained between events.
    public var output: ByteBuffer
    /// How many tabs a line begins with.
    public var depth = 0
    private var completeness = Completeness()
    /// A container whose start tag is not written yet, because an empty container is a single tag.
    private var pending: Container?

    private enum Container { case dictionary, array }

    /// - Parameter output: the buffer to append the XML to.
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

    private mutating func finishLine() { output.append(UInt8(ascii: "\n")) }

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
        finishLine()
    }

    public mutating func boolean(_ value: Bool) {
        beginValue()
        output.append(xml: value)
        finishLine()
    }

    public mutating func scalar(_ value: PropertyListScalar) throws(PropertyListError) {
        if case .uid(let number) = value { return uid(number) }
        beginValue()
        try output.append(xml: value)
        finishLine()
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
        var start = 0
        while start < bytes.count {
            let end = min(start + lineBytes, bytes.count)
            beginLine()
            output.append(base64: bytes.extracting(start..<end))
            output.append(UInt8(ascii: "\n"))
            start = end
        }
        beginLine()
        output.append("</data>\n" as StaticString)
    }

}

extension XMLPropertyListWriter {
    /// Returns the XML and ends the writer.
    public consuming func takeOutput() -> ByteBuffer { output }
}

extension ByteBuffer {
    /// Appends a value as an element; a UID as its number.
    ///
    /// - Throws: `PropertyListError` for a date outside the calendar, or between two seconds.
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
            append(CivilDate(seconds: Int(seconds)))
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
    /// - Throws: `PropertyListError` for a character that XML 1.0 (section 2.2) cannot carry.
    mutating func append(xmlText text: Span<UInt8>) throws(PropertyListError) {
        var start = 0
        var index = 0
        while true {
            index = ByteScan.firstMarkup(in: text, from: index)
            guard index < text.count else { break }
            let reference = try Self.xmlReference(for: text, at: index)
            if let reference {
                append(text.extracting(start..<index))
                append(reference)
                start = index + 1
            }
            index += 1
        }
        append(text.extracting(start..<text.count))
    }

    /// The replacement of a character; nil if it needs none.
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
            // U+FFFE and U+FFFF are EF BF BE and EF BF BF.
            guard index + 2 < text.count, text[index + 1] == 0xBF, text[index + 2] >= 0xBE else { return nil }
            throw unfitForXML("U+FFF\(text[index + 2] == 0xBE ? "E" : "F")")
        default:
            throw unfitForXML("U+\(String(hexadecimal: text[index], digits: 4))")
        }
    }

    private static func unfitForXML(_ character: String) -> PropertyListError {
        PropertyListError("the text contains \(character), which XML cannot represent; use the binary format")
    }
}

extension ByteScan {
    /// The index of the first byte that XML text must not contain unescaped; the end if there is none.
    ///
    /// The first bytes of U+F000 … U+FFFF and white space are found too: some of these characters are not allowed.
    fileprivate static func firstMarkup(in text: Span<UInt8>, from start: Int) -> Int {
        var index = start
        while index < text.count {
            let size = min(text.count - index, 8)
            let word = size == 8 ? word(of: text, at: index) : word(of: text, at: index, count: size)
            var found = controls(word) | equal(word, UInt8(ascii: "&")) | equal(word, UInt8(ascii: "<"))
            found |= equal(word, UInt8(ascii: ">")) | equal(word, 0xEF)
            let plain = min(found.trailingZeroBitCount / 8, size)
            index += plain
            if plain < size { break }
        }
        return index
    }
}

/// Text that XML can represent.
public enum XMLText {
    /// Whether a text contains a character that XML 1.0 (section 2.2) cannot represent: U+FFFE, U+FFFF, or a control
    /// character other than tab, line feed and carriage return.
    @inlinable
    public static func holdsMoreThanXML(_ text: Span<UInt8>) -> Bool {
        var index = 0
        while index < text.count {
            let size = min(text.count &- index, 8)
            let word = size == 8 ? ByteScan.word(of: text, at: index) : ByteScan.word(of: text, at: index, count: size)
            let suspicious = ByteScan.controls(word) | ByteScan.equal(word, 0xEF)
            // Past the end of the text the word is zero, which counts as a control character.
            if suspicious.trailingZeroBitCount / 8 < size, holdsMoreThanXML(text, index..<index &+ size) { return true }
            index &+= size
        }
        return false
    }

    @usableFromInline
    static func holdsMoreThanXML(_ text: Span<UInt8>, _ range: Range<Int>) -> Bool {
        for index in range {
            let byte = text[index]
            if byte < 0x20, byte != 9, byte != 10, byte != 13 { return true }
            if byte == 0xEF, index + 2 < text.count, text[index + 1] == 0xBF, text[index + 2] >= 0xBE { return true }
        }
        return false
    }
}

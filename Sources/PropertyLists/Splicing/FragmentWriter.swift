// This import is public, as are all imports of modules here. A single `package import` of a module would prevent other
// targets from specializing functions that use the module, and the readers must be specialized.
public import Bytes
import DrilldownDates

/// Writes a value in UTF-8, without a declaration, in the layout of the document that will contain it.
///
/// For the types that JSON lacks, see `JSONPropertyListWriter`.
public struct FragmentWriter: PropertyListConsumer, ~Copyable {
    /// A syntax that is text.
    public enum Syntax: Sendable { case xml, json }

    /// The text so far; it may be drained between events.
    public var output = ByteBuffer()
    /// The layout around the value.
    public let style: FragmentStyle
    let syntax: Syntax
    private var open: [Container] = []
    private var followsKey = false

    private struct Container {
        let isDictionary: Bool
        var isEmpty = true
    }

    /// Creates a writer of one value.
    public init(syntax: Syntax, style: FragmentStyle) {
        self.syntax = syntax
        self.style = style
    }

    /// The white space before the next value or key on a line of its own; nil if everything is on one line.
    public var indent: [UInt8]? { indent(depth: open.count) }

    private func indent(depth: Int) -> [UInt8]? {
        style.indent.map { indent in (0..<depth).reduce(into: indent) { indent, _ in indent += style.unit } }
    }

    /// Writes the text that precedes a value. The caller then writes the value itself.
    public mutating func beginElement() {
        guard !open.isEmpty else { return }
        if followsKey {
            followsKey = false
            if syntax == .json { return append(style.colon) }
            return beginLine(depth: open.count)
        }
        beginEntry()
    }

    private mutating func beginEntry() {
        let container = open[open.count - 1]
        if container.isEmpty {
            open[open.count - 1].isEmpty = false
            output.append(opening(container, isEmpty: false))
        } else if syntax == .json {
            append(style.comma)
        }
        beginLine(depth: open.count)
    }

    private mutating func beginLine(depth: Int) {
        guard let indent = indent(depth: depth) else { return }
        append(line: indent)
    }

    mutating func append(line indent: [UInt8]) { append(style.lineBreak + indent) }

    mutating func append(_ text: [UInt8]) { output.append(text.span) }

    private func opening(_ container: Container, isEmpty: Bool) -> StaticString {
        switch (syntax, container.isDictionary, isEmpty) {
        case (.xml, true, false): "<dict>"
        case (.xml, true, true): "<dict/>"
        case (.xml, false, false): "<array>"
        case (.xml, false, true): "<array/>"
        case (.json, true, false): "{"
        case (.json, true, true): "{}"
        case (.json, false, false): "["
        case (.json, false, true): "[]"
        }
    }

    private func closing(_ container: Container) -> StaticString {
        switch (syntax, container.isDictionary) {
        case (.xml, true): "</dict>"
        case (.xml, false): "</array>"
        case (.json, true): "}"
        case (.json, false): "]"
        }
    }

    private mutating func begin(isDictionary: Bool) {
        beginElement()
        open.append(Container(isDictionary: isDictionary))
    }

    private mutating func end() throws(PropertyListError) {
        guard let container = open.popLast() else {
            throw PropertyListError(reason: "the end of a container has no matching beginning")
        }
        guard !container.isEmpty else { return output.append(opening(container, isEmpty: true)) }
        beginLine(depth: open.count)
        output.append(closing(container))
    }

    public mutating func beginDictionary(at position: SourcePosition) { begin(isDictionary: true) }

    public mutating func endDictionary() throws(PropertyListError) { try end() }

    public mutating func beginArray(at position: SourcePosition) { begin(isDictionary: false) }

    public mutating func endArray() throws(PropertyListError) { try end() }

    public mutating func key(_ name: Span<UInt8>, at position: SourcePosition) throws(PropertyListError) {
        beginEntry()
        try write(key: name)
        followsKey = true
    }

    /// Writes a key alone, without the text before and after it.
    public mutating func write(key name: Span<UInt8>) throws(PropertyListError) {
        guard syntax == .xml else { return output.append(jsonString: name) }
        output.append("<key>" as StaticString)
        try output.append(xmlText: name)
        output.append("</key>" as StaticString)
    }
}

/// Scalars, texts and data.
extension FragmentWriter {
    public mutating func string(_ text: Span<UInt8>) throws(PropertyListError) {
        beginElement()
        guard syntax == .xml else { return output.append(jsonString: text) }
        output.append("<string>" as StaticString)
        try append(lines: text)
        output.append("</string>" as StaticString)
    }

    /// Appends a text with the line ends of the document. XML readers convert these back to line feeds.
    private mutating func append(lines text: Span<UInt8>) throws(PropertyListError) {
        guard style.lineBreak != [10] else { return try output.append(xmlText: text) }
        var start = 0
        for index in text.indices where text[index] == 10 {
            try output.append(xmlText: text.extracting(start..<index))
            append(style.lineBreak)
            start = index + 1
        }
        try output.append(xmlText: text.extracting(start..<text.count))
    }

    public mutating func scalar(_ value: PropertyListScalar) throws(PropertyListError) {
        if case .uid(let number) = value { return try uid(number) }
        beginElement()
        switch syntax {
        case .xml: try output.append(xml: value)
        case .json: try output.append(json: value)
        }
    }

    private mutating func uid(_ value: UInt64) throws(PropertyListError) {
        beginDictionary(at: .byte(offset: 0))
        try key(Array("CF$UID".utf8).span, at: .byte(offset: 0))
        try scalar(.integer(PropertyListInteger(value)))
        try endDictionary()
    }

    public mutating func data(_ bytes: Span<UInt8>) {
        beginElement()
        guard syntax == .xml else { return output.append(jsonData: bytes) }
        output.append("<data>" as StaticString)
        if let line = indent, bytes.count > Self.dataLineBytes {
            for start in stride(from: 0, to: bytes.count, by: Self.dataLineBytes) {
                append(line: line)
                output.append(base64: bytes.extracting(start..<min(start + Self.dataLineBytes, bytes.count)))
            }
            append(line: line)
        } else {
            output.append(base64: bytes)
        }
        output.append("</data>" as StaticString)
    }

    /// The number of bytes that fill a line of 76 characters in base64.
    private static var dataLineBytes: Int { 57 }
}

/// The layout of new values in the text of a document.
public struct FragmentStyle: Sendable, Equatable {
    /// The indentation of the line on which the value begins; nil if everything is on one line.
    public var indent: [UInt8]?
    /// The additional indentation of the lines inside a container.
    public var unit: [UInt8]
    public var lineBreak: [UInt8]
    /// The text between a key and its value in JSON.
    public var colon: [UInt8]

    public init(indent: [UInt8]?, unit: [UInt8], lineBreak: [UInt8], colon: [UInt8]) {
        self.indent = indent
        self.unit = unit
        self.lineBreak = lineBreak
        self.colon = colon
    }

    /// The separator of two values in JSON.
    var comma: [UInt8] {
        guard indent == nil else { return Array(",".utf8) }
        return Array((colon.last == UInt8(ascii: " ") ? ", " : ",").utf8)
    }
}

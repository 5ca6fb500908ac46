internal import Bytes
internal import PropertyLists

/// Builds a tree from values as the file of the document will hold them.
struct FileValues: PropertyListConsumer, ~Copyable {
    var builder: TreeBuilder
    private let syntax: FileSyntax

    init(_ builder: consuming TreeBuilder, syntax: FileSyntax) {
        self.builder = builder
        self.syntax = syntax
    }

    consuming func finish() throws(PropertyListError) -> Tree { try builder.finish() }

    mutating func beginDictionary(at position: SourcePosition) throws(PropertyListError) {
        try builder.beginDictionary(at: position)
    }

    mutating func key(_ name: Span<UInt8>, at position: SourcePosition) throws(PropertyListError) {
        try check(name)
        try builder.key(name, at: position)
    }

    mutating func endDictionary() throws(PropertyListError) { try builder.endDictionary() }

    mutating func beginArray(at position: SourcePosition) throws(PropertyListError) {
        try builder.beginArray(at: position)
    }

    mutating func endArray() throws(PropertyListError) { try builder.endArray() }

    mutating func string(_ text: Span<UInt8>) throws(PropertyListError) {
        try check(text)
        try builder.string(text)
    }

    mutating func integer(_ value: PropertyListInteger) throws(PropertyListError) { try builder.integer(value) }

    mutating func real(_ value: Double) throws(PropertyListError) {
        guard syntax == .json, !value.isFinite else { return try builder.real(value) }
        try string(Array(JSONText.real(value).utf8).span)
    }

    mutating func boolean(_ value: Bool) throws(PropertyListError) { try builder.boolean(value) }

    mutating func date(_ seconds: Double) throws(PropertyListError) {
        switch syntax {
        case .binary: try builder.date(seconds)
        case .xml: try builder.date(seconds.rounded(.down))
        case .json: try string(Array(JSONText.date(seconds).utf8).span)
        }
    }

    mutating func data(_ bytes: Span<UInt8>) throws(PropertyListError) {
        guard syntax == .json else { return try builder.data(bytes) }
        var text = ByteBuffer()
        text.append(base64: bytes)
        try string(text.span)
    }

    mutating func uid(_ value: UInt64) throws(PropertyListError) { try builder.uid(value) }

    private func check(_ text: Span<UInt8>) throws(PropertyListError) {
        guard syntax == .xml, XMLText.holdsMoreThanXML(text) else { return }
        throw PropertyListError(
            "an XML document cannot contain control characters, U+FFFE or U+FFFF; leave them out of the text")
    }
}

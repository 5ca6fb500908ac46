import Bytes

/// The texts of a `.strings` file by their keys. The file is in Apple's text format, or is a property list.
public struct StringsTable: Sendable, Equatable {
    /// The text of each key.
    public internal(set) var texts: [String: String]

    /// Creates a table.
    public init(_ texts: [String: String] = [:]) { self.texts = texts }

    static let mostKeys = 200_000

    /// Reads a file. Its form and its encoding (UTF-8 or UTF-16) are detected from the content.
    ///
    /// Of several entries with the same key, the last one counts. In a property list, values of other types are
    /// ignored.
    ///
    /// - Throws: `PropertyListError` with the position of the fault.
    public init(reading bytes: [UInt8]) throws(PropertyListError) {
        let characters = TextEncoding.characters(of: bytes.span.extracting(first: 64))
        if bytes.starts(with: "bplist".utf8) {
            self = try Self.propertyList(bytes, read: BinaryPropertyListReader.read)
        } else if characters.first(where: { $0 > 0x20 }) == UInt8(ascii: "<") {
            self = try Self.propertyList(bytes, read: XMLPropertyListReader.read)
        } else {
            let (encoding, mark) = TextEncoding.detect(bytes.span)
            var reader = StringsReader(
                try Transcoder.utf8(bytes.span.extracting(mark..<bytes.count), encoding: encoding))
            self = try reader.table()
        }
    }

    private typealias Reader = (DocumentInput, PropertyListLimits, inout StringsConsumer) throws(PropertyListError) ->
        Void

    private static func propertyList(
        _ bytes: [UInt8], read: Reader
    ) throws(PropertyListError) -> StringsTable {
        var consumer = StringsConsumer()
        try read(.memory(bytes), PropertyListLimits(values: mostKeys * 4), &consumer)
        return StringsTable(consumer.texts)
    }

    mutating func set(_ key: String, to text: String) throws(PropertyListError) {
        texts[key] = text
        guard texts.count <= Self.mostKeys else {
            throw PropertyListError(
                reason: "the file has more than \(Quantity(count: Self.mostKeys, noun: "key")); split it")
        }
    }
}

/// Collects the texts in the dictionary of a property list.
struct StringsConsumer: PropertyListConsumer {
    private(set) var texts: [String: String] = [:]
    private var depth = 0
    /// The current key in the outermost dictionary.
    private var key: String?

    mutating func beginDictionary(at position: SourcePosition) throws(PropertyListError) { depth += 1 }

    mutating func endDictionary() throws(PropertyListError) { depth -= 1 }

    mutating func beginArray(at position: SourcePosition) throws(PropertyListError) {
        guard depth > 0 else { throw Self.noDictionary }
        depth += 1
    }

    mutating func endArray() throws(PropertyListError) { depth -= 1 }

    mutating func key(_ name: Span<UInt8>, at position: SourcePosition) throws(PropertyListError) {
        if depth == 1 { key = String(utf8: name) }
    }

    mutating func string(_ text: Span<UInt8>) throws(PropertyListError) {
        guard depth > 0 else { throw Self.noDictionary }
        if depth == 1, let key { texts[key] = String(utf8: text) }
    }

    mutating func data(_ bytes: Span<UInt8>) throws(PropertyListError) { try pass() }
    mutating func scalar(_ value: PropertyListScalar) throws(PropertyListError) { try pass() }

    private func pass() throws(PropertyListError) { if depth == 0 { throw Self.noDictionary } }

    private static let noDictionary = PropertyListError(reason: "a property list of strings must be a dictionary")
}

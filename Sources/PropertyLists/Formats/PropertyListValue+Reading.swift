internal import Bytes

/// Values from the bytes of a request.
extension PropertyListValue {
    /// Reads JSON (RFC 8259), which may contain `null`.
    ///
    /// - Throws: `PropertyListError` with line and column.
    public init(json bytes: [UInt8], limits: PropertyListLimits = .init()) throws(PropertyListError) {
        var builder = PropertyListValueBuilder()
        try JSONPropertyListReader.read(.memory(bytes), limits: limits, into: &builder)
        self = try Self.complete(builder)
    }

    /// Reads an XML or a binary property list, which are distinguished by their content.
    ///
    /// - Throws: `PropertyListError` with line and column, or with the byte offset in a binary property list.
    public init(propertyList bytes: [UInt8], limits: PropertyListLimits = .init()) throws(PropertyListError) {
        var builder = PropertyListValueBuilder()
        if bytes.starts(with: "bplist".utf8) {
            try BinaryPropertyListReader.read(.memory(bytes), limits: limits, into: &builder)
        } else {
            try XMLPropertyListReader.read(.memory(bytes), limits: limits, into: &builder)
        }
        self = try Self.complete(builder)
    }

    private static func complete(_ builder: PropertyListValueBuilder) throws(PropertyListError) -> PropertyListValue {
        guard let value = builder.value else {
            throw PropertyListError(reason: "the document is empty; it needs one value")
        }
        return value
    }
}

/// Makes one value from the events of a reader, including JSON's `null` in the body of a merge patch.
public struct PropertyListValueBuilder: PropertyListConsumer {
    /// An open container, with the numbers of values and keys before the container.
    private struct Frame {
        let isDictionary: Bool
        let values: Int
        let keys: Int
    }

    private var frames: [Frame] = []
    /// The values of the open containers. A test checks the address of the array, because it must not be copied.
    private(set) var values: [PropertyListValue] = []
    private var keys: [String] = []

    public init() {}

    /// The value; nil until it is complete.
    public var value: PropertyListValue? { frames.isEmpty ? values.first : nil }

    public mutating func beginDictionary(at position: SourcePosition) { begin(isDictionary: true) }
    public mutating func key(_ name: Span<UInt8>, at position: SourcePosition) { keys.append(String(utf8: name)) }
    public mutating func endDictionary() { end() }
    public mutating func beginArray(at position: SourcePosition) { begin(isDictionary: false) }
    public mutating func endArray() { end() }
    public mutating func string(_ text: Span<UInt8>) { values.append(.string(String(utf8: text))) }
    public mutating func data(_ bytes: Span<UInt8>) { values.append(.data(Array(copying: bytes))) }
    public mutating func scalar(_ value: PropertyListScalar) { values.append(PropertyListValue(value)) }
    public mutating func null() { values.append(.null) }

    private mutating func begin(isDictionary: Bool) {
        frames.append(Frame(isDictionary: isDictionary, values: values.count, keys: keys.count))
    }

    /// Replaces the values of the innermost container by one value.
    ///
    /// The values are copied before they are removed. A slice that still exists would make the removal copy all other
    /// values.
    private mutating func end() {
        guard let frame = frames.popLast() else { return }
        let content = Array(values[frame.values...])
        values.removeLast(content.count)
        guard frame.isDictionary else { return values.append(.array(content)) }
        let names = Array(keys[frame.keys...])
        keys.removeLast(names.count)
        let entries = zip(names, content).map { PropertyListDictionary.Entry(key: $0, value: $1) }
        values.append(.dictionary(PropertyListDictionary(entries)))
    }
}

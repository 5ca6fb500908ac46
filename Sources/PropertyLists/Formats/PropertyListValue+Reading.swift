internal import Bytes

/// Values from the bytes of a request.
extension PropertyListValue {
    /// Reads JSON (RFC 8259), which may contain `null`.
    ///
    /// - Parameter limit: a limit on the elements of an array.
    /// - Throws: `PropertyListError` with line and column.
    public init(
        json bytes: [UInt8], limits: PropertyListLimits = .init(), elements limit: PropertyListElementLimit? = nil
    ) throws(PropertyListError) {
        var builder = PropertyListValueBuilder(limit: limit)
        try JSONPropertyListReader.read(.memory(bytes), limits: limits, into: &builder)
        self = try Self.complete(builder)
    }

    /// Reads an XML or a binary property list, which are distinguished by their content.
    ///
    /// - Parameter limit: a limit on the elements of an array.
    /// - Throws: `PropertyListError` with line and column, or with the byte offset in a binary property list.
    public init(
        propertyList bytes: [UInt8], limits: PropertyListLimits = .init(),
        elements limit: PropertyListElementLimit? = nil
    ) throws(PropertyListError) {
        var builder = PropertyListValueBuilder(limit: limit)
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
    private let limit: PropertyListElementLimit?
    /// The number of further elements that the limited array may have; nil outside of this array.
    private var elementsLeft: Int?

    /// - Parameter limit: a limit on the elements of an array.
    public init(limit: PropertyListElementLimit? = nil) { self.limit = limit }

    /// The value; nil until it is complete.
    public var value: PropertyListValue? { frames.isEmpty ? values.first : nil }

    public mutating func beginDictionary(at position: SourcePosition) throws(PropertyListError) {
        try begin(isDictionary: true)
    }
    public mutating func key(_ name: Span<UInt8>, at position: SourcePosition) { keys.append(String(utf8: name)) }
    public mutating func endDictionary() { end() }
    public mutating func beginArray(at position: SourcePosition) throws(PropertyListError) {
        try begin(isDictionary: false)
    }
    public mutating func endArray() { end() }
    public mutating func string(_ text: Span<UInt8>) throws(PropertyListError) {
        try append(.string(String(utf8: text)))
    }
    public mutating func data(_ bytes: Span<UInt8>) throws(PropertyListError) {
        try append(.data(Array(copying: bytes)))
    }
    public mutating func scalar(_ value: PropertyListScalar) throws(PropertyListError) {
        try append(PropertyListValue(value))
    }
    public mutating func null() throws(PropertyListError) { try append(.null) }

    private mutating func append(_ value: PropertyListValue) throws(PropertyListError) {
        try countElement()
        values.append(value)
    }

    private mutating func begin(isDictionary: Bool) throws(PropertyListError) {
        try countElement()
        if let limit, !isDictionary, frames.count == 1, keys.last?.hasSameUTF8(as: limit.key) == true {
            elementsLeft = limit.count
        }
        frames.append(Frame(isDictionary: isDictionary, values: values.count, keys: keys.count))
    }

    /// Counts a value if it begins in the limited array, which is the second of the open containers.
    private mutating func countElement() throws(PropertyListError) {
        guard let left = elementsLeft, frames.count == 2 else { return }
        guard left > 0 else { throw limit?.error ?? PropertyListError(reason: "an array has too many elements") }
        elementsLeft = left - 1
    }

    /// Replaces the values of the innermost container by one value.
    ///
    /// The values are copied before they are removed. A slice that still exists would make the removal copy all other
    /// values.
    private mutating func end() {
        guard let frame = frames.popLast() else { return }
        if frames.count == 1 { elementsLeft = nil }
        let content = Array(values[frame.values...])
        values.removeLast(content.count)
        guard frame.isDictionary else { return values.append(.array(content)) }
        let names = Array(keys[frame.keys...])
        keys.removeLast(names.count)
        let entries = zip(names, content).map { PropertyListDictionary.Entry(key: $0, value: $1) }
        values.append(.dictionary(PropertyListDictionary(entries)))
    }
}

/// A limit on the elements of an array in the outermost dictionary, checked during reading.
public struct PropertyListElementLimit: Sendable {
    let key: String
    let count: Int
    let error: PropertyListError

    /// - Parameters:
    ///   - key: the key of the array.
    ///   - count: the maximum number of elements.
    ///   - error: the error that is thrown at the first element beyond the limit.
    public init(key: String, count: Int, error: PropertyListError) {
        self.key = key
        self.count = count
        self.error = error
    }
}

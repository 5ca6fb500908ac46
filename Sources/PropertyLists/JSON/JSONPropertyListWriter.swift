public import Bytes

/// Writes a property list as compact JSON in UTF-8 (RFC 8259).
///
/// Types that JSON lacks: a date becomes RFC 3339 text in UTC, data becomes base64, a UID becomes `{"CF$UID":n}`,
/// and a real that is not finite becomes the text `nan`, `+infinity` or `-infinity`.
public struct JSONPropertyListWriter: PropertyListConsumer, ~Copyable {
    /// The JSON so far; it may be drained between events.
    public var output: ByteBuffer
    @usableFromInline var needsComma = false
    @usableFromInline var completeness = Completeness()

    /// - Parameter output: the buffer to append the JSON to.
    public init(output: consuming ByteBuffer = ByteBuffer()) { self.output = output }

    /// Ends the document.
    ///
    /// - Throws: `PropertyListError` unless exactly one value was written and all its containers were ended.
    public mutating func finish() throws(PropertyListError) {
        try completeness.check()
        guard !output.isIncomplete else { throw .outOfMemory }
    }

    @inlinable @inline(__always)
    mutating func beginValue() {
        if needsComma { output.append(UInt8(ascii: ",")) }
        needsComma = true
        completeness.value()
    }

    @inlinable
    public mutating func beginDictionary(at position: SourcePosition) {
        beginValue()
        output.append(UInt8(ascii: "{"))
        needsComma = false
        completeness.begin()
    }

    @inlinable
    public mutating func key(_ name: Span<UInt8>, at position: SourcePosition) {
        if needsComma { output.append(UInt8(ascii: ",")) }
        needsComma = false
        output.append(jsonString: name)
        output.append(UInt8(ascii: ":"))
    }

    @inlinable
    public mutating func endDictionary() {
        output.append(UInt8(ascii: "}"))
        needsComma = true
        completeness.end()
    }

    @inlinable
    public mutating func beginArray(at position: SourcePosition) {
        beginValue()
        output.append(UInt8(ascii: "["))
        needsComma = false
        completeness.begin()
    }

    @inlinable
    public mutating func endArray() {
        output.append(UInt8(ascii: "]"))
        needsComma = true
        completeness.end()
    }

    @inlinable
    public mutating func string(_ text: Span<UInt8>) {
        beginValue()
        output.append(jsonString: text)
    }

    @inlinable
    public mutating func integer(_ value: PropertyListInteger) {
        beginValue()
        output.append(value)
    }

    public mutating func real(_ value: Double) {
        beginValue()
        if !value.isFinite { output.append(UInt8(ascii: "\"")) }
        output.append(JSONText.real(value))
        if !value.isFinite { output.append(UInt8(ascii: "\"")) }
    }

    @inlinable
    public mutating func boolean(_ value: Bool) {
        beginValue()
        output.append(value ? "true" : "false" as StaticString)
    }

    public mutating func date(_ seconds: Double) throws(PropertyListError) {
        guard let (date, microsecond) = CivilDate.moment(seconds) else { throw CivilDate.outOfRange }
        beginValue()
        output.append(UInt8(ascii: "\""))
        output.append(date, microsecond: microsecond)
        output.append(UInt8(ascii: "\""))
    }

    public mutating func data(_ bytes: Span<UInt8>) {
        beginValue()
        output.append(UInt8(ascii: "\""))
        output.append(base64: bytes)
        output.append(UInt8(ascii: "\""))
    }

    public mutating func uid(_ value: UInt64) {
        beginValue()
        output.append("{\"CF$UID\":" as StaticString)
        output.append(decimal: value)
        output.append(UInt8(ascii: "}"))
    }

    /// Writes `null`, which a property list cannot contain, for the JSON around one.
    @inlinable
    public mutating func null() {
        beginValue()
        output.append("null" as StaticString)
    }
}

extension JSONPropertyListWriter {
    /// Writes a key that is known to need no escaping.
    @inlinable @inline(__always)
    public mutating func rawMember(_ name: StaticString) {
        output.append(jsonMember: name, afterComma: needsComma)
        needsComma = false
    }

    /// Writes a string whose characters `write` appends, none of which needs escaping.
    @inlinable @inline(__always)
    public mutating func rawString(_ write: (inout ByteBuffer) -> Void) {
        beginValue()
        output.append(UInt8(ascii: "\""))
        write(&output)
        output.append(UInt8(ascii: "\""))
    }

    /// Writes a value that is already JSON.
    public mutating func rawValue(_ json: Span<UInt8>) {
        beginValue()
        output.append(json)
    }

    /// Returns the JSON and ends the writer.
    public consuming func takeOutput() -> ByteBuffer { output }
}

public import Bytes
import DrilldownDates

/// Writes a property list as compact JSON in UTF-8 (RFC 8259).
///
/// Types that JSON lacks are converted: a date becomes RFC 3339 text in UTC, data becomes base64, a UID becomes
/// `{"CF$UID":n}`, and a real that is not finite becomes the text `nan`, `+infinity` or `-infinity`.
public struct JSONPropertyListWriter: PropertyListConsumer, ~Copyable {
    /// The JSON so far; it may be drained between events.
    public var output: ByteBuffer
    @usableFromInline var needsComma = false
    @usableFromInline var completeness = Completeness()

    /// - Parameter output: the buffer to which the JSON is appended.
    public init(output: consuming ByteBuffer = ByteBuffer()) { self.output = output }

    /// Ends the document.
    ///
    /// - Throws: `PropertyListError` unless exactly one value was written and all its containers were ended.
    public mutating func finish() throws(PropertyListError) {
        try completeness.check()
        guard !output.isIncomplete else { throw .outOfMemory }
    }

    /// Empties the buffer, and begins another document in it.
    public mutating func restart() {
        output.truncate(to: 0)
        needsComma = false
        completeness = Completeness()
    }

    @inlinable @inline(__always)
    mutating func beginValue() {
        if needsComma { output.append(UInt8(ascii: ",")) }
        needsComma = true
        completeness.value()
    }

    @inlinable @inline(__always)
    mutating func begin(_ bracket: UInt8) {
        beginValue()
        output.append(bracket)
        needsComma = false
        completeness.begin()
    }

    @inlinable @inline(__always)
    mutating func end(_ bracket: UInt8) {
        output.append(bracket)
        needsComma = true
        completeness.end()
    }

    @inlinable
    public mutating func beginDictionary(at position: SourcePosition) { begin(UInt8(ascii: "{")) }

    @inlinable
    public mutating func key(_ name: Span<UInt8>, at position: SourcePosition) {
        if needsComma { output.append(UInt8(ascii: ",")) }
        needsComma = false
        output.append(jsonString: name)
        output.append(UInt8(ascii: ":"))
    }

    @inlinable
    public mutating func endDictionary() { end(UInt8(ascii: "}")) }

    @inlinable
    public mutating func beginArray(at position: SourcePosition) { begin(UInt8(ascii: "[")) }

    @inlinable
    public mutating func endArray() { end(UInt8(ascii: "]")) }

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

    @inlinable
    public mutating func boolean(_ value: Bool) {
        beginValue()
        output.append(value ? "true" : "false" as StaticString)
    }

    public mutating func real(_ value: Double) {
        beginValue()
        output.append(json: value)
    }

    @inlinable @inline(__always)
    public mutating func scalar(_ value: PropertyListScalar) throws(PropertyListError) {
        if case .integer(let value) = value { return integer(value) }
        try other(value)
    }

    @usableFromInline
    mutating func other(_ value: PropertyListScalar) throws(PropertyListError) {
        beginValue()
        try output.append(json: value)
    }

    public mutating func data(_ bytes: Span<UInt8>) {
        beginValue()
        output.append(jsonData: bytes)
    }

    /// Writes `null`. A property list cannot contain `null`, but the JSON around a property list can.
    @inlinable
    public mutating func null() {
        beginValue()
        output.append("null" as StaticString)
    }

    /// Writes a key that does not need escaping.
    @inlinable @inline(__always)
    public mutating func rawMember(_ name: StaticString) {
        output.append(jsonMember: name, afterComma: needsComma)
        needsComma = false
    }

    /// Writes a string. `write` appends its characters, which must not need escaping.
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

extension ByteBuffer {
    /// Appends a value as JSON.
    ///
    /// - Throws: `PropertyListError` for a date outside the calendar.
    mutating func append(json value: PropertyListScalar) throws(PropertyListError) {
        switch value {
        case .integer(let value): append(value)
        case .real(let value): append(json: value)
        case .boolean(let value): append(value ? "true" : "false" as StaticString)
        case .date(let seconds):
            guard let (date, microsecond) = CivilDate.moment(seconds) else { throw CivilDate.outOfRange }
            append(UInt8(ascii: "\""))
            append(date, microsecond: microsecond)
            append(UInt8(ascii: "\""))
        case .uid(let value):
            append("{\"CF$UID\":" as StaticString)
            append(decimal: value)
            append(UInt8(ascii: "}"))
        }
    }

    mutating func append(json value: Double) {
        guard !append(withFewDecimals: value) else { return }
        if !value.isFinite { append(UInt8(ascii: "\"")) }
        append(JSONText.real(value))
        if !value.isFinite { append(UInt8(ascii: "\"")) }
    }

    /// Appends the shortest text of a number below a million that has up to three decimals, such as a price; returns
    /// false for other numbers.
    ///
    /// Numbers with three decimals are much farther apart than the values of `Double` are there. So if a whole number
    /// divided by a power of ten gives the value, no other does, and the smallest power gives the shortest text.
    private mutating func append(withFewDecimals value: Double) -> Bool {
        guard value.magnitude < 1_000_000 else { return false }
        var scale = 1.0
        for places in 1...3 {
            scale *= 10
            let scaled = (value.magnitude * scale).rounded()
            guard scaled / scale == value.magnitude else { continue }
            if value.sign == .minus { append(UInt8(ascii: "-")) }
            let (whole, fraction) = Int(scaled).quotientAndRemainder(dividingBy: Int(scale))
            append(decimal: UInt64(whole))
            append(UInt8(ascii: "."))
            append(fraction, digits: places)
            return true
        }
        return false
    }

    /// Appends data as a JSON string of base64.
    mutating func append(jsonData bytes: Span<UInt8>) {
        append(UInt8(ascii: "\""))
        append(base64: bytes)
        append(UInt8(ascii: "\""))
    }

    /// Appends a text as a JSON string with quotes, escaping only what RFC 8259, section 7, requires.
    ///
    /// - Parameter text: UTF-8; non-ASCII characters are not escaped.
    @inlinable
    public mutating func append(jsonString text: Span<UInt8>) {
        let count = text.count
        // Each store writes a whole word, of which only a part may count, so there must be room for one word more than
        // the text and its quotes.
        guard reserve(count &+ 10) else { return }
        store(UInt64(UInt8(ascii: "\"")), counting: 1)
        var index = 0
        while index < count {
            let size = min(count &- index, 8)
            let word = size == 8 ? ByteScan.word(of: text, at: index) : ByteScan.word(of: text, at: index, count: size)
            var special = ByteScan.controls(word) | ByteScan.equal(word, UInt8(ascii: "\""))
            special |= ByteScan.equal(word, UInt8(ascii: "\\"))
            // Past the end of the text the word is zero, which counts as a control character.
            let plain = min(special.trailingZeroBitCount / 8, size)
            store(word, counting: plain)
            index &+= plain
            guard plain < size else { continue }
            appendJSONEscape(of: text[index])
            index &+= 1
            guard reserve(count &- index &+ 10) else { return }
        }
        store(UInt64(UInt8(ascii: "\"")), counting: 1)
    }

    /// Appends the name of a member with its quotes and its colon, after an optional comma. The name must not need
    /// escaping.
    @inlinable @inline(__always)
    mutating func append(jsonMember name: StaticString, afterComma: Bool) {
        let count = name.utf8CodeUnitCount
        guard reserve(count &+ 11) else { return }
        // If the comma is not wanted, the quote overwrites it.
        store(UInt64(UInt8(ascii: ",")), counting: afterComma ? 1 : 0)
        store(UInt64(UInt8(ascii: "\"")), counting: 1)
        store(name)
        store(UInt64(UInt8(ascii: "\"")) | UInt64(UInt8(ascii: ":")) << 8, counting: 2)
    }

    @usableFromInline
    mutating func appendJSONEscape(of byte: UInt8) {
        switch byte {
        case UInt8(ascii: "\""): append("\\\"" as StaticString)
        case UInt8(ascii: "\\"): append("\\\\" as StaticString)
        case 0x08: append("\\b" as StaticString)
        case 0x09: append("\\t" as StaticString)
        case 0x0A: append("\\n" as StaticString)
        case 0x0C: append("\\f" as StaticString)
        case 0x0D: append("\\r" as StaticString)
        default:
            append("\\u00" as StaticString)
            append(0x30 + byte >> 4)
            append(byte & 0xF < 10 ? 0x30 + byte & 0xF : 0x57 + byte & 0xF)
        }
    }
}

internal import Bytes

/// Makes one value from the events of a reader.
///
/// It also takes JSON's `null`, because the body of a merge patch has it.
public struct PropertyListValueBuilder: PropertyListConsumer {
    /// An open container, and how much there was when it began.
    private struct Frame {
        let isDictionary: Bool
        let values: Int
        let keys: Int
    }

    private var frames: [Frame] = []
    private var values: [PropertyListValue] = []
    private var keys: [String] = []

    /// A builder that has read nothing.
    public init() {}

    /// The value; nil until it is complete.
    public var value: PropertyListValue? { frames.isEmpty ? values.first : nil }

    public mutating func beginDictionary(at position: SourcePosition) { begin(isDictionary: true) }
    public mutating func key(_ name: Span<UInt8>, at position: SourcePosition) { keys.append(String(utf8: name)) }
    public mutating func endDictionary() { end() }
    public mutating func beginArray(at position: SourcePosition) { begin(isDictionary: false) }
    public mutating func endArray() { end() }
    public mutating func string(_ text: Span<UInt8>) { values.append(.string(String(utf8: text))) }
    public mutating func integer(_ value: PropertyListInteger) { values.append(.integer(value)) }
    public mutating func real(_ value: Double) { values.append(.real(value)) }
    public mutating func boolean(_ value: Bool) { values.append(.boolean(value)) }
    public mutating func date(_ seconds: Double) { values.append(.date(seconds)) }
    public mutating func data(_ bytes: Span<UInt8>) { values.append(.data(Array(copying: bytes))) }
    public mutating func uid(_ value: UInt64) { values.append(.uid(value)) }
    public mutating func null() { values.append(.null) }

    private mutating func begin(isDictionary: Bool) {
        frames.append(Frame(isDictionary: isDictionary, values: values.count, keys: keys.count))
    }

    private mutating func end() {
        guard let frame = frames.popLast() else { return }
        let content = values[frame.values...]
        let value: PropertyListValue
        if frame.isDictionary {
            let entries = zip(keys[frame.keys...], content).map { PropertyListDictionary.Entry(key: $0, value: $1) }
            value = .dictionary(PropertyListDictionary(entries))
            keys.removeSubrange(frame.keys...)
        } else {
            value = .array(Array(content))
        }
        values.removeSubrange(frame.values...)
        values.append(value)
    }
}

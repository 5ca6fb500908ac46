internal import Bytes
internal import Levels
internal import PropertyLists

/// A value of a field as it is compared and written.
struct WrittenValue {
    let value: PropertyListValue

    init(_ value: PropertyListValue) { self.value = value }

    /// The value of a packed field.
    init(_ field: WrittenItem.Field) throws(PropertyListError) {
        var collector = ValueCollector()
        try field.tell(to: &collector)
        value = collector.value ?? .null
    }

    /// Whether both are written alike: texts byte for byte, numbers bit for bit.
    func isSame(as other: WrittenValue) -> Bool {
        switch (value, other.value) {
        case (.string(let one), .string(let other)): one.utf8.elementsEqual(other.utf8)
        case (.real(let one), .real(let other)), (.date(let one), .date(let other)):
            one.bitPattern == other.bitPattern
        case (.array(let ones), .array(let others)):
            ones.count == others.count
                && zip(ones, others).allSatisfy { WrittenValue($0).isSame(as: WrittenValue($1)) }
        case (.dictionary(let one), .dictionary(let other)):
            one.entries.count == other.entries.count
                && zip(one.entries, other.entries).allSatisfy {
                    $0.key.utf8.elementsEqual($1.key.utf8)
                        && WrittenValue($0.value).isSame(as: WrittenValue($1.value))
                }
        case (.integer(let one), .integer(let other)): one == other
        case (.boolean(let one), .boolean(let other)): one == other
        case (.data(let one), .data(let other)): one == other
        case (.uid(let one), .uid(let other)): one == other
        default: false
        }
    }

    /// Sends the value to a consumer.
    func tell<Consumer: PropertyListConsumer & ~Copyable>(to consumer: inout Consumer) throws(PropertyListError) {
        let nowhere = SourcePosition.byte(offset: 0)
        switch value {
        case .string(let text): try consumer.string(Array(text.utf8).span)
        case .integer(let value): try consumer.integer(value)
        case .real(let value): try consumer.real(value)
        case .boolean(let value): try consumer.boolean(value)
        case .date(let seconds): try consumer.date(seconds)
        case .data(let bytes): try consumer.data(bytes.span)
        case .uid(let value): try consumer.uid(value)
        case .null: throw PropertyListError("a property list cannot contain null")
        case .array(let values):
            try consumer.beginArray(at: nowhere)
            for value in values { try WrittenValue(value).tell(to: &consumer) }
            try consumer.endArray()
        case .dictionary(let dictionary):
            try consumer.beginDictionary(at: nowhere)
            for entry in dictionary.entries {
                try consumer.key(Array(entry.key.utf8).span, at: nowhere)
                try WrittenValue(entry.value).tell(to: &consumer)
            }
            try consumer.endDictionary()
        }
    }
}

/// Makes one value from the events of a reader.
struct ValueCollector: PropertyListConsumer {
    private enum Open {
        case array([PropertyListValue])
        case dictionary(PropertyListDictionary, key: String)
    }

    private var open: [Open] = []
    private(set) var value: PropertyListValue?

    private mutating func add(_ value: PropertyListValue) {
        switch open.popLast() {
        case .array(let values): open.append(.array(values + [value]))
        case .dictionary(var dictionary, let key):
            dictionary[key] = value
            open.append(.dictionary(dictionary, key: key))
        case nil: self.value = value
        }
    }

    mutating func beginDictionary(at position: SourcePosition) { open.append(.dictionary(.init(), key: "")) }
    mutating func beginArray(at position: SourcePosition) { open.append(.array([])) }
    mutating func endArray() { end() }
    mutating func endDictionary() { end() }

    private mutating func end() {
        switch open.popLast() {
        case .array(let values): add(.array(values))
        case .dictionary(let dictionary, _): add(.dictionary(dictionary))
        case nil: break
        }
    }

    mutating func key(_ name: Span<UInt8>, at position: SourcePosition) {
        guard case .dictionary(let dictionary, _) = open.popLast() else { return }
        open.append(.dictionary(dictionary, key: String(utf8: name)))
    }

    mutating func string(_ text: Span<UInt8>) { add(.string(String(utf8: text))) }
    mutating func integer(_ value: PropertyListInteger) { add(.integer(value)) }
    mutating func real(_ value: Double) { add(.real(value)) }
    mutating func boolean(_ value: Bool) { add(.boolean(value)) }
    mutating func date(_ seconds: Double) { add(.date(seconds)) }
    mutating func data(_ bytes: Span<UInt8>) { add(.data(Array(copying: bytes))) }
    mutating func uid(_ value: UInt64) { add(.uid(value)) }
}

internal import Bytes
internal import PropertyLists

/// Packs a property list of any type; see `PackedTag` for the format.
struct PackedValueWriter: PropertyListConsumer, ~Copyable {
    private(set) var output = ByteBuffer()
    /// Where the contents of the open containers begin, the innermost last.
    private var open: [Int] = []

    mutating func beginDictionary(at position: SourcePosition) { open.append(output.beginContainer(.dictionary)) }
    mutating func key(_ name: Span<UInt8>, at position: SourcePosition) { output.append(run: name) }
    mutating func endDictionary() throws(PropertyListError) { try end() }
    mutating func beginArray(at position: SourcePosition) { open.append(output.beginContainer(.array)) }
    mutating func endArray() throws(PropertyListError) { try end() }

    private mutating func end() throws(PropertyListError) {
        guard let start = open.popLast() else { return }
        guard UInt32(exactly: output.count - start) != nil else {
            throw PropertyListError("one field holds more than 4 GiB; store large data in separate files")
        }
        output.endContainer(at: start)
    }

    mutating func string(_ text: Span<UInt8>) {
        output.append(PackedTag.string)
        output.append(run: text)
    }

    mutating func integer(_ value: PropertyListInteger) { output.append(packed: value) }
    mutating func real(_ value: Double) { output.append(PackedTag.real, value) }
    mutating func boolean(_ value: Bool) { output.append(value ? PackedTag.yes : .no) }
    mutating func date(_ seconds: Double) { output.append(PackedTag.date, seconds) }

    mutating func data(_ bytes: Span<UInt8>) {
        output.append(PackedTag.data)
        output.append(run: bytes)
    }

    mutating func uid(_ value: UInt64) {
        output.append(PackedTag.uid)
        output.append(packed: value)
    }
}

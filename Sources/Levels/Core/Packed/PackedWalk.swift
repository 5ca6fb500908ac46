internal import Bytes
public import PropertyLists

/// Sends packed fields to a consumer, without recursion and in pieces. `/detail` and `/document` are written with this
/// walk.
public struct PackedWalk {
    /// The open containers, the innermost last.
    private var open: [(end: Int, isDictionary: Bool)] = []

    /// Creates a walk.
    public init() {}

    private static let nowhere = SourcePosition.byte(offset: 0)

    /// Sends the value at `offset`; returns the offset after the value.
    ///
    /// Sends a `hidden` value as the value that it hides. The value must not contain a hole.
    public mutating func tell(
        _ bytes: Span<UInt8>, at offset: Int, to consumer: inout some PropertyListConsumer & ~Copyable
    ) throws(PropertyListError) -> Int {
        var reader = PackedReader(bytes: bytes, at: offset)
        try tellOne(&reader, to: &consumer)
        while !open.isEmpty {
            while let innermost = open.last, reader.offset >= innermost.end {
                open.removeLast()
                if innermost.isDictionary { try consumer.endDictionary() } else { try consumer.endArray() }
            }
            guard let innermost = open.last else { break }
            if innermost.isDictionary { try consumer.key(bytes.extracting(reader.run()), at: Self.nowhere) }
            try tellOne(&reader, to: &consumer)
        }
        return reader.offset
    }

    private mutating func tellOne(
        _ reader: inout PackedReader, to consumer: inout some PropertyListConsumer & ~Copyable
    ) throws(PropertyListError) {
        var tag = PackedTag(rawValue: reader.byte())
        if tag == .hidden { tag = PackedTag(rawValue: reader.byte()) }
        switch tag {
        case .string: try consumer.string(reader.bytes.extracting(reader.run()))
        case .data: try consumer.data(reader.bytes.extracting(reader.run()))
        case .array, .dictionary: try openContainer(&reader, isDictionary: tag == .dictionary, to: &consumer)
        default:
            guard let value = reader.scalar(tag) else {
                throw PropertyListError(reason: "the packed tree is damaged at byte \(reader.offset)")
            }
            try consumer.scalar(value)
        }
    }

    private mutating func openContainer(
        _ reader: inout PackedReader, isDictionary: Bool, to consumer: inout some PropertyListConsumer & ~Copyable
    ) throws(PropertyListError) {
        let size = reader.halfWord()
        if isDictionary {
            try consumer.beginDictionary(at: Self.nowhere)
        } else {
            try consumer.beginArray(at: Self.nowhere)
        }
        open.append((reader.offset + size, isDictionary))
    }
}

/// Packs a property list of any type.
struct PackedValueWriter: PropertyListConsumer, ~Copyable {
    private(set) var output = ByteBuffer()
    /// The starts of the contents of the open containers, the innermost last.
    private var open: [Int] = []

    mutating func beginDictionary(at position: SourcePosition) { open.append(output.beginContainer(.dictionary)) }
    mutating func key(_ name: Span<UInt8>, at position: SourcePosition) { output.append(run: name) }
    mutating func endDictionary() throws(PropertyListError) { try end() }
    mutating func beginArray(at position: SourcePosition) { open.append(output.beginContainer(.array)) }
    mutating func endArray() throws(PropertyListError) { try end() }

    private mutating func end() throws(PropertyListError) {
        guard let start = open.popLast() else { return }
        try output.endContainer(at: start)
    }

    mutating func string(_ text: Span<UInt8>) { output.append(PackedTag.string, content: text) }

    mutating func data(_ bytes: Span<UInt8>) { output.append(PackedTag.data, content: bytes) }
    mutating func scalar(_ value: PropertyListScalar) { output.append(packed: value) }
}

extension ByteBuffer {
    mutating func append(value: PropertyListValue) throws(PropertyListError) {
        var writer = PackedValueWriter()
        try value.tell(to: &writer)
        append(writer.output.span)
    }
}

extension PropertyListDictionary {
    /// Unpacks the fields of an item, without its control and the place of its rows.
    init(packed fields: Range<Int>, of bytes: Span<UInt8>) throws(PropertyListError) {
        self.init()
        for field in PackedField.all(in: fields, of: bytes) where !field.isHole && field.tag != .control {
            self[String(utf8: bytes.extracting(field.name))] = try PropertyListValue(packed: bytes, at: field.value)
        }
    }
}

extension PropertyListValue {
    init(packed bytes: Span<UInt8>, at offset: Int) throws(PropertyListError) {
        var builder = PropertyListValueBuilder()
        var walk = PackedWalk()
        _ = try walk.tell(bytes, at: offset, to: &builder)
        guard let value = builder.value else {
            throw PropertyListError(reason: "the packed tree is damaged at byte \(offset)")
        }
        self = value
    }
}

internal import Bytes
internal import PropertyLists

/// The text that shows for a value of a record: a string itself, any other value as its JSON text.
enum FacetText {
    /// What stands for a value that is absent or empty.
    static var none: StaticString { "(none)" }

    /// Appends the text of the value at an offset to a buffer; nothing without a value.
    static func append(
        _ value: Int?, in bytes: Span<UInt8>, to text: inout ByteBuffer
    ) throws(PropertyListError) {
        guard let value else { return }
        var reader = PackedReader(bytes, at: value)
        switch PackedTag(rawValue: reader.byte()) {
        case .string: text.append(bytes.extracting(reader.run()))
        case .data, .array, .dictionary, .uid: try appendJSON(value, in: bytes, to: &text)
        default: text.append(PackedFieldList.scalarText(at: value, in: bytes) ?? "")
        }
    }

    /// Data shows as its base64, without the quotation marks.
    private static func appendJSON(
        _ value: Int, in bytes: Span<UInt8>, to text: inout ByteBuffer
    ) throws(PropertyListError) {
        var writer = JSONPropertyListWriter()
        var walk = PackedWalk()
        _ = try walk.tell(bytes, at: value, to: &writer)
        let isQuoted = bytes[value] == PackedTag.data.rawValue
        let json = writer.output.span
        text.append(isQuoted ? json.extracting(1..<json.count - 1) : json)
    }
}

import Bytes
import Levels
import PropertyLists

/// Writes the control that a row shows (manual, Settings pages).
enum RowControl {
    /// Writes the member `control` of a row that is one.
    static func write<Writer: AnswerWriter & ~Copyable>(
        _ row: Row, in bytes: Span<UInt8>, to writer: inout Writer
    ) throws(PropertyListError) {
        guard let members = row.control(in: bytes) else { return }
        writer.member("control")
        writer.beginObject()
        var reader = PackedReader(bytes, at: members.lowerBound)
        try write("type", &reader, before: members.upperBound, to: &writer)
        try write("key", &reader, before: members.upperBound, to: &writer)
        try write("value", &reader, before: members.upperBound, to: &writer)
        while reader.offset < members.upperBound { try writeMember(&reader, to: &writer) }
        writer.endObject()
    }

    /// Writes the next member if it has a name, else null under that name.
    private static func write<Writer: AnswerWriter & ~Copyable>(
        _ name: StaticString, _ reader: inout PackedReader, before end: Int, to writer: inout Writer
    ) throws(PropertyListError) {
        var ahead = reader
        guard reader.offset < end, reader.bytes.extracting(ahead.run()).isEqual(to: name) else {
            return writer.nullMember(name)
        }
        try writeMember(&reader, to: &writer)
    }

    private static func writeMember<Writer: AnswerWriter & ~Copyable>(
        _ reader: inout PackedReader, to writer: inout Writer
    ) throws(PropertyListError) {
        let bytes = reader.bytes
        try writer.key(bytes.extracting(reader.run()), at: .byte(offset: 0))
        var walk = PackedWalk()
        reader.offset = try walk.tell(bytes, at: reader.offset, to: &writer)
    }
}

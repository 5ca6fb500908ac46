import Bytes
import Levels
import PropertyLists

/// Tells the fields of an item's row, in document order, without its structure.
enum RowFields {
    static func tell<Writer: AnswerWriter & ~Copyable>(
        _ selection: FieldSelection, of row: Row, in bytes: Span<UInt8>, to writer: inout Writer
    ) throws(PropertyListError) {
        if row.isString {
            guard selection.contains("Title".utf8Span.span) else { return }
            return try writer.member("Title", bytes.extracting(row.title))
        }
        var reader = PackedReader(bytes, at: row.fields.lowerBound)
        while reader.offset < row.fields.upperBound {
            let name = reader.run()
            let tag = bytes[reader.offset]
            // Structure and controls, which are no fields, have the highest tags.
            if tag < PackedTag.hole.rawValue, selection.contains(bytes.extracting(name)) {
                try writer.key(bytes.extracting(name), at: .byte(offset: 0))
                var walk = PackedWalk()
                reader.offset = try walk.tell(bytes, at: reader.offset, to: &writer)
            } else {
                reader.skipValue()
            }
        }
    }
}

import Bytes
import Levels
import PropertyLists

/// Which of an item's fields a row shows (`?fields=`).
enum FieldSelection: Equatable {
    /// `Subtitle`, `Image`, `Kind`, `View`, `Tag`, `Value` and `Type`, as far as the item has them.
    case cell
    case all
    case named(FieldNames)

    @inline(__always)
    func contains(_ name: Span<UInt8>) -> Bool {
        switch self {
        case .cell: Self.isCellField(name)
        case .all: true
        case .named(let names): names.contains(name)
        }
    }

    @inline(__always)
    private static func isCellField(_ name: Span<UInt8>) -> Bool {
        switch (name.count, name.isEmpty ? 0 : name[0]) {
        case (3, UInt8(ascii: "T")): Self.isEqual(name, "Tag")
        case (4, UInt8(ascii: "K")): Self.isEqual(name, "Kind")
        case (4, UInt8(ascii: "V")): Self.isEqual(name, "View")
        case (4, UInt8(ascii: "T")): Self.isEqual(name, "Type")
        case (5, UInt8(ascii: "I")): Self.isEqual(name, "Image")
        case (5, UInt8(ascii: "V")): Self.isEqual(name, "Value")
        case (8, UInt8(ascii: "S")): Self.isEqual(name, "Subtitle")
        default: false
        }
    }

    private static func isEqual(_ name: Span<UInt8>, _ word: StaticString) -> Bool {
        word.withUTF8Buffer { unsafe name.isEqual(to: $0.span) }
    }
}

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
            if tag != PackedTag.hole.rawValue, tag != PackedTag.hidden.rawValue,
                selection.contains(bytes.extracting(name))
            {
                try writer.key(bytes.extracting(name), at: .byte(offset: 0))
                var walk = PackedWalk()
                reader.offset = try walk.tell(bytes, at: reader.offset, to: &writer)
            } else {
                reader.skipValue()
            }
        }
    }
}

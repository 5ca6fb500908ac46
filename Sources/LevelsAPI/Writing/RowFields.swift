import Bytes
import Levels
import PropertyLists

/// Writes the fields of an item's row without its structure, in document order, or in the order of names in a query.
enum RowFields {
    static func tell(
        _ selection: FieldSelection, of row: borrowing RowView, to writer: inout some AnswerWriter & ~Copyable
    ) throws(PropertyListError) {
        var walk = PackedWalk()
        let bytes = row.bytes
        let title = row.title
        try forEach(selection, of: row) { (name, value) throws(PropertyListError) in
            guard let value else {
                try writer.member("Title", title)
                return nil
            }
            try writer.key(name, at: .byte(offset: 0))
            return try walk.tell(bytes, at: value, to: &writer)
        }
    }

    /// Calls a closure with the name of each shown field and the offset of its value; nil for the title of an item that
    /// is a text. The closure returns the offset after the value.
    @inline(__always)
    static func forEach<Failure: Error>(
        _ selection: FieldSelection, of row: borrowing RowView,
        _ visit: (_ name: Span<UInt8>, _ value: Int?) throws(Failure) -> Int?
    ) throws(Failure) {
        let (packed, bytes) = (row.packed, row.bytes)
        if packed.isString {
            let title = "Title".utf8Span.span
            switch selection {
            case .short: return
            case .named(let names) where !names.contains(title): return
            case .all, .named: _ = try visit(title, nil)
            }
            return
        }
        if case .named(let names) = selection { return try packed.forEachField(named: names, in: bytes, visit) }
        let isShort = selection == .short
        var reader = PackedReader(bytes: bytes, at: packed.fields.lowerBound)
        while reader.offset < packed.fields.upperBound {
            let name = reader.run()
            // Structure and controls are not fields; they have the highest tags.
            let isShown = bytes[reader.offset] < PackedTag.hole.rawValue
            if isShown, !isShort || row.showsUnasked(valueAt: reader.offset) {
                reader.offset = try visit(bytes.extracting(name), reader.offset) ?? reader.offset
            } else {
                reader.skipValue()
            }
        }
    }

    /// The offset after a value.
    static func end(ofValueAt offset: Int, in bytes: Span<UInt8>) -> Int {
        var reader = PackedReader(bytes: bytes, at: offset)
        reader.skipValue()
        return reader.offset
    }

    /// The range of a text; nil for any other value.
    static func text(at offset: Int, in bytes: Span<UInt8>) -> Range<Int>? {
        var reader = PackedReader(bytes: bytes, at: offset)
        return reader.byte() == PackedTag.string.rawValue ? reader.run() : nil
    }

    /// The version of an item's own fields, as in `fieldsVersion`.
    static func version(of item: Item) -> String {
        item.own.withRow { row in Version.short(hash(of: row.packed, in: row.bytes)) }
    }

    /// The hash of the fields, from which `fieldsVersion` is made. It is the same in every format, and does not depend
    /// on anything outside the item.
    static func hash(of row: Row, in bytes: Span<UInt8>) -> UInt64 {
        var hash: UInt64 = 0
        if row.isString {
            let title = bytes.extracting(row.title)
            combine("Title".utf8Span.span, tag: PackedTag.string.rawValue, content: title, into: &hash)
            return hash
        }
        var reader = PackedReader(bytes: bytes, at: row.fields.lowerBound)
        while reader.offset < row.fields.upperBound {
            let name = reader.run()
            let start = reader.offset
            let tag = bytes[start]
            reader.skipValue()
            guard tag < PackedTag.hole.rawValue else { continue }
            var content = start + 1..<reader.offset
            if tag == PackedTag.string.rawValue {
                var text = PackedReader(bytes: bytes, at: content.lowerBound)
                content = text.run()
            }
            combine(bytes.extracting(name), tag: tag, content: bytes.extracting(content), into: &hash)
        }
        return hash
    }

    /// Mixes one field into a hash. The order of the fields counts.
    private static func combine(
        _ name: Span<UInt8>, tag: UInt8, content: Span<UInt8>, into hash: inout UInt64
    ) {
        combine(ContentHash.short(of: name), into: &hash)
        combine(UInt64(tag), into: &hash)
        combine(ContentHash.short(of: content), into: &hash)
    }

    /// Mixes a word into a hash. The odd factor (2^64 divided by the golden ratio) and the shift spread every bit to
    /// the lowest bits.
    @inline(__always)
    private static func combine(_ word: UInt64, into hash: inout UInt64) {
        hash = (hash ^ word) &* 0x9E37_79B9_7F4A_7C15
        hash ^= hash >> 32
    }
}

/// Writes the control of a row (manual, Settings pages).
enum RowControl {
    /// The members that every control has; a missing one is null. They are packed in this order, before the others.
    private static let names: [StaticString] = ["type", "key", "value"]

    /// Writes the member `control`, if the row is a control.
    static func write(
        _ row: Row, in bytes: Span<UInt8>, to writer: inout some AnswerWriter & ~Copyable
    ) throws(PropertyListError) {
        guard let members = row.control(in: bytes) else { return }
        writer.beginObject("control")
        var reader = PackedReader(bytes: bytes, at: members.lowerBound)
        for name in names {
            var ahead = reader
            if reader.offset < members.upperBound, bytes.extracting(ahead.run()).isEqual(to: name) {
                try writeMember(&reader, to: &writer)
            } else {
                writer.nullMember(name)
            }
        }
        while reader.offset < members.upperBound { try writeMember(&reader, to: &writer) }
        writer.endObject()
    }

    private static func writeMember(
        _ reader: inout PackedReader, to writer: inout some AnswerWriter & ~Copyable
    ) throws(PropertyListError) {
        let bytes = reader.bytes
        try writer.key(bytes.extracting(reader.run()), at: .byte(offset: 0))
        var walk = PackedWalk()
        reader.offset = try walk.tell(bytes, at: reader.offset, to: &writer)
    }
}

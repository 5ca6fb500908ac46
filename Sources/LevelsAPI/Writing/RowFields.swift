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

    /// The hash of the fields, from which `fieldsVersion` is made: the same in every format, and whatever is around the
    /// item.
    static func hash(of row: Row, in bytes: Span<UInt8>) -> UInt64 {
        var hash: UInt64 = 0
        if row.isString {
            combine("Title".utf8Span.span, .string, bytes.extracting(row.title), into: &hash)
            return hash
        }
        var reader = PackedReader(bytes, at: row.fields.lowerBound)
        while reader.offset < row.fields.upperBound {
            let name = reader.run()
            let start = reader.offset
            reader.skipValue()
            guard let tag = PackedTag(rawValue: bytes[start]), tag.rawValue < PackedTag.hole.rawValue else { continue }
            var content = start + 1..<reader.offset
            if tag == .string {
                var text = PackedReader(bytes, at: content.lowerBound)
                content = text.run()
            }
            combine(bytes.extracting(name), tag, bytes.extracting(content), into: &hash)
        }
        return hash
    }

    /// Mixes one field into a hash. The order counts, so the result also tells apart the same fields in another order.
    private static func combine(
        _ name: Span<UInt8>, _ tag: PackedTag, _ content: Span<UInt8>, into hash: inout UInt64
    ) {
        combine(ContentHash.short(of: name), into: &hash)
        combine(UInt64(tag.rawValue), into: &hash)
        combine(ContentHash.short(of: content), into: &hash)
    }

    /// Every bit reaches the lowest ones: by an odd factor, 2^64 divided by the golden ratio, and a shift.
    @inline(__always)
    private static func combine(_ word: UInt64, into hash: inout UInt64) {
        hash = (hash ^ word) &* 0x9E37_79B9_7F4A_7C15
        hash ^= hash >> 32
    }
}

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

/// Which of an item's fields a row shows (`?fields=`).
enum FieldSelection: Equatable {
    /// Those of `Subtitle`, `Image`, `Kind`, `View`, `Tag`, `Value` and `Type` that the item has.
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
        case (3, UInt8(ascii: "T")): name.isEqual(to: "Tag")
        case (4, UInt8(ascii: "K")): name.isEqual(to: "Kind")
        case (4, UInt8(ascii: "V")): name.isEqual(to: "View")
        case (4, UInt8(ascii: "T")): name.isEqual(to: "Type")
        case (5, UInt8(ascii: "I")): name.isEqual(to: "Image")
        case (5, UInt8(ascii: "V")): name.isEqual(to: "Value")
        case (8, UInt8(ascii: "S")): name.isEqual(to: "Subtitle")
        default: false
        }
    }
}

/// A set of field names. A look-up compares the bytes of a name in place, and takes the same time for any size of set.
struct FieldNames: Equatable {
    private var names: [[UInt8]] = []
    /// The number of a name plus one, or 0 for an empty slot; the length is a power of two, or 0.
    private var slots: [UInt16] = []
    /// A bit for each length of a name; the last bit stands for all lengths from 63 bytes on.
    private var lengths: UInt64 = 0

    /// The maximum number of names in a request; for more, `*` is the better choice.
    static let limit = 256
    /// Sets of up to this many names have no table.
    private static let searched = 8

    /// - Parameter names: at most `limit`; repeated names count once.
    init(_ names: [[UInt8]]) {
        if names.count > Self.searched { slots = Array(repeating: 0, count: 4 * Self.limit) }
        for name in names { insert(name) }
    }

    /// Whether a name is in the set.
    @inline(__always)
    func contains(_ name: Span<UInt8>) -> Bool { lengths & Self.bit(ofLength: name.count) != 0 && find(name) }

    private func find(_ name: Span<UInt8>) -> Bool {
        slots.isEmpty ? names.contains { $0.span.isEqual(to: name) } : slots[slot(of: name)] != 0
    }

    private mutating func insert(_ name: [UInt8]) {
        if !slots.isEmpty {
            let slot = slot(of: name.span)
            guard slots[slot] == 0 else { return }
            slots[slot] = UInt16(names.count + 1)
        }
        names.append(name)
        lengths |= Self.bit(ofLength: name.count)
    }

    /// The slot of a name, or the empty slot for it.
    ///
    /// The hash is seeded differently in each process, so that no client can choose names that all fall into one slot.
    private func slot(of name: Span<UInt8>) -> Int {
        var hasher = Hasher()
        unsafe name.withUnsafeBytes { unsafe hasher.combine(bytes: $0) }
        let mask = slots.count - 1
        var slot = hasher.finalize() & mask
        while slots[slot] != 0 {
            let known = names[Int(slots[slot]) - 1]
            if known.span.isEqual(to: name) { break }
            slot = (slot + 1) & mask
        }
        return slot
    }

    private static func bit(ofLength length: Int) -> UInt64 { 1 &<< UInt64(min(length, 63)) }
}

extension FieldSelection {
    /// Reads the value of `?fields=`.
    ///
    /// - Throws: `Problem` (400) for more names than `FieldNames.limit`.
    init(_ text: String) throws(Problem) {
        if text == "*" {
            self = .all
            return
        }
        let bytes = text.utf8Span.span
        var names: [[UInt8]] = []
        var count = 0
        bytes.forEachPart(dividedBy: UInt8(ascii: ",")) { name in
            count += 1
            if count <= FieldNames.limit { names.append(Array(copying: name)) }
        }
        guard count <= FieldNames.limit else {
            throw .badParameter(
                "fields",
                "'fields' must name at most \(FieldNames.limit) fields, not \(count); '*' selects all of them.")
        }
        self = .named(FieldNames(names))
    }
}

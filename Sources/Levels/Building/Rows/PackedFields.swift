import Bytes
internal import PropertyLists

/// Writes packed fields and values, and drops the earlier value of a repeated key.
///
/// All bytes are on one stack. When a level is complete, its rows are removed from the stack, and the fields of the
/// level's item continue there.
struct PackedFields: ~Copyable {
    var bytes = ByteBuffer(capacity: 1 << 16)
    /// The fields of all open dictionaries, the innermost last.
    private var starts: [Start] = []
    /// The number of fields that a later field with the same name has replaced.
    private var overridden = 0

    /// The tables of large dictionaries, by the number of a dictionary's first field. Each table maps the hash of a
    /// name to the number of the field with this name.
    private var wide: [Int: [UInt64: Int]] = [:]

    /// The maximum number of fields whose names are compared one by one.
    private static let comparedFields = 24

    struct Start {
        /// The offset of the field. A field begins with the length of its name.
        var offset: Int
        var name: Range<Int>
        let meaning: KeyMeaning
        var isOverridden = false
        /// The position of the key, for messages.
        let place: PackedPosition
    }

    var count: Int { starts.count }

    func start(_ field: Int) -> Start { starts[field] }

    /// Begins a field. Earlier fields with the same name are kept.
    @inline(__always)
    mutating func begin(_ name: Span<UInt8>, meaning: KeyMeaning, at position: SourcePosition) {
        let offset = bytes.count
        bytes.append(run: name)
        starts.append(
            Start(
                offset: offset, name: max(bytes.count - name.count, 0)..<bytes.count, meaning: meaning,
                place: PackedPosition(position)))
    }

    /// Begins a field of the dictionary whose first field is `base`. Returns the earlier field with the same name,
    /// which is now overridden; nil if the name is new.
    mutating func begin(
        _ name: Span<UInt8>, meaning: KeyMeaning, base: Int, at position: SourcePosition
    ) -> Int? {
        let earlier = earlierField(name, base: base)
        begin(name, meaning: meaning, at: position)
        if let earlier {
            starts[earlier].isOverridden = true
            overridden += 1
        }
        return earlier
    }

    private mutating func earlierField(_ name: Span<UInt8>, base: Int) -> Int? {
        guard starts.count - base <= Self.comparedFields else { return earlierWideField(name, base: base) }
        var field = starts.count - 1
        while field >= base {
            if isField(field, named: name) { return field }
            field -= 1
        }
        return nil
    }

    private mutating func isField(_ field: Int, named name: Span<UInt8>) -> Bool {
        let known = starts[field]
        return known.name.count == name.count && !known.isOverridden
            && bytes.span.extracting(known.name).isEqual(to: name)
    }

    private mutating func earlierWideField(_ name: Span<UInt8>, base: Int) -> Int? {
        if wide[base] == nil {
            var table: [UInt64: Int] = [:]
            for field in base..<starts.count {
                table[TableHash.of(bytes.span.extracting(starts[field].name))] = field
            }
            wide[base] = table
        }
        let found = wide[base]?.updateValue(starts.count, forKey: TableHash.of(name))
        return found.flatMap { isField($0, named: name) ? $0 : nil }
    }

    /// Closes the dictionary whose first field is `base`, and drops its overridden fields. Returns whether bytes have
    /// moved.
    mutating func close(base: Int) -> Bool {
        if !wide.isEmpty { wide[base] = nil }
        defer { starts.removeSubrange(base...) }
        guard overridden > 0, starts[base...].contains(where: \.isOverridden) else { return false }
        let end = bytes.count
        var kept = ByteBuffer()
        for field in base..<starts.count {
            let next = field + 1 < starts.count ? starts[field + 1].offset : end
            if starts[field].isOverridden {
                overridden -= 1
            } else {
                kept.append(bytes.span.extracting(starts[field].offset..<next))
            }
        }
        bytes.truncate(to: starts[base].offset)
        bytes.append(kept.span)
        return true
    }

    // MARK: Values

    /// Replaces an open dictionary with an archive's UID if `CF$UID` with an integer is its only entry. Returns whether
    /// the dictionary was replaced.
    ///
    /// Formats other than the binary one write UIDs in this way (`CFPropertyList.c`, `parseDictTag`).
    mutating func replaceWithUID(dictionaryAt start: Int) -> Bool {
        let head = Self.uidHeadBytes
        guard bytes.count - start > head, bytes.count - start <= head + 10,
            bytes.span.extracting(start..<start + head).isEqual(to: Self.uidHead.span)
        else { return false }
        var reader = PackedReader(bytes: bytes.span, at: start + head)
        let value = reader.number()
        guard reader.offset == bytes.count else { return false }
        // The tag and four bytes of size precede the content.
        bytes.truncate(to: start - 5)
        bytes.append(packed: .uid(value))
        return true
    }

    /// The packed name `CF$UID` and the tag of an integer. The length is a separate constant, because every dictionary
    /// is checked.
    private static let uidHead: [UInt8] = [6] + Array("CF$UID".utf8) + [PackedTag.positive.rawValue]
    private static let uidHeadBytes = 8

    mutating func hole(_ form: LevelForm) {
        bytes.append(PackedTag.hole)
        bytes.append(form.rawValue)
    }
}

extension PackedFields {
    func textRange(_ value: Int) -> Range<Int>? { PackedReader(bytes: bytes.span, at: value).text }

    /// Returns the range of a title's text. A text stays in place; the text of a number, a date or a Boolean is
    /// appended.
    mutating func titleText(_ value: Int) -> Range<Int> {
        if let range = textRange(value) { return range }
        return loose(scalarText(at: value) ?? "")
    }

    mutating func loose(_ text: String) -> Range<Int> {
        let start = bytes.count
        bytes.append(text)
        return start..<bytes.count
    }

    func scalarText(at value: Int) -> String? { PackedReader(bytes: bytes.span, at: value).scalarText }
}

/// A document position in one word, because every open row and field has a position.
struct PackedPosition: BitwiseCopyable {
    /// The highest bit marks a byte offset; for text, the line is in the bits above the column.
    private let bits: UInt64

    private static let byteFlag: UInt64 = 1 << 63
    private static let columnBits: UInt64 = 31
    private static let columnMask: UInt64 = 1 << columnBits - 1

    static let none = PackedPosition(bits: 0)

    private init(bits: UInt64) { self.bits = bits }

    @inline(__always)
    init(_ position: SourcePosition) {
        switch position {
        case .byte(let offset): bits = Self.byteFlag | UInt64(bitPattern: Int64(offset))
        case .text(let line, let column):
            bits =
                UInt64(bitPattern: Int64(line)) &<< Self.columnBits
                | UInt64(bitPattern: Int64(column)) & Self.columnMask
        }
    }

    var position: SourcePosition? {
        guard bits != 0 else { return nil }
        guard bits & Self.byteFlag == 0 else { return .byte(offset: Int(bits & ~Self.byteFlag)) }
        return .text(line: Int(bits >> Self.columnBits), column: Int(bits & Self.columnMask))
    }
}

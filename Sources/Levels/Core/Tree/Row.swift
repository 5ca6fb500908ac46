import Bytes

/// The parts of one row, as ranges of its level's bytes.
///
/// The packed form of a row is:
///
/// 1. The flags.
/// 2. The length of the title, then either the offset of the title in the fields, or, unless the item is a string, the
///    place of the value that gives the title, and the bytes of the title.
/// 3. The length and the bytes of the key, if the key differs from the title.
/// 4. For a key of its own, the place of the value that gives the key.
/// 5. The fields.
/// 6. For a record, its number in the table.
///
/// The place of a value is its offset in the fields plus 1; 0 if no value of the item gives the title or the key.
///
/// The next row follows.
public struct Row: Sendable {
    /// The title's UTF-8.
    public let title: Range<Int>
    /// The key's UTF-8; equals the title's range if the title is the key.
    public let key: Range<Int>
    /// The packed fields, names and values in document order.
    public let fields: Range<Int>
    /// Where the title comes from: the start of the title in its field, or the offset of a value whose text is the title;
    /// -1 if no field gives the title.
    let titleSource: Int
    /// The offset of the value that gives the key; -1 if no field gives the key.
    let keySource: Int
    let flags: Flags

    struct Flags: OptionSet, Sendable {
        let rawValue: UInt8
        /// The item was written as a string.
        static let isString = Flags(rawValue: 1)
        static let hasOwnKey = Flags(rawValue: 2)
        /// The title is in the row's head, outside of the fields.
        static let hasOwnTitle = Flags(rawValue: 4)
        /// The key does not come from the title.
        static let hasExplicitKey = Flags(rawValue: 8)
        /// The item has `SortBy` or `GroupBy`, which order the level below the item.
        static let arrangesLevel = Flags(rawValue: 16)
        /// The fields end with a control.
        static let isControl = Flags(rawValue: 32)
        /// The row's level is in another file, and not in this tree; see `PartReference`.
        static let isPart = Flags(rawValue: 64)
        /// The item is a record. Its number in the table follows the fields, in four bytes.
        static let hasRecordNumber = Flags(rawValue: 128)

        static let recordNumberBytes = 4
        /// The bits that a builder derives from an item's fields; copies of the row keep them.
        static let marks = Flags(rawValue: 0xF0)
    }

    public var isControl: Bool { flags.contains(.isControl) }

    var isPart: Bool { flags.contains(.isPart) }

    /// Whether the item was written as a string.
    public var isString: Bool { flags.contains(.isString) }

    /// Whether the item has a key that does not come from its title, such as its `Key`.
    public var hasExplicitKey: Bool { flags.contains(.hasExplicitKey) }

    /// Whether the item is a record of a table, so that every key is a field.
    public var isRecord: Bool { flags.contains(.hasRecordNumber) }

    /// The record's number in its table, from 1; 0 for other items.
    func recordNumber(in bytes: Span<UInt8>) -> Int {
        guard isRecord else { return 0 }
        var reader = PackedReader(bytes: bytes, at: fields.upperBound)
        return reader.halfWord()
    }

    /// Reads only the flags of a row.
    @inline(__always)
    static func flags(in bytes: Span<UInt8>, number: Int) -> Flags {
        var table = PackedReader(bytes: bytes, at: number * 4)
        return Flags(rawValue: bytes[table.halfWord()])
    }

    /// Parses a row of the level with these bytes.
    @inline(__always)
    public init(in bytes: Span<UInt8>, number: Int) {
        var table = PackedReader(bytes: bytes, at: number * 4)
        let start = table.halfWord()
        let end = table.halfWord()
        var reader = PackedReader(bytes: bytes, at: start)
        flags = Flags(rawValue: reader.byte())
        let titleLength = Int(reader.number())
        var titleStart = 0
        var titlePlace = 0
        if flags.contains(.hasOwnTitle) {
            if !flags.contains(.isString) { titlePlace = Int(reader.number()) }
            titleStart = reader.offset
            reader.offset += titleLength
        } else {
            titleStart = Int(reader.number())
            titlePlace = titleStart + 1
        }
        let ownKey = flags.contains(.hasOwnKey) ? reader.run() : 0..<0
        let keyPlace = flags.contains(.hasExplicitKey) ? Int(reader.number()) : 0
        fields = reader.offset..<(flags.contains(.hasRecordNumber) ? end - Flags.recordNumberBytes : end)
        if !flags.contains(.hasOwnTitle) { titleStart += reader.offset }
        title = titleStart..<titleStart + titleLength
        key = flags.contains(.hasOwnKey) ? ownKey : title
        titleSource = titlePlace == 0 ? -1 : fields.lowerBound + titlePlace - 1
        keySource = keyPlace == 0 ? -1 : fields.lowerBound + keyPlace - 1
    }
}

extension Row {
    /// The packed members of the row's control, in the order of the answer; nil for a row without a control.
    public func control(in bytes: Span<UInt8>) -> Range<Int>? {
        guard isControl else { return nil }
        guard let control = PackedField.last(in: fields, of: bytes, where: { $0.tag == .control }) else { return nil }
        // The dictionary follows the tag of the control.
        return PackedReader(bytes: bytes, at: control.value + 1).fields
    }
}

extension Row {
    /// Whether the title is inside of the fields.
    var holdsTitleInFields: Bool { !flags.contains(.hasOwnTitle) }
}

import Bytes
public import PropertyLists

/// Packs rows that are not part of a tree into a level, such as the rows of one page of a database.
///
/// The packer neither checks nor changes the keys; all keys must differ.
///
///     var packer = RowPacker()
///     packer.beginRow(key: "1".utf8Span.span, title: "Satie".utf8Span.span)
///     packer.add("Born".utf8Span.span, text: "1866".utf8Span.span)
///     let level = packer.level()
public struct RowPacker: ~Copyable {
    /// The packed rows.
    private var rows = ByteBuffer(capacity: 1 << 12)
    private var starts: [Int] = []
    private var hashes: [UInt64] = []

    /// Creates a packer without rows.
    ///
    /// - Parameter expected: the expected number of rows.
    public init(expecting expected: Int = 0) {
        starts.reserveCapacity(expected)
        hashes.reserveCapacity(expected)
    }

    /// The number of rows so far.
    public var count: Int { starts.count }

    /// Begins a row; its fields follow.
    public mutating func beginRow(key: Span<UInt8>, title: Span<UInt8>) {
        starts.append(rows.count)
        hashes.append(ContentHash.short(of: key))
        let hasOwnKey = !key.isEqual(to: title)
        var flags: Row.Flags = [.hasOwnTitle]
        if hasOwnKey { flags.insert(.hasOwnKey) }
        rows.append(flags.rawValue)
        rows.append(packed: UInt64(title.count))
        // No field gives the title.
        rows.append(0)
        rows.append(title)
        if hasOwnKey { rows.append(run: key) }
    }

    /// Adds a field with a text in UTF-8 to the row.
    public mutating func add(_ name: Span<UInt8>, text: Span<UInt8>) {
        rows.append(run: name)
        rows.append(PackedTag.string, content: text)
    }

    /// Adds a field with data to the row.
    public mutating func add(_ name: Span<UInt8>, data: Span<UInt8>) {
        rows.append(run: name)
        rows.append(PackedTag.data, content: data)
    }

    /// Adds a field with an integer to the row.
    public mutating func add(_ name: Span<UInt8>, integer: Int64) {
        rows.append(run: name)
        rows.append(integer < 0 ? PackedTag.negative : .positive)
        rows.append(packed: integer.magnitude)
    }

    /// Adds a field with a number, a date or a Boolean to the row.
    public mutating func add(_ name: Span<UInt8>, _ value: PropertyListScalar) {
        rows.append(run: name)
        rows.append(packed: value)
    }

    /// Adds a field with any value to the row.
    public mutating func add(_ name: Span<UInt8>, value: PropertyListValue) throws(PropertyListError) {
        rows.append(run: name)
        try rows.append(value: value)
    }

    /// Adds a row of another level.
    public mutating func addRow(_ number: Int, of level: Level) {
        let bytes = level.bytes
        starts.append(rows.count)
        hashes.append(level.keyHash(number))
        rows.append(bytes.span.extracting(level.packed(number..<number + 1)))
    }

    /// Returns the level of the rows; nil if the memory does not suffice, or the level would exceed 4 GiB.
    public consuming func level() -> Level? {
        let isShort = starts.count <= KeyIndex.searchedRows
        let head = (starts.count + 1) * 4 + (isShort ? starts.count : 0)
        guard !rows.isIncomplete, head + rows.count <= Int(UInt32.max) else { return nil }
        var table = ByteBuffer(capacity: head)
        for start in starts { table.append(halfWord: UInt32(head + start)) }
        table.append(halfWord: UInt32(head + rows.count))
        if isShort { for hash in hashes { table.append(KeyIndex.fingerprint(hash)) } }
        guard !table.isIncomplete else { return nil }
        var bytes: [UInt8] = []
        bytes.reserveCapacity(head + rows.count)
        bytes.append(copying: table.span)
        bytes.append(copying: rows.span)
        var index = KeyIndex(rowCount: starts.count)
        if !isShort {
            for (row, hash) in hashes.enumerated() {
                _ = index.insert(row, hash: hash) { other in
                    hashes[other] == hash
                        && bytes.span.extracting(Row(in: bytes.span, number: other).key)
                            .isEqual(to: bytes.span.extracting(Row(in: bytes.span, number: row).key))
                }
            }
        }
        return Level(
            bytes: bytes, children: [], sections: [], keyIndex: index, form: .rows, mayHoldTextBeyondXML: false)
    }
}

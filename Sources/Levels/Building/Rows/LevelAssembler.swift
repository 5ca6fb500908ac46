internal import Bytes
internal import Heap
internal import PropertyLists

/// Makes a level from gathered rows: determines the keys of the rows, packs the rows and hashes the level.
struct LevelAssembler: ~Copyable {
    private var output = ByteBuffer(capacity: 1 << 16)
    private var keys = SiblingKeys()
    private let pool: LevelPool?

    init(pool: LevelPool?) { self.pool = pool }

    /// The parts of a level besides its rows.
    struct Parts {
        var children: [Level?] = []
        var sections: [Section] = []
        var form = LevelForm.rows
        /// Whether the rows must be searched for text that XML cannot represent.
        var mayHoldTextBeyondXML = false
        /// The start of the rows in the document, for errors that concern all rows.
        var position: SourcePosition?
    }

    /// The title that the largest number of rows in the last level share; nil if all titles differ.
    private(set) var repeatedTitle: RepeatedTitle?

    /// Makes a level of rows, which keep their order. The ranges of the rows refer to `source`.
    ///
    /// The time is linear in the rows and bytes. If the pool contains an equal level, returns that level.
    ///
    /// - Throws: `PropertyListError` if two rows have the same `Key`, too many keys share a hash, the level exceeds 4
    ///   GiB, or the memory does not suffice.
    mutating func assemble(
        _ rows: Span<PendingRow>, from source: Span<UInt8>, parts: Parts
    ) throws(PropertyListError) -> Level {
        do throws(TreeError) {
            return try level(of: rows, from: source, parts: parts)
        } catch {
            guard error != .outOfMemory else { throw .outOfMemory }
            throw PropertyListError(reason: error.description, at: error.position ?? parts.position)
        }
    }

    /// Like `assemble`, but throws an error that an edit can handle.
    mutating func level(
        of rows: Span<PendingRow>, from source: Span<UInt8>, parts: Parts
    ) throws(TreeError) -> Level {
        guard rows.count < Self.fewRows || MemoryBudget.hasRoom(for: rows.count * Self.bytesOfRow) else {
            throw .outOfMemory
        }
        let index = try keys.settle(
            rows, in: source, shown: rows.count - Section.hiddenRows(in: parts.sections),
            allowsSharedKeys: parts.form.allowsSharedKeys)
        repeatedTitle = keys.repeatedTitle
        output.truncate(to: 0)
        for _ in 0...rows.count { output.append(halfWord: 0) }
        if rows.count <= KeyIndex.searchedRows { for row in rows.indices { output.append(keys.fingerprint(of: row)) } }
        var marks: Row.Flags = []
        var size = 0
        for row in rows.indices {
            marks.formUnion(rows[row].marks)
            size += rows[row].fields.count
        }
        let level = Level(
            bytes: size > Self.mostBytesPackedTwice
                ? try packedOnce(rows, from: source) : try packed(rows, from: source),
            children: parts.children, sections: parts.sections, keyIndex: index, form: parts.form,
            mayHoldTextBeyondXML: parts.mayHoldTextBeyondXML, rowsHoldParts: marks.contains(.isPart),
            mayHoldOrders: marks.contains(.arrangesLevel))
        return pool?.adopt(level) ?? level
    }

    // MARK: Packing

    /// The maximum size of rows that are packed in `output` and then copied. For larger rows, the memory may not
    /// suffice for two copies.
    private static let mostBytesPackedTwice = 1 << 20

    /// Packs the rows after the table in `output`.
    private mutating func packed(_ rows: Span<PendingRow>, from source: Span<UInt8>) throws(TreeError) -> [UInt8] {
        for number in rows.indices {
            try mark(number, at: output.count)
            Self.append(rows[number], key: keys.ownKey(of: number), from: source, to: &output)
        }
        try mark(rows.count, at: output.count)
        try checkRoom(for: output.count)
        return Array(copying: output.span)
    }

    /// Like `packed`, but without a second copy of the fields; a first pass measures the rows.
    private mutating func packedOnce(_ rows: Span<PendingRow>, from source: Span<UInt8>) throws(TreeError) -> [UInt8] {
        let table = output.count
        var size = table
        for number in rows.indices {
            try mark(number, at: size)
            let row = rows[number]
            Self.appendHead(of: row, key: keys.ownKey(of: number), from: source, to: &output)
            size += output.count - table + row.fields.count
            if row.recordNumber > 0 { size += Row.Flags.recordNumberBytes }
            output.truncate(to: table)
        }
        try mark(rows.count, at: size)
        try checkRoom(for: size)
        var bytes: [UInt8] = []
        bytes.reserveCapacity(size)
        bytes.append(copying: output.span)
        for number in rows.indices {
            let row = rows[number]
            output.truncate(to: 0)
            Self.appendHead(of: row, key: keys.ownKey(of: number), from: source, to: &output)
            bytes.append(copying: output.span)
            bytes.append(copying: source.extracting(row.fields))
            guard row.recordNumber > 0 else { continue }
            output.truncate(to: 0)
            output.append(halfWord: row.recordNumber)
            bytes.append(copying: output.span)
        }
        guard !output.isIncomplete else { throw .outOfMemory }
        return bytes
    }

    /// Like `assemble`, for a builder's rows from number `base` on.
    mutating func assemble(
        _ rows: borrowing [PendingRow], from base: Int, in source: borrowing ByteBuffer, parts: Parts
    ) throws(PropertyListError) -> Level {
        try assemble(rows.span.extracting(base..<rows.count), from: source.span, parts: parts)
    }

    /// Levels with fewer rows and bytes than these are packed without asking the `MemoryBudget`.
    private static let fewRows = 4_096
    private static let fewBytes = 256 << 10
    /// The memory that one row takes in the keys, the key index and the list of levels below, including the growth of
    /// these.
    private static let bytesOfRow = 96

    /// Checks that the packed rows are complete, and can be copied.
    private func checkRoom(for bytes: Int) throws(TreeError) {
        guard !output.isIncomplete, bytes < Self.fewBytes || MemoryBudget.hasRoom(for: bytes) else {
            throw .outOfMemory
        }
    }

    private mutating func mark(_ number: Int, at place: Int) throws(TreeError) {
        guard let offset = UInt32(exactly: place) else { throw .levelTooLarge }
        output.replace(at: number * 4, halfWord: offset)
    }

    /// Packs a row in the form that `Row` describes. The key is nil if the title is the key.
    static func append(
        _ row: PendingRow, key: [UInt8]?, from source: Span<UInt8>, to output: inout ByteBuffer
    ) {
        appendHead(of: row, key: key, from: source, to: &output)
        output.append(source.extracting(row.fields))
        if row.recordNumber > 0 { output.append(halfWord: row.recordNumber) }
    }

    /// Packs the head of a row, before its fields.
    ///
    /// The head always contains an empty title: although an empty title is not part of any field, its offset would
    /// depend on the fields before it.
    private static func appendHead(
        of row: PendingRow, key: [UInt8]?, from source: Span<UInt8>, to output: inout ByteBuffer
    ) {
        let title = source.extracting(row.title)
        let ownsTitle =
            title.isEmpty || row.title.lowerBound < row.fields.lowerBound
            || row.title.upperBound > row.fields.upperBound
        var flags = row.marks
        // With the flag but without a number, the fields of the parsed row would end four bytes too early.
        if row.recordNumber == 0 { flags.remove(.hasRecordNumber) }
        if ownsTitle { flags.insert(.hasOwnTitle) }
        if row.isString { flags.insert(.isString) }
        if key != nil { flags.insert(.hasOwnKey) }
        if row.explicitKey != nil { flags.insert(.hasExplicitKey) }
        output.append(flags.rawValue)
        output.append(packed: UInt64(title.count))
        if ownsTitle {
            if !row.isString { output.append(packed: row.place(of: row.titleSource)) }
            output.append(title)
        } else {
            output.append(packed: UInt64(row.title.lowerBound - row.fields.lowerBound))
        }
        if let key {
            output.append(packed: UInt64(key.count))
            output.append(key.span)
        }
        if row.explicitKey != nil { output.append(packed: row.place(of: row.keySource)) }
    }
}

/// A row of an incomplete level, as ranges of the gathered bytes.
struct PendingRow {
    var fields: Range<Int>
    /// The range of the title: inside `fields` if the title is a text in a field, otherwise outside of `fields`.
    var title: Range<Int>
    /// The offset of the value that gives the title; -1 if there is none. Counts only if the title is outside of `fields`.
    var titleSource = -1
    var explicitKey: Range<Int>?
    /// The offset of the value that gives the explicit key; -1 if there is none.
    var keySource = -1
    var isString = false
    /// Some of `Row.Flags.marks`.
    var marks: Row.Flags = []
    /// The number of a record in its table, from 1; 0 if the row is not a record.
    var recordNumber: UInt32 = 0
    var place = PackedPosition.none

    /// The place of a value, as in the head of a packed row.
    fileprivate func place(of source: Int) -> UInt64 { source < 0 ? 0 : UInt64(source - fields.lowerBound + 1) }
}

/// The levels of an older snapshot by their content, so that a new tree can share the unchanged levels.
///
/// A reload thus needs memory only for the changes, and a comparison of two trees stops at shared levels.
public final class LevelPool {
    private var levels: [ContentHash: Level] = [:]
    /// The older document.
    public let document: Level
    /// What was decided about the older document, if it was read as it is.
    public let kept: KeptReading?

    /// Collects all levels of a tree, in linear time and without recursion.
    public init(_ document: Level, kept: KeptReading? = nil) {
        self.document = document
        self.kept = kept
        var waiting = [document]
        while let level = waiting.popLast() {
            levels[level.hash] = level
            for child in level.children {
                if let child { waiting.append(child) }
            }
        }
    }

    /// Returns the old level with the same content, or else the new level.
    public func adopt(_ level: Level) -> Level { levels[level.hash] ?? level }
}

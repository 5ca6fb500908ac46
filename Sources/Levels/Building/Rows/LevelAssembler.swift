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
            throw Self.error(error, in: parts)
        }
    }

    /// Like `assemble`, for the rows from number `base` on of a builder's stack. Removes these rows, and the bytes from
    /// `start` on.
    ///
    /// The memory of a large level's rows is freed while they are packed, so that they do not take memory twice.
    mutating func assemble(
        _ rows: inout ValueStack<PendingRow>, from base: Int, in source: inout ByteBuffer, from start: Int,
        parts: Parts
    ) throws(PropertyListError) -> Level {
        let heads: Heads
        do throws(TreeError) {
            heads = try packHeads(of: rows.span.extracting(base..<rows.count), from: source.span, parts: parts)
        } catch {
            throw Self.error(error, in: parts)
        }
        let bytes = unsafe [UInt8](unsafeUninitializedCapacity: heads.size) { target, count in
            let target = UnsafeMutableRawBufferPointer(target)
            var end = heads.end
            if heads.size >= Self.largeBytes, heads.isOrdered {
                let step = (rows.count - base) / Self.steps + 1
                while rows.count > base + step {
                    let first = rows.count - step
                    unsafe pack(rows.span.extracting(first..<rows.count), from: source.span, before: &end, in: target)
                    source.shrink(to: rows[first].fields.lowerBound)
                    rows.shrink(to: first)
                }
            }
            unsafe pack(rows.span.extracting(base..<rows.count), from: source.span, before: &end, in: target)
            rows.truncate(to: base)
            source.truncate(to: start)
            count = heads.size
        }
        return level(of: bytes, heads: heads, parts: parts)
    }

    /// Like `assemble`, but throws an error that an edit can handle.
    mutating func level(
        of rows: Span<PendingRow>, from source: Span<UInt8>, parts: Parts
    ) throws(TreeError) -> Level {
        let heads = try packHeads(of: rows, from: source, parts: parts)
        let bytes = unsafe [UInt8](unsafeUninitializedCapacity: heads.size) { target, count in
            var end = heads.end
            unsafe pack(rows, from: source, before: &end, in: UnsafeMutableRawBufferPointer(target))
            count = heads.size
        }
        return level(of: bytes, heads: heads, parts: parts)
    }

    private mutating func level(of bytes: [UInt8], heads: Heads, parts: Parts) -> Level {
        if heads.size >= Self.largeBytes { output = ByteBuffer(capacity: 1 << 16) }
        let level = Level(
            bytes: bytes, children: parts.children, sections: parts.sections, keyIndex: heads.index, form: parts.form,
            mayHoldTextBeyondXML: parts.mayHoldTextBeyondXML, rowsHoldParts: heads.marks.contains(.isPart),
            mayHoldOrders: heads.marks.contains(.arrangesLevel))
        return pool?.adopt(level) ?? level
    }

    private static func error(_ error: TreeError, in parts: Parts) -> PropertyListError {
        guard error != .outOfMemory else { return .outOfMemory }
        return PropertyListError(reason: error.description, at: error.position ?? parts.position)
    }

    // MARK: Packing

    /// The size from which the memory of rows is freed while they are packed, in this number of steps.
    private static let largeBytes = 1 << 20
    private static let steps = 64

    /// A level whose table of offsets and heads are packed in `output`.
    private struct Heads {
        let index: KeyIndex
        var marks: Row.Flags = []
        /// Whether the fields of each row are behind those of the row before.
        var isOrdered = true
        /// The size of the level.
        var size = 0
        /// The end of all rows.
        var end = End()

        /// The end of the rows that are still to be packed: their number, the end of their heads in `output`, and the end
        /// of the last row in the level.
        struct End {
            var row = 0
            var head = 0
            var byte = 0
        }
    }

    /// Determines the keys of the rows, and packs the heads of the rows after the table in `output`.
    private mutating func packHeads(
        of rows: Span<PendingRow>, from source: Span<UInt8>, parts: Parts
    ) throws(TreeError) -> Heads {
        guard rows.count < Self.fewRows || MemoryBudget.hasRoom(for: rows.count * Self.bytesOfRow) else {
            throw .outOfMemory
        }
        var heads = Heads(
            index: try keys.settle(
                rows, in: source, shown: rows.count - Section.hiddenRows(in: parts.sections),
                allowsSharedKeys: parts.form.allowsSharedKeys))
        repeatedTitle = keys.repeatedTitle
        output.truncate(to: 0)
        for _ in 0...rows.count { output.append(halfWord: 0) }
        if rows.count <= KeyIndex.searchedRows { for row in rows.indices { output.append(keys.fingerprint(of: row)) } }
        var (size, end) = (output.count, 0)
        for number in rows.indices {
            let row = rows[number]
            let head = output.count
            try mark(number, at: size)
            Self.appendHead(of: row, key: keys.ownKey(of: number, row: row, in: source), from: source, to: &output)
            size += output.count - head + row.fields.count
            if row.recordNumber > 0 { size += Row.Flags.recordNumberBytes }
            heads.marks.formUnion(row.marks)
            heads.isOrdered = heads.isOrdered && row.fields.lowerBound >= end
            end = row.fields.upperBound
        }
        try mark(rows.count, at: size)
        guard !output.isIncomplete, size < Self.fewBytes || MemoryBudget.hasRoom(for: size) else { throw .outOfMemory }
        heads.size = size
        heads.end = Heads.End(row: rows.count, head: output.count, byte: size)
        return heads
    }

    /// Packs rows before `end`, from the last row to the first one, and the table before the first row of the level.
    private func pack(
        _ rows: Span<PendingRow>, from source: Span<UInt8>, before end: inout Heads.End,
        in target: UnsafeMutableRawBufferPointer
    ) {
        for number in rows.indices.reversed() {
            let row = rows[number]
            end.row -= 1
            var offset = PackedReader(bytes: output.span, at: end.row * 4)
            let start = offset.halfWord()
            if row.recordNumber > 0 {
                end.byte -= Row.Flags.recordNumberBytes
                unsafe target.storeBytes(of: row.recordNumber.littleEndian, toByteOffset: end.byte, as: UInt32.self)
            }
            end.byte -= row.fields.count
            unsafe target.copy(source.extracting(row.fields), to: end.byte)
            let head = end.head - (end.byte - start)..<end.head
            unsafe target.copy(output.span.extracting(head), to: start)
            (end.head, end.byte) = (head.lowerBound, start)
        }
        if end.row == 0 { unsafe target.copy(output.span.extracting(0..<end.head), to: 0) }
    }

    /// Levels with fewer rows and bytes than these are packed without asking the `MemoryBudget`.
    private static let fewRows = 4_096
    private static let fewBytes = 256 << 10
    /// The memory that one row takes in the keys, the key index and the list of levels below, including the growth of
    /// these.
    private static let bytesOfRow = 96

    private mutating func mark(_ number: Int, at place: Int) throws(TreeError) {
        guard let offset = UInt32(exactly: place) else { throw .levelTooLarge }
        output.replace(at: number * 4, halfWord: offset)
    }

    /// Packs a row in the form that `Row` describes. The key is nil if the title is the key.
    static func append(
        _ row: PendingRow, key: Span<UInt8>?, from source: Span<UInt8>, to output: inout ByteBuffer
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
        of row: PendingRow, key: Span<UInt8>?, from source: Span<UInt8>, to output: inout ByteBuffer
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
            if !row.isString { output.append(packed: UInt64(row.titlePlace)) }
            output.append(title)
        } else {
            output.append(packed: UInt64(row.title.lowerBound - row.fields.lowerBound))
        }
        if let key {
            output.append(run: key)
        }
        if row.explicitKey != nil { output.append(packed: UInt64(row.keyPlace)) }
    }
}

extension UnsafeMutableRawBufferPointer {
    /// Copies bytes to an offset.
    func copy(_ bytes: Span<UInt8>, to offset: Int) {
        unsafe bytes.withUnsafeBytes { source in
            unsafe UnsafeMutableRawBufferPointer(rebasing: self[offset..<offset + source.count]).copyMemory(
                from: source)
        }
    }
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

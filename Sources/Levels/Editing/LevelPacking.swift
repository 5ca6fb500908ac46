import Bytes
internal import Heap
internal import PropertyLists

extension LevelDraft {
    /// Packs the level, and the changed levels below it.
    ///
    /// The result equals the level that a builder makes of the edited document, including all hashes and keys. Returns
    /// the old level if nothing has changed.
    ///
    /// - Throws: `TreeError` if two rows have the same `Key`, the level becomes too large or the memory does not
    ///   suffice.
    package mutating func level() throws(TreeError) -> Level {
        if let packed { return packed }
        try packBelow()
        var packing = try LevelPacking(self)
        let level = try packing.level()
        packed = level.hash == old.hash ? old : level
        return packed ?? old
    }
}

/// Packs the level of a draft. Old rows are copied in packed form, unless their keys change.
private struct LevelPacking: ~Copyable {
    private let draft: LevelDraft
    private let old: Level
    /// The keys that may have changed, by row.
    private let keys: [Int: [UInt8]]
    private let rows: [LevelDraft.Run]
    private let sections: [Section]
    private var gathered: RowGatherer
    /// The packed rows that are not copied from the old level.
    private var packed = ByteBuffer(capacity: 256)
    private var runs: [Run] = []
    /// The marks of these rows.
    private var marks: Row.Flags = []
    private var holdsTextBeyondXML = false

    /// Consecutive rows of the old level, or a packed row.
    private struct Run {
        var rows: Range<Int>
        var bytes: Range<Int>
        let isOld: Bool
    }

    init(_ draft: LevelDraft) throws(TreeError) {
        self.draft = draft
        old = draft.old
        rows = draft.runs(in: 0..<draft.rowCount)
        try Self.checkSize(of: rows, in: draft)
        keys = try draft.rekeyed()
        sections = draft.sections.holding(
            draft.counts, listed: draft.listedSections, rowsName: draft.names.newRowsName)
        gathered = RowGatherer(draft.names)
    }

    mutating func level() throws(TreeError) -> Level {
        gather()
        let children = children()
        if runs.allSatisfy(\.isOld), runs.count <= 1, draft.rowCount == old.rowCount, sections == old.allSections {
            return children.elementsEqual(old.children, by: ===) ? old : old.replacing(children: children)
        }
        let bytes = try bytes()
        return Level(
            bytes: bytes, children: children, sections: sections, keyIndex: try index(of: bytes), form: old.form,
            ownHash: ContentHash(of: bytes.span), rowsHoldTextBeyondXML: rowsHoldTextBeyondXML(bytes),
            rowsHoldParts: rowsHoldParts, mayHoldOrders: old.mayHoldOrders || marks.contains(.arrangesLevel))
    }

    /// Refuses a level that is too large, before the level takes memory. The size is an estimate; packing checks the
    /// exact size.
    private static func checkSize(of rows: [LevelDraft.Run], in draft: LevelDraft) throws(TreeError) {
        var size = (draft.rowCount + 1) * 4
        for run in rows {
            switch run {
            case .old(let rows): size += draft.old.packed(rows).count
            case .item(let item): size += item.step.level.row(item.step.row).fields.count
            }
        }
        guard size <= UInt32.max else { throw .levelTooLarge }
        // Changed rows take memory three times, as gathered, packed and copied bytes, and every row takes some more.
        let needed = 3 * size + draft.rowCount * 64
        guard needed < 1 << 20 || MemoryBudget.hasRoom(for: needed) else { throw .outOfMemory }
    }

    // MARK: Rows

    private mutating func gather() {
        let changed = keys.keys.sorted()
        var (number, next) = (0, 0)
        for run in rows {
            switch run {
            case .old(var rows):
                let end = number + rows.count
                while next < changed.count, changed[next] < end {
                    let row = rows.lowerBound + changed[next] - number
                    if let key = keys[changed[next]], !hasKey(key, row) {
                        copy(rows.lowerBound..<row)
                        append(gathered.gather(old, number: row), key: key)
                        rows = row + 1..<rows.upperBound
                        number = changed[next] + 1
                    }
                    next += 1
                }
                copy(rows)
                number = end
            case .item(let item):
                append(item, key: keys[number])
                number += 1
                if next < changed.count, changed[next] < number { next += 1 }
            }
        }
    }

    private func hasKey(_ key: [UInt8], _ row: Int) -> Bool {
        let bytes = old.bytes
        return bytes.span.extracting(old.row(row).key).isEqual(to: key.span)
    }

    private mutating func copy(_ rows: Range<Int>) {
        guard !rows.isEmpty else { return }
        if let last = runs.last, last.isOld, last.rows.upperBound == rows.lowerBound {
            runs[runs.count - 1].rows = last.rows.lowerBound..<rows.upperBound
        } else {
            runs.append(Run(rows: rows, bytes: 0..<0, isOld: true))
        }
    }

    private mutating func append(_ item: ItemDraft, key: [UInt8]?) {
        if let place = item.place, item.isPacked(as: place, of: old), key.map({ hasKey($0, place) }) ?? true {
            return copy(place..<place + 1)
        }
        let row = gathered.gather(item)
        holdsTextBeyondXML = holdsTextBeyondXML || Self.holdsTextBeyondXML(row, in: gathered)
        append(row, key: key ?? item.place.map { Array(old.bytes[old.row($0).key]) } ?? item.naturalKey)
    }

    private mutating func append(_ row: PendingRow, key: [UInt8]) {
        marks.formUnion(row.marks)
        let start = packed.count
        Self.pack(row, key: key, from: gathered, to: &packed)
        runs.append(Run(rows: 0..<1, bytes: start..<packed.count, isOld: false))
    }

    private static func pack(
        _ row: PendingRow, key: [UInt8], from gathered: borrowing RowGatherer, to packed: inout ByteBuffer
    ) {
        let isOwn = row.explicitKey != nil || !gathered.bytes.span.extracting(row.title).isEqual(to: key.span)
        LevelAssembler.append(row, key: isOwn ? key.span : nil, from: gathered.bytes.span, to: &packed)
    }

    private static func holdsTextBeyondXML(_ row: PendingRow, in gathered: borrowing RowGatherer) -> Bool {
        let bytes = gathered.bytes.span
        return row.isString
            ? XMLText.holdsMoreThanXML(bytes.extracting(row.title)) : TextBeyondXML.isAmong(row.fields, of: bytes)
    }

    /// The levels below the rows; empty if all rows are leaves.
    private func children() -> [Level?] {
        let arrives = rows.contains { if case .item(let item) = $0 { item.below != nil } else { false } }
        guard arrives || !old.children.isEmpty else { return [] }
        var children: [Level?] = []
        children.reserveCapacity(draft.rowCount)
        for run in rows {
            switch run {
            case .old(let rows) where old.children.isEmpty:
                children.append(contentsOf: repeatElement(nil, count: rows.count))
            case .old(let rows): children.append(contentsOf: old.children[rows])
            case .item(let item): children.append(item.below)
            }
        }
        return arrives || children.contains { $0 != nil } ? children : []
    }

    // MARK: Bytes

    private mutating func bytes() throws(TreeError) -> [UInt8] {
        let isSearched = draft.rowCount <= KeyIndex.searchedRows
        let table = (draft.rowCount + 1) * 4 + (isSearched ? draft.rowCount : 0)
        for number in runs.indices where runs[number].isOld { runs[number].bytes = old.packed(runs[number].rows) }
        let size = runs.reduce(table) { $0 + $1.bytes.count }
        guard !packed.isIncomplete, !gathered.bytes.isIncomplete else { throw .outOfMemory }
        guard size <= UInt32.max else { throw .levelTooLarge }
        let (source, new) = (old.bytes, packed.span)
        var bytes = unsafe [UInt8](unsafeUninitializedCapacity: size) { target, count in
            let target = UnsafeMutableRawBufferPointer(target)
            var (entry, offset) = (0, table)
            for run in runs {
                unsafe Self.writeOffsets(of: run, at: offset, in: source.span, to: target, from: entry)
                unsafe target.copy((run.isOld ? source.span : new).extracting(run.bytes), to: offset)
                entry += run.rows.count
                offset += run.bytes.count
            }
            unsafe target.storeBytes(of: UInt32(size).littleEndian, toByteOffset: entry * 4, as: UInt32.self)
            // The fingerprints of keys are written below, once the rows can be read.
            for byte in (entry + 1) * 4..<table { unsafe target[byte] = 0 }
            count = size
        }
        if isSearched {
            for row in 0..<draft.rowCount {
                let hash = ContentHash.short(of: bytes.span.extracting(Row(in: bytes.span, number: row).key))
                bytes[(draft.rowCount + 1) * 4 + row] = KeyIndex.fingerprint(hash)
            }
        }
        return bytes
    }

    /// Writes the offsets of the rows of a run; the first row is at `offset`.
    private static func writeOffsets(
        of run: Run, at offset: Int, in source: Span<UInt8>, to target: UnsafeMutableRawBufferPointer, from entry: Int
    ) {
        guard run.isOld else {
            return unsafe target.storeBytes(of: UInt32(offset).littleEndian, toByteOffset: entry * 4, as: UInt32.self)
        }
        let distance = UInt32(truncatingIfNeeded: offset - run.bytes.lowerBound)
        unsafe source.withUnsafeBytes { source in
            for (number, row) in run.rows.enumerated() {
                let old = unsafe UInt32(littleEndian: source.loadUnaligned(fromByteOffset: row * 4, as: UInt32.self))
                unsafe target.storeBytes(
                    of: (old &+ distance).littleEndian, toByteOffset: (entry + number) * 4, as: UInt32.self)
            }
        }
    }

    // MARK: Properties of the rows

    /// The key index of the new rows, which is the old index if no key or place has changed.
    private func index(of bytes: [UInt8]) throws(TreeError) -> KeyIndex {
        if draft.changedKeys.isEmpty { return old.keyIndex }
        var index = KeyIndex(rowCount: draft.rowCount)
        guard draft.rowCount > KeyIndex.searchedRows else { return index }
        let hashes = (0..<draft.shownCount).map { number in
            ContentHash.short(of: bytes.span.extracting(Row(in: bytes.span, number: number).key))
        }
        for (number, hash) in hashes.enumerated() {
            var collisions = 0
            _ = index.insert(number, hash: hash) { other in
                if hashes[other] == hash { collisions += 1 }
                return false
            }
            guard collisions <= SiblingKeys.mostCollisions else {
                throw .equalHashes(limit: SiblingKeys.mostCollisions)
            }
        }
        return index
    }

    /// Whether the rows contain text that XML cannot represent. Searches all rows only if a row with such text was
    /// removed or changed.
    private func rowsHoldTextBeyondXML(_ bytes: [UInt8]) -> Bool {
        if holdsTextBeyondXML { return true }
        guard old.rowsHoldTextBeyondXML else { return false }
        var next = 0
        for run in runs where run.isOld {
            if (next..<run.rows.lowerBound).contains(where: old.holdsTextBeyondXML(inRow:)) { break }
            next = run.rows.upperBound
        }
        guard (next..<old.rowCount).contains(where: old.holdsTextBeyondXML(inRow:)) else { return true }
        return TextBeyondXML.isIn(rowsOf: bytes, count: draft.rowCount, sections: sections, form: old.form)
    }

    /// Whether the level below any row comes from another file.
    private var rowsHoldParts: Bool {
        marks.contains(.isPart)
            || old.rowsHoldParts && runs.contains { $0.isOld && $0.rows.contains { old.row($0).isPart } }
    }
}

import Bytes
internal import PropertyLists

/// Makes a level by copying rows whose keys do not change.
extension ArrangedLevel {
    /// A run of rows of the new level, with the range of their bytes.
    private struct Run {
        /// The numbers of the rows. Old rows are numbered as in the old level; new rows are numbered among themselves.
        let rows: Range<Int>
        let packed: Range<Int>
        let isOld: Bool
    }

    func spliced(_ keys: [ArrivingKey]) throws(TreeError) -> Level {
        var packed = ByteBuffer(capacity: 256)
        let bytes = try splicedBytes(runs(keys, packing: &packed), new: packed.span)
        return Level(
            bytes: bytes, children: children(), sections: sections, keyIndex: index(keys, of: bytes), form: old.form,
            ownHash: ContentHash(of: bytes.span), rowsHoldTextBeyondXML: rowsHoldTextBeyondXML(bytes),
            rowsHoldParts: rowsHoldParts, mayHoldOrders: old.mayHoldOrders || arrivalsBear(.arrangesLevel))
    }

    /// Packs the new rows, and returns a run for each piece.
    private func runs(_ keys: [ArrivingKey], packing packed: inout ByteBuffer) -> [Run] {
        var arrival = 0
        return pieces.map { piece in
            switch piece {
            case .kept(let rows): return Run(rows: rows, packed: old.packed(rows), isOld: true)
            case .moved(let row):
                return Run(rows: row..<row + 1, packed: old.packed(row..<row + 1), isOld: true)
            case .new:
                let start = packed.count
                let row = arrivals[arrival].row
                let key = keys[arrival].key
                let hasOwnKey =
                    row.explicitKey != nil || !gathered.bytes.span.extracting(row.title).isEqual(to: key.span)
                LevelAssembler.append(row, key: hasOwnKey ? key : nil, from: gathered.bytes.span, to: &packed)
                arrival += 1
                return Run(rows: arrival - 1..<arrival, packed: start..<packed.count, isOld: false)
            }
        }
    }

    private func splicedBytes(_ runs: [Run], new: Span<UInt8>) throws(TreeError) -> [UInt8] {
        let isSearched = rowCount <= KeyIndex.searchedRows
        let table = (rowCount + 1) * 4 + (isSearched ? rowCount : 0)
        let size = runs.reduce(table) { $0 + $1.packed.count }
        guard size <= UInt32.max else { throw .levelTooLarge }
        let source = old.bytes
        var bytes = unsafe [UInt8](unsafeUninitializedCapacity: size) { target, count in
            let target = UnsafeMutableRawBufferPointer(target)
            var (entry, offset) = (0, table)
            for run in runs {
                unsafe Self.writeOffsets(of: run, at: offset, in: source.span, to: target, from: entry)
                unsafe Self.copy(run.packed, of: run.isOld ? source.span : new, to: target, at: offset)
                entry += run.rows.count
                offset += run.packed.count
            }
            unsafe target.storeBytes(of: UInt32(size).littleEndian, toByteOffset: entry * 4, as: UInt32.self)
            // The fingerprints of keys are written below, once the rows can be read.
            for byte in (entry + 1) * 4..<table { unsafe target[byte] = 0 }
            count = size
        }
        if isSearched {
            for row in 0..<rowCount {
                let hash = ContentHash.short(of: bytes.span.extracting(Row(in: bytes.span, number: row).key))
                bytes[(rowCount + 1) * 4 + row] = KeyIndex.fingerprint(hash)
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
        let distance = UInt32(truncatingIfNeeded: offset - run.packed.lowerBound)
        unsafe source.withUnsafeBytes { source in
            for (number, row) in run.rows.enumerated() {
                let old = unsafe UInt32(littleEndian: source.loadUnaligned(fromByteOffset: row * 4, as: UInt32.self))
                unsafe target.storeBytes(
                    of: (old &+ distance).littleEndian, toByteOffset: (entry + number) * 4, as: UInt32.self)
            }
        }
    }

    private static func copy(
        _ range: Range<Int>, of source: Span<UInt8>, to target: UnsafeMutableRawBufferPointer, at offset: Int
    ) {
        unsafe source.extracting(range).withUnsafeBytes { bytes in
            guard let start = bytes.baseAddress, let end = target.baseAddress else { return }
            unsafe (end + offset).copyMemory(from: start, byteCount: bytes.count)
        }
    }

    // MARK: Properties of the rows

    /// Whether the rows contain text that XML cannot represent. Searches all rows only if a row with such text was
    /// removed.
    private func rowsHoldTextBeyondXML(_ bytes: [UInt8]) -> Bool {
        if arrivalsHoldTextBeyondXML { return true }
        guard old.rowsHoldTextBeyondXML else { return false }
        guard departures.contains(where: old.holdsTextBeyondXML(inRow:)) else { return true }
        return TextBeyondXML.isIn(rowsOf: bytes, count: rowCount, sections: sections, form: old.form)
    }

    /// Whether the level below any row comes from another file.
    private var rowsHoldParts: Bool {
        if arrivalsBear(.isPart) { return true }
        guard old.rowsHoldParts else { return false }
        return shifts.contains { shift in shift.rows.contains { old.row($0).isPart } }
    }

    private func arrivalsBear(_ mark: Row.Flags) -> Bool { arrivals.contains { $0.row.marks.contains(mark) } }
}

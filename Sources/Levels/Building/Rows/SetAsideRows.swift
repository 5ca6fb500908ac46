internal import Bytes
internal import Heap
internal import PropertyLists

/// Rows and their bytes, which were taken off the builder's stack. The level of the rows is made at the end of their
/// item.
struct SetAsideRows {
    var bytes: [UInt8]
    var rows: [PendingRow]
    /// The levels below the rows; empty if all rows are leaves.
    private(set) var children: [Level?]
    /// The sections of the rows; empty for a level without sections.
    var sections: [Section]
    let form: LevelForm
    /// The start of the list of rows in the document.
    let position: SourcePosition

    /// Puts the rows into the order of `sections`, after sections were moved or removed. Drops the rows of removed
    /// sections.
    mutating func followSections() {
        reorder(sections.flatMap { $0.start..<$0.start + $0.count })
        var start = 0
        for number in sections.indices {
            sections[number].start = start
            start += sections[number].count
        }
    }

    /// Keeps only the rows with these numbers, in this order.
    mutating func reorder(_ order: [Int]) {
        rows = order.map { rows[$0] }
        if !children.isEmpty { children = order.map { children[$0] } }
    }
}

extension SetAsideRows {
    /// Numbers the rows as records. The title of each row is its value in a field, or else its number.
    mutating func becomeRecords(by drilling: RecordDrilling) throws(PropertyListError) {
        let name = Array(drilling.titleField.utf8)
        let keyNames = drilling.keyField.map { [Array($0.utf8)] } ?? []
        let end = bytes.count
        var loose = ByteBuffer()
        for row in rows.indices {
            rows[row].marks.insert(.hasRecordNumber)
            rows[row].recordNumber = UInt32(row + 1)
            if let key = PackedTitle(key: keyNames, of: rows[row].fields, in: bytes.span) {
                rows[row].keySource = key.source
                rows[row].explicitKey = key.range(appendingTo: &loose, at: end)
            }
            let value = PackedDictionary(bytes: bytes.span, fields: rows[row].fields).value(under: name.span)
            rows[row].titleSource = value ?? -1
            if let text = value.flatMap({ PackedReader(bytes: bytes.span, at: $0).text }), !text.isEmpty {
                rows[row].title = text
                continue
            }
            let start = loose.count
            try FacetText.append(value, in: bytes.span, to: &loose)
            if loose.count == start {
                loose.append("\(row + 1)")
                rows[row].titleSource = -1
            }
            rows[row].title = end + start..<end + loose.count
        }
        guard !loose.isIncomplete, MemoryBudget.hasRoom(for: loose.count * 2) else { throw .outOfMemory }
        bytes.reserveCapacity(end + loose.count)
        bytes += Array(copying: loose.span)
    }
}

extension TreeAssembly {
    /// Takes the rows of a list off the stack. In `sections`, the starts of the sections count from the bottom of the
    /// stack.
    mutating func setAside(
        _ base: Base, sections: [Section], form: LevelForm, at position: SourcePosition
    ) throws(PropertyListError) -> SetAsideRows {
        let size = fields.bytes.count - base.start + (rows.count - base.row) * Self.bytesOfOpenRow
        guard size < 1 << 20 || MemoryBudget.hasRoom(for: size) else { throw .outOfMemory }
        var sections = sections
        for number in sections.indices { sections[number].start -= base.row }
        let bytes = Array(copying: fields.bytes.span.extracting(base.start..<fields.bytes.count))
        // Otherwise, the bytes and the rows of a long list would take memory twice.
        if size > Self.mostBytesKept {
            fields.bytes.shrink(to: base.start)
        } else {
            fields.bytes.truncate(to: base.start)
        }
        let aside = SetAsideRows(
            bytes: bytes, rows: (base.row..<rows.count).map { rows[$0].moved(by: -base.start) },
            children: takeChildren(from: base.row), sections: sections, form: form, position: position)
        if size > Self.mostBytesKept { rows.shrink(to: base.row) } else { rows.truncate(to: base.row) }
        return aside
    }

    /// The maximum size of a list whose room on the stack is kept for the next list.
    private static let mostBytesKept = 1 << 24
}

internal import Bytes

/// Copies rows of levels into one buffer, in the form in which builders gather rows.
struct RowGatherer: ~Copyable {
    private(set) var bytes = ByteBuffer()
    let names: StructuralNames

    init(_ names: StructuralNames) { self.names = names }

    mutating func append(_ packed: Span<UInt8>) { bytes.append(packed) }

    mutating func appendPlace(named name: String, form: LevelForm) { bytes.appendPlace(named: name, form: form) }

    /// Appends a text outside of all fields.
    mutating func appendLoose(_ text: String) -> Range<Int> {
        let start = bytes.count
        bytes.append(text)
        return start..<bytes.count
    }

    mutating func reserve(_ count: Int) -> Bool { bytes.reserve(count) }

    /// Appends a row unchanged.
    mutating func gather(_ level: Level, number: Int) -> PendingRow {
        let source = level.bytes
        let row = level.row(number)
        let packed = level.packed(number..<number + 1)
        let distance = bytes.count - packed.lowerBound
        bytes.append(source.span.extracting(packed))
        var pending = PendingRow(
            fields: row.fields.moved(by: distance), title: row.title.moved(by: distance), isString: row.isString,
            marks: row.flags.intersection(.marks), recordNumber: UInt32(row.recordNumber(in: source.span)))
        if row.titleSource >= 0 { pending.titleSource = row.titleSource + distance }
        if row.keySource >= 0 { pending.keySource = row.keySource + distance }
        pending.explicitKey = explicitKey(of: row, level: level, number: number)
        return pending
    }

    private mutating func explicitKey(of row: Row, level: Level, number: Int) -> Range<Int>? {
        guard row.flags.contains(.hasExplicitKey) else { return nil }
        let start = bytes.count
        bytes.append(level.naturalKey(of: number).span)
        return start..<bytes.count
    }

    // MARK: Rows with another level

    /// Appends a row that has a place for the level `child`. The place is the row's own, or the place in the row
    /// `other`, or a new place after the row's fields.
    mutating func gather(
        _ level: Level, number: Int, over child: Level, structure other: Item.Step?
    ) -> PendingRow {
        let source = level.bytes
        let fields = level.row(number).fields
        if let hole = PackedField.all(in: fields, of: source.span).first(where: \.isHole) {
            var pending = gather(level, number: number)
            pending.marks.remove(.isPart)
            bytes.set(child.form.rawValue, at: pending.fields.lowerBound + hole.value + 1 - fields.lowerBound)
            return pending
        }
        // The root of an array document is without fields, and needs no place.
        if other == nil, fields.isEmpty, !level.row(number).isString { return gather(level, number: number) }
        var structure = other.map { self.structure(of: $0) } ?? ByteBuffer()
        let isMade = structure.count == 0
        if isMade { structure.appendPlace(named: names.newLevelName(child.form), form: child.form) }
        return gather(level, number: number, adding: structure.span, keepsStructure: isMade)
    }

    /// Appends a row, and hides the fields with these names: they become structure, which details omit.
    mutating func gather(_ level: Level, number: Int, hiding names: Set<String>) -> PendingRow {
        let source = level.bytes
        let row = level.row(number)
        var pending = PendingRow(fields: bytes.count..<bytes.count, title: 0..<0)
        for field in PackedField.all(in: row.fields, of: source.span) {
            bytes.append(source.span.extracting(field.range.lowerBound..<field.value))
            let name = String(utf8: source.span.extracting(field.name))
            if names.contains(name), !field.isStructure { bytes.append(PackedTag.hidden) }
            pending.follow(field, of: row, by: bytes.count - field.value)
            bytes.append(source.span.extracting(field.value..<field.range.upperBound))
        }
        finish(&pending, as: row, level: level, number: number)
        return pending
    }

    /// Ends a row whose fields have been appended one by one, with the title and the key of a row.
    private mutating func finish(_ pending: inout PendingRow, as row: Row, level: Level, number: Int) {
        let bytes = level.bytes
        pending.fields = pending.fields.lowerBound..<self.bytes.count
        if pending.title.isEmpty {
            let start = self.bytes.count
            append(bytes.span.extracting(row.title))
            pending.title = start..<self.bytes.count
        }
        pending.marks = row.flags.intersection(.marks)
        pending.recordNumber = UInt32(row.recordNumber(in: bytes.span))
        pending.explicitKey = explicitKey(of: row, level: level, number: number)
    }

    func structure(of row: Item.Step) -> ByteBuffer {
        let bytes = row.level.bytes
        var structure = ByteBuffer()
        for field in PackedField.all(in: row.level.row(row.row).fields, of: bytes.span) where field.isStructure {
            structure.append(bytes.span.extracting(field.range))
        }
        return structure
    }

    /// Appends a row with more fields after its own. If `keepsStructure` is false, the row's own structural fields are
    /// omitted.
    mutating func gather(
        _ level: Level, number: Int, adding more: Span<UInt8>, keepsStructure: Bool
    ) -> PendingRow {
        let source = level.bytes
        let row = level.row(number)
        var pending = PendingRow(fields: bytes.count..<bytes.count, title: 0..<0)
        if row.isString {
            appendTitle(source.span.extracting(row.title), of: &pending)
        } else {
            for field in PackedField.all(in: row.fields, of: source.span) where keepsStructure || !field.isStructure {
                pending.follow(field, of: row, by: bytes.count - field.range.lowerBound)
                bytes.append(source.span.extracting(field.range))
            }
        }
        bytes.append(more)
        finish(&pending, as: row, level: level, number: number)
        if PackedField.all(in: 0..<more.count, of: more).contains(where: \.isHole) { pending.marks.remove(.isPart) }
        return pending
    }

    /// Appends a string's title as the field that gives the title of a row.
    private mutating func appendTitle(_ text: Span<UInt8>, of row: inout PendingRow) {
        bytes.append(run: Array((names[.title].first ?? "Title").utf8).span)
        row.titleSource = bytes.count
        bytes.append(PackedTag.string, content: text)
        row.title = bytes.count - text.count..<bytes.count
    }
}

extension PendingRow {
    /// Takes the title and the key of a packed row along with the field that gives them.
    ///
    /// - Parameter distance: the number of bytes by which the value moves.
    fileprivate mutating func follow(_ field: PackedField, of row: Row, by distance: Int) {
        if field.range.contains(row.titleSource) {
            titleSource = row.titleSource + distance
            if row.holdsTitleInFields { title = row.title.moved(by: distance) }
        }
        if field.range.contains(row.keySource) { keySource = row.keySource + distance }
    }
}

extension Range<Int> {
    func moved(by distance: Int) -> Range<Int> { lowerBound + distance..<upperBound + distance }
}

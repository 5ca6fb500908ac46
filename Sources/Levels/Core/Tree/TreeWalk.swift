internal import Bytes
public import PropertyLists

/// Sends an item with everything below it as the events of a document, in pieces and without recursion.
///
/// Reading the events gives the same tree: the names of structural keys, their places among the fields and the form of
/// sections are preserved.
///
///     var walk = TreeWalk(level: document, row: 0)
///     try walk.finish(to: &builder)
public struct TreeWalk {
    enum Frame {
        case item(Level, row: Int, offset: Int)
        case rows(Level, next: Int, end: Int)
        case sections(Level, next: Int)
        case sectionDictionary(Level, section: Int, offset: Int)
        /// Shape `any`: entries or elements. A document as it is: elements.
        case entries(Level, next: Int)
        /// A document as it is: a dictionary among whose values are rows, of which `next` comes next.
        case members(Level, row: Int, offset: Int, next: Int)
        /// The records of a table.
        case records(RecordsInOrder, next: Int)
        case end
    }

    var stack: [Frame] = []
    private var start: (level: Level, row: Int)?
    /// The drilling of the records below the item, if the item stands for a value of a `DrillBy` field.
    var drilling: RecordDrilling?
    /// Whether `null` is sent in place of the arrays of the item's rows; see `init(fieldsOf:row:)`.
    private var omitsRows = false
    static let nowhere = SourcePosition.byte(offset: 0)

    /// Creates a walk over the item in a row of a level.
    public init(level: Level, row: Int) { start = (level, row) }

    /// Creates a walk over the own fields of the item in a row. If the item has rows, the walk sends `null` in place of
    /// each array of these rows. The walk sends hidden sections and tables as fields.
    public init(fieldsOf level: Level, row: Int) {
        self.init(level: level, row: row)
        omitsRows = true
    }

    /// Creates a walk over the records of a table. The caller must have begun the array of the records.
    init(recordsBelow level: Level) { stack = [.records(RecordsInOrder(below: level), next: 0)] }

    /// Sends the next few events. Returns false when all events have been sent.
    public mutating func step(
        to consumer: inout some PropertyListConsumer & ~Copyable
    ) throws(PropertyListError) -> Bool {
        if let item = start {
            start = nil
            if let drilling {
                try begin(item.level, row: item.row, drilledBy: drilling, to: &consumer)
                return true
            }
            try begin(item.level, row: item.row, to: &consumer)
            return !stack.isEmpty
        }
        guard let top = stack.popLast() else { return false }
        switch top {
        case .item(let level, let row, let offset): try field(level, row: row, offset: offset, to: &consumer)
        case .rows(let level, let next, let end): try nextRow(level, next: next, end: end, to: &consumer)
        case .sections(let level, let next): try nextSection(level, next: next, to: &consumer)
        case .sectionDictionary(let level, let section, let offset):
            try sectionField(level, section: section, offset: offset, to: &consumer)
        case .entries(let level, let next): try nextEntry(level, next: next, to: &consumer)
        case .members(let level, let row, let offset, let next):
            try member(level, row: row, offset: offset, next: next, to: &consumer)
        case .records(let records, let next): try nextRecord(records, next: next, to: &consumer)
        case .end: try consumer.endDictionary()
        }
        return !stack.isEmpty
    }

    /// Sends everything in one piece.
    public mutating func finish(to consumer: inout some PropertyListConsumer & ~Copyable) throws(PropertyListError) {
        while try step(to: &consumer) {}
    }

    // MARK: Items

    private mutating func begin(
        _ level: Level, row number: Int, to consumer: inout some PropertyListConsumer & ~Copyable
    ) throws(PropertyListError) {
        let bytes = level.bytes
        let row = level.row(number)
        if level.form == .elements || level.form == .entries {
            try beginAnything(level, row: number, fields: row.fields, to: &consumer)
        } else if level.form.isNatural {
            try beginNatural(level, row: number, to: &consumer)
        } else if row.isString {
            try consumer.string(bytes.span.extracting(row.title))
        } else if row.fields.isEmpty, !row.isRecord {
            // Only the root of an array document has no fields.
            let below = level.child(number)
            if omitsRows, below?.form ?? .rows == .rows { return try consumer.null() }
            try beginRows(below, form: below?.form ?? .rows, to: &consumer)
        } else {
            try consumer.beginDictionary(at: Self.nowhere)
            stack.append(.item(level, row: number, offset: row.fields.lowerBound))
        }
    }

    private mutating func beginAnything(
        _ level: Level, row number: Int, fields: Range<Int>, to consumer: inout some PropertyListConsumer & ~Copyable
    ) throws(PropertyListError) {
        if let child = level.child(number) {
            if child.form == .entries {
                try consumer.beginDictionary(at: Self.nowhere)
            } else {
                try consumer.beginArray(at: Self.nowhere)
            }
            stack.append(.entries(child, next: 0))
        } else {
            let bytes = level.bytes
            var reader = PackedReader(bytes: bytes.span, at: fields.lowerBound)
            _ = reader.run()
            var walk = PackedWalk()
            _ = try walk.tell(bytes.span, at: reader.offset, to: &consumer)
        }
    }

    private mutating func field(
        _ level: Level, row: Int, offset: Int, to consumer: inout some PropertyListConsumer & ~Copyable
    ) throws(PropertyListError) {
        let bytes = level.bytes
        let end = level.row(row).fields.upperBound
        var offset = offset
        for _ in 0..<Self.fieldsPerStep {
            guard offset < end else { return try consumer.endDictionary() }
            let (next, hole) = try tellField(bytes.span, at: offset, to: &consumer)
            offset = next
            guard let hole else { continue }
            stack.append(.item(level, row: row, offset: offset))
            return try beginRows(level.child(row), form: hole, to: &consumer)
        }
        stack.append(.item(level, row: row, offset: offset))
    }

    /// The most fields of an item that one step sends.
    private static let fieldsPerStep = 16

    /// Sends one field. Returns the offset of the next field and, if the field is the place of a level, the form of
    /// that level.
    private func tellField(
        _ bytes: Span<UInt8>, at offset: Int, to consumer: inout some PropertyListConsumer & ~Copyable
    ) throws(PropertyListError) -> (next: Int, hole: LevelForm?) {
        var reader = PackedReader(bytes: bytes, at: offset)
        let name = reader.run()
        if bytes[reader.offset] == PackedTag.control.rawValue {
            reader.skipValue()
            return (reader.offset, nil)
        }
        try consumer.key(bytes.extracting(name), at: Self.nowhere)
        if bytes[reader.offset] == PackedTag.hole.rawValue {
            return (reader.offset + 2, LevelForm(rawValue: bytes[reader.offset + 1]))
        }
        var walk = PackedWalk()
        return (try walk.tell(bytes, at: reader.offset, to: &consumer), nil)
    }

    // MARK: Rows and sections

    private mutating func beginRows(
        _ level: Level?, form: LevelForm, to consumer: inout some PropertyListConsumer & ~Copyable
    ) throws(PropertyListError) {
        if form.isDrilled { return try beginRecords(below: level, to: &consumer) }
        if form == .rows, let level, omitsRows, level.count > 0 { return try consumer.null() }
        if form == .namedSections {
            try consumer.beginDictionary(at: Self.nowhere)
        } else {
            try consumer.beginArray(at: Self.nowhere)
        }
        switch (level, form) {
        case (nil, .namedSections): try consumer.endDictionary()
        case (nil, _): try consumer.endArray()
        case (let level?, .rows): stack.append(.rows(level, next: 0, end: level.rowCount))
        case (let level?, .list): stack.append(.entries(level, next: 0))
        case (let level?, _): stack.append(.sections(level, next: 0))
        }
    }

    private mutating func nextRow(
        _ level: Level, next: Int, end: Int, to consumer: inout some PropertyListConsumer & ~Copyable
    ) throws(PropertyListError) {
        guard next < end else { return try consumer.endArray() }
        if omitsRows {
            // The rows of a hidden section are fields, with everything below them.
            for row in next..<end {
                var walk = TreeWalk(level: level, row: row)
                try walk.finish(to: &consumer)
            }
            return try consumer.endArray()
        }
        stack.append(.rows(level, next: next + 1, end: end))
        try begin(level, row: next, to: &consumer)
    }

    private mutating func nextSection(
        _ level: Level, next: Int, to consumer: inout some PropertyListConsumer & ~Copyable
    ) throws(PropertyListError) {
        guard next < level.allSections.count else {
            return level.form == .namedSections ? try consumer.endDictionary() : try consumer.endArray()
        }
        let number = level.writtenSection(next)
        let section = level.allSections[number]
        stack.append(.sections(level, next: next + 1))
        if level.form == .namedSections {
            var title = section.title ?? ""
            title.makeContiguousUTF8()
            try consumer.key(title.utf8Span.span, at: Self.nowhere)
        }
        if section.fields.isEmpty {
            if omits(section, of: level) { return try consumer.null() }
            try consumer.beginArray(at: Self.nowhere)
            stack.append(.rows(level, next: section.start, end: section.start + section.count))
        } else {
            try consumer.beginDictionary(at: Self.nowhere)
            stack.append(.sectionDictionary(level, section: number, offset: 0))
        }
    }

    private mutating func sectionField(
        _ level: Level, section number: Int, offset: Int, to consumer: inout some PropertyListConsumer & ~Copyable
    ) throws(PropertyListError) {
        let section = level.allSections[number]
        guard offset < section.fields.count else { return try consumer.endDictionary() }
        let fields = section.fields
        let (next, hole) = try tellField(fields.span, at: offset, to: &consumer)
        stack.append(.sectionDictionary(level, section: number, offset: next))
        guard hole != nil else { return }
        if omits(section, of: level) { return try consumer.null() }
        try consumer.beginArray(at: Self.nowhere)
        stack.append(.rows(level, next: section.start, end: section.start + section.count))
    }

    private func omits(_ section: Section, of level: Level) -> Bool {
        omitsRows && !section.isHidden && (level.count > 0 || level.form == .arraysOfRows)
    }

    private mutating func nextEntry(
        _ level: Level, next: Int, to consumer: inout some PropertyListConsumer & ~Copyable
    ) throws(PropertyListError) {
        guard next < level.rowCount else {
            return level.form == .entries ? try consumer.endDictionary() : try consumer.endArray()
        }
        stack.append(.entries(level, next: next + 1))
        let bytes = level.bytes
        if level.form == .entries { try consumer.key(bytes.span.extracting(level.row(next).title), at: Self.nowhere) }
        try begin(level, row: next, to: &consumer)
    }
}

/// Tables are written as their records, not as the levels that are made of them.
extension TreeWalk {
    /// Creates a walk over an item. An item that stands for a value of `DrillBy` is sent as an item with a table.
    public init(_ item: Item) {
        self.init(level: item.own.level, row: item.own.row)
        drilling = item.remainingDrilling
    }

    /// Begins an item that stands for a value of `DrillBy`. The item is sent as a dictionary with its records and their
    /// drilling.
    mutating func begin(
        _ level: Level, row: Int, drilledBy drilling: RecordDrilling,
        to consumer: inout some PropertyListConsumer & ~Copyable
    ) throws(PropertyListError) {
        let bytes = level.bytes
        try consumer.beginDictionary(at: Self.nowhere)
        try Self.key("Title", to: &consumer)
        try consumer.string(bytes.span.extracting(level.row(row).title))
        try Self.key("DrillBy", to: &consumer)
        try consumer.beginArray(at: Self.nowhere)
        for field in drilling.fields { try consumer.string(Array(field.utf8).span) }
        try consumer.endArray()
        if drilling.titleField != RecordDrilling.defaultTitleField {
            try Self.key("TitleBy", to: &consumer)
            try consumer.string(Array(drilling.titleField.utf8).span)
        }
        if let field = drilling.keyField {
            try Self.key("KeyBy", to: &consumer)
            try consumer.string(Array(field.utf8).span)
        }
        try Self.key("Records", to: &consumer)
        stack.append(.end)
        try beginRecords(below: level.child(row), to: &consumer)
    }

    private static func key(
        _ name: StaticString, to consumer: inout some PropertyListConsumer & ~Copyable
    ) throws(PropertyListError) {
        try consumer.key(Array(name.description.utf8).span, at: nowhere)
    }

    mutating func beginRecords(
        below level: Level?, to consumer: inout some PropertyListConsumer & ~Copyable
    ) throws(PropertyListError) {
        try consumer.beginArray(at: Self.nowhere)
        guard let level else { return try consumer.endArray() }
        stack.append(.records(RecordsInOrder(below: level), next: 0))
    }

    mutating func nextRecord(
        _ records: RecordsInOrder, next: Int, to consumer: inout some PropertyListConsumer & ~Copyable
    ) throws(PropertyListError) {
        guard next < records.count else { return try consumer.endArray() }
        stack.append(.records(records, next: next + 1))
        let record = records[next]
        try consumer.beginDictionary(at: Self.nowhere)
        let fields = record.level.row(record.row).fields
        stack.append(.item(record.level, row: record.row, offset: fields.lowerBound))
    }
}

/// Documents as they are.
extension TreeWalk {
    /// Begins the dictionary, the array or the other value that a row stands for.
    private mutating func beginNatural(
        _ level: Level, row number: Int, to consumer: inout some PropertyListConsumer & ~Copyable
    ) throws(PropertyListError) {
        let bytes = level.bytes
        let row = level.row(number)
        if row.isString { return try consumer.string(bytes.span.extracting(row.title)) }
        if let value = row.onlyValue(in: bytes.span) {
            var walk = PackedWalk()
            _ = try walk.tell(bytes.span, at: value, to: &consumer)
            return
        }
        let below = level.child(number)
        if row.fields.isEmpty, let below, below.form == .list {
            try consumer.beginArray(at: Self.nowhere)
            return stack.append(.entries(below, next: 0))
        }
        try consumer.beginDictionary(at: Self.nowhere)
        let start = row.fields.lowerBound
        stack.append(
            below?.form == .members
                ? .members(level, row: number, offset: start, next: 0) : .item(level, row: number, offset: start))
    }

    /// Sends one field of a dictionary among whose values are rows.
    private mutating func member(
        _ level: Level, row: Int, offset: Int, next: Int, to consumer: inout some PropertyListConsumer & ~Copyable
    ) throws(PropertyListError) {
        let bytes = level.bytes
        guard offset < level.row(row).fields.upperBound, let below = level.child(row) else {
            return try consumer.endDictionary()
        }
        let (after, hole) = try tellField(bytes.span, at: offset, to: &consumer)
        stack.append(.members(level, row: row, offset: after, next: hole == nil ? next : next + 1))
        if hole != nil { try beginNatural(below, row: next, to: &consumer) }
    }
}

extension Row {
    /// The offset of the value that the item is written as; nil for a dictionary, an array or a string.
    fileprivate func onlyValue(in bytes: Span<UInt8>) -> Int? {
        guard !fields.isEmpty else { return nil }
        var reader = PackedReader(bytes: bytes, at: fields.lowerBound)
        _ = reader.run()
        let value = reader.offset
        reader.skipValue()
        guard reader.offset < fields.upperBound else { return nil }
        _ = reader.run()
        let isMark =
            bytes[reader.offset] == PackedTag.hole.rawValue && bytes[reader.offset + 1] == LevelForm.value.rawValue
        return isMark ? value : nil
    }
}

internal import Bytes
internal import PropertyLists

/// Tables are written as their records, not as the levels that are made of them.
extension TreeWalk {
    /// Creates a walk over an item; one that is made of a value of `DrillBy` becomes an item with a table.
    public init(_ item: Item) {
        self.init(item.own.level, row: item.own.row)
        drilling = item.remainingDrilling
    }

    /// Begins an item that is made of a value, as a dictionary with its records and how to drill them further.
    mutating func begin<Consumer: PropertyListConsumer & ~Copyable>(
        _ level: Level, row: Int, drilledBy drilling: RecordDrilling, to consumer: inout Consumer
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
        try Self.key("Records", to: &consumer)
        stack.append(.end)
        try beginRecords(below: level.child(row), to: &consumer)
    }

    private static func key<Consumer: PropertyListConsumer & ~Copyable>(
        _ name: StaticString, to consumer: inout Consumer
    ) throws(PropertyListError) {
        try consumer.key(Array(name.description.utf8).span, at: nowhere)
    }

    /// Begins the records below an item, as an array.
    mutating func beginRecords<Consumer: PropertyListConsumer & ~Copyable>(
        below level: Level?, to consumer: inout Consumer
    ) throws(PropertyListError) {
        try consumer.beginArray(at: Self.nowhere)
        guard let level else { return try consumer.endArray() }
        stack.append(.records(RecordsInOrder(below: level), next: 0))
    }

    mutating func nextRecord<Consumer: PropertyListConsumer & ~Copyable>(
        _ records: RecordsInOrder, next: Int, to consumer: inout Consumer
    ) throws(PropertyListError) {
        guard next < records.count else { return try consumer.endArray() }
        stack.append(.records(records, next: next + 1))
        let record = records[next]
        try consumer.beginDictionary(at: Self.nowhere)
        let fields = record.level.row(record.row).fields
        stack.append(.item(record.level, row: record.row, offset: fields.lowerBound))
    }
}

internal import Bytes
internal import PropertyLists

/// The division of a flat table into levels: the fields to drill by, and the field that titles a record.
public struct RecordDrilling: Sendable, Hashable {
    /// The fields whose values make the levels, from the top down; if empty, the records are the only level.
    public var fields: [String]
    /// The field with the title of a record. The title of a record without a value in this field is the record's number
    /// in the table.
    public var titleField: String
    /// The field with the key of a record: a short text, or an integer. Nil, or a record without a value in this field: the
    /// title is the key.
    public var keyField: String?

    /// The default of `titleField`.
    public static let defaultTitleField = "Title"

    public init(fields: [String], titleField: String = defaultTitleField, keyField: String? = nil) {
        self.fields = fields
        self.titleField = titleField
        self.keyField = keyField
    }
}

extension RecordDrilling: CustomStringConvertible {
    /// The fields, such as `records by 'Name', drilled by 'Artist', 'Album'`.
    public var description: String {
        let levels = fields.map { "'\(quoted: $0)'" }.joined(separator: ", ")
        let keys = keyField.map { ", keys '\(quoted: $0)'" } ?? ""
        return "records by '\(quoted: titleField)'\(keys)" + (fields.isEmpty ? "" : ", drilled by \(levels)")
    }
}

extension Level {
    /// The file of the table below a row; nil unless `Records` names a file.
    func table(ofRow number: Int) -> PartReference? {
        let fields = row(number).fields
        let bytes = bytes
        guard let value = PackedDictionary(bytes: bytes.span, fields: fields).value(PartReference.recordsName),
            bytes[value] == PackedTag.hidden.rawValue, let path = PackedReader(bytes: bytes.span, at: value + 1).text,
            let drilling = drilling(in: fields)
        else { return nil }
        return .records(String(utf8: bytes.span.extracting(path)), drilling: drilling)
    }

    /// The drilling of an item's table, from its packed fields; nil without a table.
    func drilling(in fields: Range<Int>) -> RecordDrilling? {
        let bytes = bytes
        let item = PackedDictionary(bytes: bytes.span, fields: fields)
        guard let names = item.value("DrillBy").flatMap({ PackedReader(bytes: bytes.span, at: $0).texts }) else {
            return nil
        }
        return RecordDrilling(
            fields: names, titleField: item.text("TitleBy") ?? RecordDrilling.defaultTitleField,
            keyField: item.text("KeyBy"))
    }
}

extension Item {
    /// The drilling of the records below an item that stands for a value of `DrillBy`; nil for other items.
    public var remainingDrilling: RecordDrilling? {
        guard own.level.form == .facets, let owner = steps.lastIndex(where: { !$0.level.form.isDrilled }) else {
            return nil
        }
        let step = steps[owner]
        guard var drilling = step.level.drilling(in: step.level.row(step.row).fields) else { return nil }
        drilling.fields.removeFirst(min(steps.count - 1 - owner, drilling.fields.count))
        return drilling
    }
}

/// The records of a table, in the order of the table.
struct RecordsInOrder {
    private var records: [Item.Step] = []
    var count: Int { records.count }

    subscript(place: Int) -> Item.Step { records[place] }

    /// Collects the records in and below a level; O(n) for a whole table, otherwise O(n log n).
    init(below level: Level) {
        var numbers: [(number: Int, step: Item.Step)] = []
        numbers.reserveCapacity(level.itemCount)
        var waiting = [level]
        while let level = waiting.popLast() {
            if level.form == .facets {
                for child in level.children.reversed() { if let child { waiting.append(child) } }
            } else {
                let bytes = level.bytes
                for row in 0..<level.rowCount {
                    numbers.append((level.row(row).recordNumber(in: bytes.span), Item.Step(level: level, row: row)))
                }
            }
        }
        records = Self.sorted(numbers)
    }

    private static func sorted(_ numbers: [(number: Int, step: Item.Step)]) -> [Item.Step] {
        let isWhole = numbers.allSatisfy { (1...numbers.count).contains($0.number) }
        guard isWhole, let any = numbers.first else {
            return numbers.sorted { $0.number < $1.number }.map(\.step)
        }
        var records = [Item.Step](repeating: any.step, count: numbers.count)
        for (number, step) in numbers { records[number - 1] = step }
        return records
    }
}

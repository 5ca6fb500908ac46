internal import Bytes

extension Level {
    /// The file whose records are the level below a row; nil if the row has no `Records`, or has them as an array.
    func table(ofRow number: Int) -> PartReference? {
        let fields = row(number).fields
        let bytes = bytes
        guard let value = hiddenValue(named: PartReference.recordsName, in: fields),
            let path = PackedFieldList.text(at: value, in: bytes.span), let drilling = drilling(in: fields)
        else { return nil }
        return .records(String(utf8: bytes.span.extracting(path)), drilling)
    }

    /// The value of a structural field that no detail shows.
    private func hiddenValue(named name: String, in fields: Range<Int>) -> Int? {
        let bytes = bytes
        guard let value = PackedFieldList.value(named: name, in: bytes.span, fields),
            bytes[value] == PackedTag.hidden.rawValue
        else { return nil }
        return value + 1
    }

    /// How the table of an item is drilled, by its packed fields; nil if it has no table.
    func drilling(in fields: Range<Int>) -> RecordDrilling? {
        let bytes = bytes
        guard let value = PackedFieldList.value(named: "DrillBy", in: bytes.span, fields),
            let names = PackedFieldList.texts(at: value, in: bytes.span)
        else { return nil }
        let title = PackedFieldList.value(named: "TitleBy", in: bytes.span, fields)
            .flatMap { PackedFieldList.text(at: $0, in: bytes.span) }
            .map { String(utf8: bytes.span.extracting($0)) }
        return RecordDrilling(fields: names, titleField: title ?? RecordDrilling.defaultTitleField)
    }
}

extension Item {
    /// How the records below an item that is made of a value of `DrillBy` are drilled further; nil for other items.
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

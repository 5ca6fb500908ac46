internal import Bytes
internal import PropertyLists

/// Items, when their dictionaries end.
extension TreeBuilder {
    mutating func closeItem() throws(PropertyListError) {
        let frame = frames[frames.count - 1]
        if frames.count == 1, !frame.isBareArray, frame.holderField == nil {
            throw noLevel(in: frame)
        }
        var level = frame.branch?.level
        if let batch = frame.branch?.batch { level = try sectionedLevel(of: batch, in: frame) }
        let row = try pendingRow(of: frame)
        depth -= 1
        _ = pop()
        try add(row, level: level)
    }

    mutating func pendingRow(of frame: Frame) throws(PropertyListError) -> PendingRow {
        if frame.titleField == nil, frame.keyField == nil, frames.count > 1 { throw noTitle(in: frame) }
        var title = frame.titleField.map { fields.start($0).name.upperBound }
        var key = frame.keyField.map { fields.start($0).name.upperBound }
        let hasMoved = fields.close(base: frame.fieldBase)
        let content = frame.start..<fields.bytes.count
        if hasMoved || frame.titleField != nil && frame.titleRank > 0 { title = titleValue(in: content) }
        if hasMoved {
            key = value(of: .key, frame.keyField == nil ? nil : frame.keyRank, in: content)
        }
        var row = PendingRow(
            fields: content, title: content.upperBound..<content.upperBound, place: PackedPosition(frame.position))
        if let title {
            row.title = fields.titleText(title)
        } else if frames.count == 1 {
            row.title = fields.loose("Root")
        } else if key == nil {
            throw noTitle(in: frame)
        }
        if let key { row.explicitKey = fields.textRange(key) }
        return row
    }

    /// The position of the title: the value of the strongest name that is present and can be a title.
    private func titleValue(in content: Range<Int>) -> Int? {
        for name in names[.title] {
            let value = PackedFieldList.value(named: name, in: fields.bytes.span, content)
            if let value, fields.scalarText(at: value) != nil { return value }
        }
        return nil
    }

    /// The position of a role's value after fields were dropped.
    func value(of role: StructuralNames.Role, _ rank: Int?, in content: Range<Int>) -> Int? {
        rank.flatMap { PackedFieldList.value(named: names[role][$0], in: fields.bytes.span, content) }
    }

    mutating func add(_ row: PendingRow, level: Level?) throws(PropertyListError) {
        rows.append(row)
        children.append(level)
        guard frames.isEmpty else { return }
        let parts = LevelAssembler.Parts(
            children: takeChildren(from: 0), form: .rows, mayHoldTextBeyondXML: hasTextBeyondXML)
        document = try assembler.assemble(rows, from: 0, in: fields.bytes, parts: parts)
    }

    mutating func addStringItem(_ text: Span<UInt8>, at position: SourcePosition) throws(PropertyListError) {
        try countItem()
        guard depth < limits.depth else {
            throw PropertyListError("items nest deeper than \(limits.depth) levels; flatten the tree")
        }
        frames[frames.count - 1].isDecided = true
        let start = fields.bytes.count
        noteText(text)
        fields.bytes.append(text)
        rows.append(
            PendingRow(
                fields: start..<start, title: start..<fields.bytes.count, isString: true,
                place: PackedPosition(position)))
        children.append(nil)
    }
}

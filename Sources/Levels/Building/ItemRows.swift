internal import Bytes
internal import PropertyLists

/// Items that end. An item becomes a row: its fields, its title and its key, with its level below.
extension TreeBuilder {
    mutating func closeItem() throws(PropertyListError) {
        let isPart = try noteParts()
        let level = try takeLevel()
        var row = try row()
        if isPart { row.marks.insert(.isPart) }
        items.close()
        _ = pop()
        tree.add(row, level: level)
        if frames.isEmpty { try tree.complete(.rows) }
    }

    @inline(__always)
    private mutating func row() throws(PropertyListError) -> PendingRow {
        let titleField = items.field(.title)
        let keyField = try textKeyField()
        let hasSource = source != nil
        // Until the title of the document at `Source` is known, the row shows the path of the document.
        let isTitledBySource = hasSource && items.field(.key) == nil
        if titleField == nil, keyField == nil, items.count > 1, !isTitledBySource { throw noTitle }
        var title = titleField.map { tree.fields.start($0).name.upperBound }
        var key = keyField.map { tree.fields.start($0).name.upperBound }
        // A control must be the last field. An item with a `Source` gets no control, because the fields of a mounted
        // root may follow its own fields.
        let isTyped = items.field(.type) != nil && items.count > 1 && !hasSource
        // The title of a settings page is shown by the row that leads to the page, not by the page itself.
        if items.count == 1, items.field(.preferenceSpecifiers) != nil, !hasSource { title = nil }
        let hasWeakTitle = titleField.map { tree.fields.start($0).meaning.rank > 0 } ?? false
        let keyRank = keyField.map { tree.fields.start($0).meaning.rank }
        let arrangesLevel = items.field(.sortBy) != nil || items.field(.groupBy) != nil
        if arrangesLevel { try checkSortBy() }
        let (base, place) = (items.innermost.base, items.innermost.place)
        let hasMoved = tree.fields.close(base: base.field)
        var content = base.start..<tree.fields.bytes.count
        if title != nil, hasMoved || hasWeakTitle { title = titleValue(in: content) }
        if hasMoved, let keyRank { key = value(named: itemSlots.names(of: .key)[Int(keyRank)], in: content) }
        let isControl = isTyped ? try appendControl(to: content) : false
        if isControl { content = base.start..<tree.fields.bytes.count }
        var row = PendingRow(fields: content, title: content.upperBound..<content.upperBound, place: place)
        if isControl { row.marks = .isControl }
        if arrangesLevel { row.marks.insert(.arrangesLevel) }
        if let title {
            row.title = tree.fields.titleText(title)
            row.titleSource = title
        } else if items.count == 1 {
            row.title = tree.fields.loose("Root")
        } else if isTitledBySource {
            row.title = sourceText(in: content) ?? row.title
        } else if key == nil {
            throw noTitle
        }
        if let key {
            row.explicitKey = tree.fields.textRange(key)
            row.keySource = key
        }
        return row
    }

    /// The field with the innermost item's key; nil if the item lacks a key, or if the value of `Key` is the columns of
    /// a database.
    ///
    /// - Throws: `PropertyListError` if `Key` is an array and the item lacks a database.
    @inline(__always)
    private func textKeyField() throws(PropertyListError) -> Int? {
        guard let field = items.field(.key),
            tree.fields.bytes.span[tree.fields.start(field).name.upperBound] == PackedTag.array.rawValue
        else { return items.field(.key) }
        guard database == nil else { return nil }
        throw PropertyListError(
            reason: "a Key must be text, not an array", at: tree.fields.start(field).place.position,
            path: currentPath())
    }

    /// The offset of the title. Of the names with a value that can be a title, the strongest one counts.
    private func titleValue(in content: Range<Int>) -> Int? {
        for name in itemSlots.names(of: .title) {
            if let value = value(named: name, in: content), tree.fields.scalarText(at: value) != nil { return value }
        }
        return nil
    }

    private func value(named name: String, in content: Range<Int>) -> Int? {
        PackedDictionary(bytes: tree.fields.bytes.span, fields: content).value(name)
    }

    private func sourceText(in content: Range<Int>) -> Range<Int>? {
        PackedDictionary(bytes: tree.fields.bytes.span, fields: content).textRange(PartReference.sourceName)
    }

    /// Checks the `SortBy` of the innermost item.
    @inline(never)
    private func checkSortBy() throws(PropertyListError) {
        guard let text = text(of: .sortBy, in: items.innermost) else { return }
        do throws(MalformedOrder) {
            _ = try RowOrder(text)
        } catch {
            throw PropertyListError(
                reason: "'SortBy' \(error)", at: position(of: .sortBy, in: items.innermost), path: currentPath())
        }
    }

    /// Appends a control to the item that was packed last, if the item's `Type` is the name of a control. Returns
    /// whether a control was appended.
    @inline(never)
    private mutating func appendControl(to content: Range<Int>) throws(PropertyListError) -> Bool {
        let type = PackedDictionary(bytes: tree.fields.bytes.span, fields: content).text("Type")
        guard let type = type.flatMap(ControlType.init) else { return false }
        let item = try PropertyListDictionary(packed: content, of: tree.fields.bytes.span)
        var control = PropertyListDictionary(control: type.rawValue, key: item["Key"], value: item["Value"])
        control.addProperties(of: item)
        try tree.fields.bytes.append(control: control)
        return true
    }
}

/// Items that are strings. The string is the title.
extension TreeBuilder {
    mutating func addStringItem(_ text: Span<UInt8>, at position: SourcePosition) throws(PropertyListError) {
        try tree.countItem()
        guard items.count <= tree.limits.depth else { throw nestsTooDeep }
        let start = tree.fields.bytes.count
        tree.note(text)
        tree.fields.bytes.append(text)
        tree.add(
            PendingRow(
                fields: start..<start, title: start..<tree.fields.bytes.count, isString: true,
                place: PackedPosition(position)), level: nil)
    }
}

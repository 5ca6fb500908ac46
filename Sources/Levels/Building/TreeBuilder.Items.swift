import Bytes
public import PropertyLists

/// The ends of containers. When a container ends, its content is interpreted.
extension TreeBuilder {
    public mutating func endDictionary() throws(PropertyListError) {
        try tree.checkComplete()
        switch kind {
        case .item: try closeItem()
        case .section: closeSection()
        case .record: closeRecord()
        case .namedSections: try closeList()
        default: try closeValue()
        }
    }

    public mutating func endArray() throws(PropertyListError) {
        try tree.checkComplete()
        switch kind {
        case .rows: try closeRows()
        case .sectionRows: closeSectionRows()
        case .sectionList, .records: try closeList()
        default: try closeValue()
        }
    }

    private mutating func closeValue() throws(PropertyListError) {
        let frame = pop()
        if frame.kind == .dictionary {
            _ = tree.fields.close(base: frame.base.field)
            if tree.fields.replaceWithUID(dictionaryAt: frame.base.start) { return }
            // The open frames are the root and one of its fields, such as the array of specifiers.
            if frames.count == 2, items.field(specifiersSlot) == tree.fields.count - 1 {
                specifierPositions.append(frame.position)
            }
        }
        try tree.fields.bytes.endContainer(at: frame.base.start)
        if frame.kind == .array, kind?.hasSlots == true {
            if items.field(keySlot) == tree.fields.count - 1 { keyColumnsPosition = frame.position }
            noteList(frame.base.start..<tree.fields.bytes.count, at: frame.position)
        }
    }

    /// Ends a plain list of rows, and makes the level of the rows.
    private mutating func closeRows() throws(PropertyListError) {
        if frames.last?.list != nil { return try closeList() }
        let frame = pop()
        let level = try tree.level(from: frame.base.row, start: frame.base.start, form: .rows, at: frame.position)
        warnAboutRepeatedTitle(at: frame.position)
        items.hold(level)
        if isArray, items.count == 1 { return try closeItem() }
        if level.count == 0 { warnAboutEmptyChildren(at: frame.position) }
        tree.fields.hole(.rows)
    }

    /// Ends a list whose level is made at the end of its item.
    private mutating func closeList() throws(PropertyListError) {
        let frame = pop()
        guard let list = frame.list else { return }
        let sections = list.takeSections()
        try list.take(tree.setAside(frame.base, sections: sections, form: list.rule.form, at: frame.position))
        items.hold(list)
        if isArray, items.count == 1 { return try closeItem() }
        tree.fields.hole(list.rule.form)
    }

    mutating func level(of rows: SetAsideRows) throws(PropertyListError) -> Level {
        let level = try tree.level(of: rows)
        warnAboutRepeatedTitle(at: rows.position)
        return level
    }
}

/// The ends of items. A gathered item becomes a row and the level below that row.
extension TreeBuilder {
    mutating func closeItem() throws(PropertyListError) {
        guard isPlain else { return try closeNotedItem() }
        if items.count == 1, !isArray, items.levelSlot == 0 { throw noLevel }
        let level = try takeLevel()
        try close(row(isPlain: true), level: level)
    }

    /// Closes an item if any item so far has a noted key; see `SlotTable.Rule.isNoted`.
    @inline(never)
    private mutating func closeNotedItem() throws(PropertyListError) {
        let database = database
        let isTableFile = hasTables && database == nil ? try checkTable() : false
        if let database { note(database, at: items.innermost.place) }
        let level =
            items.count == 1 && !isArray
            ? try takeRootLevel() : holdsSources ? try takeLevelBesideSource() : try takeLevel()
        var row = holdsSources ? try rowWithSource() : try row()
        if isTableFile || database != nil { row.marks.insert(.isPart) }
        try close(row, level: level)
    }

    @inline(__always)
    private mutating func close(_ row: PendingRow, level: Level?) throws(PropertyListError) {
        items.close()
        _ = pop()
        tree.add(row, level: level)
        if frames.isEmpty { try tree.complete(.rows) }
    }

    /// Takes the level of a root dictionary, which is a settings page or an ordinary item.
    private mutating func takeRootLevel() throws(PropertyListError) -> Level? {
        if let specifiers = items.field(specifiersSlot) { return try settingsPage(specifiers) }
        guard items.levelSlot != 0 || source != nil || database != nil else { throw noLevel }
        return try takeLevel()
    }

    /// Takes the level of an item that may have a `Source`. The specifiers of a mounted settings page may follow the
    /// `Source`.
    @inline(never)
    private mutating func takeLevelBesideSource() throws(PropertyListError) -> Level? {
        if let page = pageField { return try settingsPage(page) }
        return try takeLevel()
    }

    private mutating func takeLevel() throws(PropertyListError) -> Level? {
        guard let list = items.takeList(), let rows = list.takeRows() else { return items.takeLevel() }
        return try list.rule.strategy.level(of: rows, in: items.innermost, builder: &self)
    }

    /// Returns the row of the innermost item: the fields, the title and the key.
    @inline(never)
    mutating func row() throws(PropertyListError) -> PendingRow { try row(isPlain: false) }

    @inline(__always)
    private mutating func row(isPlain: Bool) throws(PropertyListError) -> PendingRow {
        let titleField = items.field(titleSlot)
        let keyField = try textKeyField()
        if titleField == nil, keyField == nil, items.count > 1 { throw noTitle }
        var title = titleField.map { tree.fields.start($0).name.upperBound }
        var key = keyField.map { tree.fields.start($0).name.upperBound }
        // A control must be the last field. An item with a `Source` gets no control, because the fields of a mounted
        // root may follow its own fields.
        let isTyped = !isPlain && items.count > 1 && source == nil && items.field(typeSlot) != nil
        // The title of a settings page is shown by the row that leads to the page, not by the page itself.
        if !isPlain, items.count == 1, items.field(specifiersSlot) != nil, source == nil { title = nil }
        let hasWeakTitle = titleField.map { tree.fields.start($0).meaning.rank > 0 } ?? false
        let keyRank = keyField.map { tree.fields.start($0).meaning.rank }
        let arrangesLevel = isPlain ? false : try checkOrder()
        let (base, place) = (items.innermost.base, items.innermost.place)
        let hasMoved = tree.fields.close(base: base.field)
        var content = base.start..<tree.fields.bytes.count
        if title != nil, hasMoved || hasWeakTitle { title = titleValue(in: content) }
        if hasMoved, let keyRank { key = value(named: itemSlots.names(of: keySlot)[Int(keyRank)], in: content) }
        let isControl = isTyped ? try appendControl(to: content) : false
        if isControl { content = base.start..<tree.fields.bytes.count }
        var row = PendingRow(fields: content, title: content.upperBound..<content.upperBound, place: place)
        if isControl { row.marks = .isControl }
        if arrangesLevel { row.marks.insert(.arrangesLevel) }
        if let title {
            row.title = tree.fields.titleText(title)
        } else if items.count == 1 {
            row.title = tree.fields.loose("Root")
        } else if key == nil {
            throw noTitle
        }
        if let key { row.explicitKey = tree.fields.textRange(key) }
        return row
    }

    /// Checks the `SortBy` of the innermost item; returns whether the item orders its level.
    @inline(__always)
    func checkOrder() throws(PropertyListError) -> Bool {
        guard items.arrangesLevel else { return false }
        try checkSortBy()
        return true
    }

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

    /// The offset of the title. Of the names with a value that can be a title, the strongest one counts.
    func titleValue(in content: Range<Int>) -> Int? {
        for name in itemSlots.names(of: titleSlot) {
            if let value = value(named: name, in: content), tree.fields.scalarText(at: value) != nil { return value }
        }
        return nil
    }

    private func value(named name: String, in content: Range<Int>) -> Int? {
        PackedDictionary(bytes: tree.fields.bytes.span, fields: content).value(name)
    }

    mutating func addStringItem(_ text: Span<UInt8>, at position: SourcePosition) throws(PropertyListError) {
        try tree.countItem()
        guard items.count <= tree.limits.depth else { throw nestsTooDeep }
        noteElement()
        let start = tree.fields.bytes.count
        tree.note(text)
        tree.fields.bytes.append(text)
        tree.add(
            PendingRow(
                fields: start..<start, title: start..<tree.fields.bytes.count, isString: true,
                place: PackedPosition(position)), level: nil)
    }
}

extension TreeBuilder {
    /// Adds a packed structural field to the innermost item. If the field is the place of a level, the level is not
    /// copied.
    mutating func keep(_ name: Span<UInt8>, packed value: Span<UInt8>) throws(PropertyListError) {
        try key(name, at: .byte(offset: 0))
        // For a hidden field, the key has written the mark `hidden`; `value` also begins with this mark.
        tree.fields.bytes.truncate(to: tree.fields.start(tree.fields.count - 1).name.upperBound)
        tree.fields.bytes.append(value)
    }
}

import Bytes
public import PropertyLists

/// What closes: each kind of container is interpreted at its end.
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
            // The frames of the root and of the array around a specifier.
            if frames.count == 2, items.field(specifiersSlot) != nil { specifierPositions.append(frame.position) }
        }
        try tree.fields.endContainer(at: frame.base.start)
        if frame.kind == .array, kind?.hasSlots == true {
            noteList(frame.base.start..<tree.fields.bytes.count, at: frame.position)
        }
    }

    /// Ends a plain list of rows: its level is complete.
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

    /// Ends a list whose level is made when its item ends.
    private mutating func closeList() throws(PropertyListError) {
        let frame = pop()
        guard let list = frame.list else { return }
        list.take(try tree.setAside(frame, sections: list.takeSections(), form: list.rule.form))
        items.hold(list)
        if isArray, items.count == 1 { return try closeItem() }
        tree.fields.hole(list.rule.form)
    }

    /// The level of rows that were set aside, with the warnings about it.
    mutating func level(of rows: SetAsideRows) throws(PropertyListError) -> Level {
        let level = try tree.level(of: rows)
        warnAboutRepeatedTitle(at: rows.position)
        return level
    }
}

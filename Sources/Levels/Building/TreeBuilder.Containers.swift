import Bytes
public import PropertyLists

/// What opens and closes: dictionaries and arrays, which are items, rows, sections or values.
extension TreeBuilder {
    public mutating func beginDictionary(at position: SourcePosition) throws(PropertyListError) {
        guard let top = frames.last else { return try openItem(at: position) }
        switch top.kind {
        case .rows:
            frames[frames.count - 1].isDecided = true
            try openItem(at: position)
        case .item, .sectionDictionary: try openDictionaryField(of: top, at: position)
        case .sectionList where top.acceptsSectionDictionaries:
            push(Frame(.sectionDictionary, at: position, fieldBase: fields.count, start: fields.bytes.count))
        case .sectionList:
            throw PropertyListError("a section must be an array here; sections with their own Title go into 'Sections'")
        case .namedSections:
            throw PropertyListError("the section '\(quoted: top.branch?.name ?? String())' must be an array of items")
        case .dictionary, .array: openValue(.dictionary, at: position)
        }
    }

    mutating func openDictionaryField(of top: Frame, at position: SourcePosition) throws(PropertyListError) {
        switch role {
        case nil: openValue(.dictionary, at: position)
        case .sections where top.kind == .item:
            frames[frames.count - 1].form = .namedSections
            push(
                Frame(
                    .namedSections, at: position, fieldBase: fields.count, start: fields.bytes.count,
                    rowBase: rows.count))
        default: throw wrongValue("a dictionary")
        }
    }

    mutating func openItem(at position: SourcePosition) throws(PropertyListError) {
        try countItem()
        depth += 1
        guard depth <= limits.depth else {
            throw PropertyListError("items nest deeper than \(limits.depth) levels; flatten the tree")
        }
        push(
            Frame(
                .item, at: position, fieldBase: fields.count, start: fields.bytes.count, rowBase: rows.count))
    }

    mutating func countItem() throws(PropertyListError) {
        items += 1
        guard items <= limits.items else {
            throw PropertyListError(
                "the document holds more than \(Quantity(limits.items, "item")); split it, or raise MaxItems")
        }
    }

    mutating func openValue(_ kind: Frame.Kind, at position: SourcePosition) {
        let start = fields.beginContainer(kind == .array ? .array : .dictionary)
        push(Frame(kind, at: position, fieldBase: fields.count, start: start))
    }

    public mutating func beginArray(at position: SourcePosition) throws(PropertyListError) {
        guard let top = frames.last else {
            try openItem(at: position)
            frames[0].isBareArray = true
            return openRows(.rows, at: position)
        }
        switch top.kind {
        case .item, .sectionDictionary: try openArrayField(of: top, at: position)
        case .rows where !top.isDecided && !top.isSection:
            frames[frames.count - 1].kind = .sectionList
            kind = .sectionList
            frames[frames.count - 2].form = .arraysOfRows
            openSection(at: position)
        case .rows where top.isSection:
            throw arrayAmongRows
        case .rows:
            throw PropertyListError(
                "an item must be a string or a dictionary, not an array; for sections every element must be an array")
        case .sectionList, .namedSections: openSection(at: position)
        case .dictionary, .array: openValue(.array, at: position)
        }
    }

    mutating func openArrayField(of top: Frame, at position: SourcePosition) throws(PropertyListError) {
        switch role {
        case nil, .sectionKeys, .sectionTitles: openValue(.array, at: position)
        case .children where top.kind == .sectionDictionary: openSection(at: position)
        case .children: openRows(.rows, at: position)
        case .sections where top.kind == .item:
            frames[frames.count - 1].form = .sections
            openRows(.sectionList, at: position)
            frames[frames.count - 1].acceptsSectionDictionaries = true
        default: throw wrongValue("an array")
        }
    }

    mutating func openRows(_ kind: Frame.Kind, at position: SourcePosition) {
        push(Frame(kind, at: position, fieldBase: fields.count, start: fields.bytes.count, rowBase: rows.count))
    }

    public mutating func endDictionary() throws(PropertyListError) {
        switch kind {
        case .item: try closeItem()
        case .sectionDictionary: closeSectionDictionary()
        case .namedSections: try closeSections()
        default: try closeValue()
        }
    }

    public mutating func endArray() throws(PropertyListError) {
        guard let top = frames.last else { return }
        switch top.kind {
        case .rows where top.isSection: closeSection()
        case .rows: try closeRows()
        case .sectionList: try closeSections()
        default: try closeValue()
        }
    }

    mutating func closeValue() throws(PropertyListError) {
        let frame = pop()
        if frame.kind == .dictionary {
            _ = fields.close(base: frame.fieldBase)
            if fields.replaceWithUID(dictionaryAt: frame.start) { return didReadValue() }
        }
        try fields.endContainer(at: frame.start)
        if frame.kind == .array, kind == .item || kind == .sectionDictionary {
            noteList(frame.start..<fields.bytes.count, at: frame.position)
        }
        didReadValue()
    }

    /// Ends a plain list of rows: its level is complete.
    mutating func closeRows() throws(PropertyListError) {
        let frame = pop()
        let parts = LevelAssembler.Parts(
            children: takeChildren(from: frame.rowBase), form: .rows, mayHoldTextBeyondXML: hasTextBeyondXML,
            position: frame.position)
        let level = try assembler.assemble(rows, from: frame.rowBase, in: fields.bytes, parts: parts)
        rows.removeSubrange(frame.rowBase...)
        fields.bytes.truncate(to: frame.start)
        warnAboutRepeatedTitle(at: frame.position)
        let owner = frames.count - 1
        frames[owner].needBranch().level = level
        if frames[owner].isBareArray { return try closeItem() }
        if level.count == 0 { warnAboutEmptyChildren(at: frame.position) }
        fields.hole(.rows)
        didReadValue()
    }

    /// The children of the rows from a number on; nothing if all are leaves.
    mutating func takeChildren(from base: Int) -> [Level?] {
        defer { children.removeSubrange(base...) }
        return children[base...].contains { $0 != nil } ? Array(children[base...]) : []
    }

}

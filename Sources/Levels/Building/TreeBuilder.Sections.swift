internal import Bytes
internal import PropertyLists

/// Rows in sections, taken off the builder's stack until the item's end determines their order and titles.
struct SectionedRows {
    var bytes: [UInt8]
    var rows: [PendingRow]
    var children: [Level?]
    var sections: [Section]
    let position: SourcePosition
}

extension TreeBuilder {
    // MARK: One section

    /// Begins the rows of one section.
    mutating func openSection(at position: SourcePosition) {
        let owner = frames.count - 1
        if frames[owner].kind == .sectionDictionary {
            // What the section's dictionary holds so far makes room for its rows.
            let read = frames[owner].start..<fields.bytes.count
            frames[owner].needBranch().section.fields += Array(copying: fields.bytes.span.extracting(read))
            fields.bytes.truncate(to: read.lowerBound)
        }
        var frame = Frame(.rows, at: position, fieldBase: fields.count, start: fields.bytes.count, rowBase: rows.count)
        frame.isSection = true
        frame.isDecided = true
        push(frame)
    }

    mutating func closeSection() {
        let frame = pop()
        let owner = frames.count - 1
        let branch = frames[owner].needBranch()
        var section = Section(start: frame.rowBase, count: rows.count - frame.rowBase)
        switch frames[owner].kind {
        case .sectionDictionary:
            branch.section.start = section.start
            branch.section.count = section.count
            branch.section.fields += [PackedTag.hole.rawValue, LevelForm.rows.rawValue]
            frames[owner].start = fields.bytes.count
        case .namedSections:
            section.title = branch.name
            if let earlier = branch.sectionNumbers.updateValue(branch.sections.count, forKey: Array(branch.name.utf8)) {
                warn(
                    "the section '\(quoted: branch.name)' appears more than once; the last one counts",
                    at: frame.position)
                branch.repeatedSections.insert(earlier)
            }
            branch.sections.append(section)
        default: branch.sections.append(section)
        }
    }

    mutating func sectionKey(_ name: Span<UInt8>, at position: SourcePosition) throws(PropertyListError) {
        let text = String(utf8: name)
        fields.bytes.append(run: name)
        let branch = frames[frames.count - 1].needBranch()
        branch.name = text
        let meaning = sectionRoles.meaning(of: name)
        switch meaning.role {
        case .title:
            role = .title
            branch.name = "Title"
        case .children:
            guard !branch.hasRows else {
                throw PropertyListError(
                    "the section has a second list of rows, '\(quoted: text)'; only one is allowed")
            }
            branch.hasRows = true
            role = .children
        default:
            role = text == "Index" || text == "Footer" ? .title : nil
            if meaning.isNearMiss { warnAboutNearMiss(name, in: sectionRoles, at: position) }
        }
    }

    /// Takes a section's `Title`, `Index` or `Footer`; what it was written as is kept like any field.
    mutating func sectionText(_ text: String) throws(PropertyListError) {
        guard role == .title else { throw wrongValue("text") }
        let branch = frames[frames.count - 1].needBranch()
        switch branch.name {
        case "Index": branch.section.index = text
        case "Footer": branch.section.footer = text
        default: branch.section.title = text
        }
    }

    mutating func closeSectionDictionary() {
        var frame = pop()
        let branch = frame.needBranch()
        branch.section.fields += Array(copying: fields.bytes.span.extracting(frame.start..<fields.bytes.count))
        fields.bytes.truncate(to: frame.start)
        if !branch.hasRows { branch.section.start = rows.count }
        frames[frames.count - 1].needBranch().sections.append(branch.section)
    }

    // MARK: All sections of an item

    mutating func closeSections() throws(PropertyListError) {
        var frame = pop()
        let branch = frame.needBranch()
        var sections = branch.sections
        for number in sections.indices { sections[number].start -= frame.rowBase }
        var batch = SectionedRows(
            bytes: Array(copying: fields.bytes.span.extracting(frame.start..<fields.bytes.count)),
            rows: rows[frame.rowBase...].map { $0.moved(by: -frame.start) },
            children: Array(children[frame.rowBase...]),
            sections: sections, position: frame.position)
        if !branch.repeatedSections.isEmpty { batch.drop(branch.repeatedSections) }
        rows.removeSubrange(frame.rowBase...)
        children.removeSubrange(frame.rowBase...)
        fields.bytes.truncate(to: frame.start)
        let owner = frames.count - 1
        frames[owner].needBranch().batch = batch
        if frames[owner].isBareArray { return try closeItem() }
        fields.hole(frames[owner].form)
        didReadValue()
    }

    /// The level of an item's sections, in the order and with the titles that the whole item determines.
    mutating func sectionedLevel(of batch: SectionedRows, in frame: Frame) throws(PropertyListError) -> Level {
        var batch = batch
        if frame.form == .namedSections {
            try batch.arrange(by: names(in: .sectionKeys, of: frame))
        } else if let titles = try names(in: .sectionTitles, of: frame) {
            for (number, title) in titles.enumerated().prefix(batch.sections.count)
            where batch.sections[number].fields.isEmpty {
                batch.sections[number].title = title
            }
        }
        let isEmpty = !batch.sections.contains { !$0.isHidden && $0.count > 0 }
        if isEmpty {
            warn("all sections are empty, so the item is a leaf", at: batch.position)
            for number in batch.sections.indices { batch.sections[number].isHidden = true }
        }
        let parts = LevelAssembler.Parts(
            children: batch.children.contains { $0 != nil } ? batch.children : [], sections: batch.sections,
            form: frame.form, mayHoldTextBeyondXML: hasTextBeyondXML, position: batch.position)
        let level = try assembler.assemble(batch.rows.span, from: batch.bytes.span, parts: parts)
        warnAboutRepeatedTitle(at: batch.position)
        return level
    }

    /// The texts of an item's `SectionKeys` or `SectionTitles`; nil if it has none.
    private func names(in role: StructuralNames.Role, of frame: Frame) throws(PropertyListError) -> [String]? {
        let content = frame.start..<fields.bytes.count
        for name in names[role] {
            guard let start = PackedFieldList.value(named: name, in: fields.bytes.span, content) else { continue }
            var reader = PackedReader(fields.bytes.span, at: start)
            guard reader.byte() == PackedTag.hidden.rawValue, reader.byte() == PackedTag.array.rawValue else {
                continue
            }
            let size = reader.halfWord()
            let end = reader.offset + size
            var texts: [String] = []
            while reader.offset < end {
                guard let text = fields.scalarText(at: reader.offset) else {
                    throw PropertyListError("'\(quoted: name)' must contain only text", path: currentPath())
                }
                texts.append(text)
                reader.skipValue()
            }
            return texts
        }
        return nil
    }
}

extension SectionedRows {
    /// Orders the named sections; sections that are not named are hidden and come last.
    ///
    /// - Throws: `PropertyListError` for a name that no section has, or a repeated one.
    fileprivate mutating func arrange(by order: [String]?) throws(PropertyListError) {
        guard let order else { return }
        let numbers = Dictionary(
            uniqueKeysWithValues: sections.indices.map { (Array((sections[$0].title ?? "").utf8), $0) })
        var left = Set(sections.indices)
        let listed = try order.map { (name) throws(PropertyListError) in
            guard let number = numbers[Array(name.utf8)], left.remove(number) != nil else {
                let isKnown = numbers[Array(name.utf8)] != nil
                let reason = isKnown ? "twice" : "but 'Sections' does not contain it"
                throw PropertyListError(
                    "'SectionKeys' names '\(quoted: name)' \(reason); name each section once", at: position)
            }
            return sections[number]
        }
        for number in left { sections[number].isHidden = true }
        sections = listed + left.sorted().map { sections[$0] }
        reorderRows()
    }

    /// Removes sections whose name is repeated: of entries with one key, the last counts.
    fileprivate mutating func drop(_ repeated: Set<Int>) {
        sections = sections.indices.filter { !repeated.contains($0) }.map { sections[$0] }
        reorderRows()
    }

    private mutating func reorderRows() {
        let order = sections.flatMap { $0.start..<$0.start + $0.count }
        rows = order.map { rows[$0] }
        children = order.map { children[$0] }
        var start = 0
        for number in sections.indices {
            sections[number].start = start
            start += sections[number].count
        }
    }
}

extension PendingRow {
    fileprivate func moved(by distance: Int) -> PendingRow {
        func move(_ range: Range<Int>) -> Range<Int> { range.lowerBound + distance..<range.upperBound + distance }
        return PendingRow(
            fields: move(fields), title: move(title), explicitKey: explicitKey.map(move), isString: isString,
            place: place)
    }
}

internal import Bytes
internal import PropertyLists

/// Sections: arrays of rows, and dictionaries with rows.
extension TreeBuilder {
    mutating func openSection(at position: SourcePosition) {
        let list = frames.last?.list
        list?.openSection()
        push(Frame(.section, at: position, base: tree.base, list: list))
    }

    mutating func openSectionRows(at position: SourcePosition) {
        // Takes the section's earlier fields off the stack, to make room for the section's rows.
        if kind == .section { takeSectionFields() }
        push(Frame(.sectionRows, at: position, base: tree.base, list: frames.last?.list))
    }

    mutating func closeSectionRows() {
        let frame = pop()
        guard let list = frame.list else { return }
        let section = Section(start: frame.base.row, count: tree.rows.count - frame.base.row)
        switch kind {
        case .section:
            list.section.start = section.start
            list.section.count = section.count
            list.section.fields += [PackedTag.hole.rawValue, LevelForm.rows.rawValue]
            frames[frames.count - 1].base.start = tree.fields.bytes.count
        case .namedSections:
            if list.addNamed(section) {
                warn(
                    "the section '\(quoted: list.name)' appears more than once; the last one counts", at: frame.position
                )
            }
        default: list.add(section)
        }
    }

    mutating func closeSection() {
        takeSectionFields()
        let frame = pop()
        guard let list = frame.list else { return }
        list.closeSection(at: tree.rows.count)
    }

    /// Moves the fields of the section's open dictionary into the section.
    private mutating func takeSectionFields() {
        let frame = frames[frames.count - 1]
        guard let list = frame.list else { return }
        for field in frame.base.field..<tree.fields.count { take(field, as: &list.section) }
        _ = tree.fields.close(base: frame.base.field)
        let read = frame.base.start..<tree.fields.bytes.count
        list.section.fields += Array(copying: tree.fields.bytes.span.extracting(read))
        tree.fields.bytes.truncate(to: read.lowerBound)
    }

    private func take(_ field: Int, as section: inout Section) {
        let start = tree.fields.start(field)
        guard start.name.upperBound < tree.fields.bytes.count else { return }
        switch start.meaning.slot {
        case .title: section.title = tree.fields.scalarText(at: start.name.upperBound)
        case .index: section.index = tree.fields.scalarText(at: start.name.upperBound)
        case .type: frames.last?.list?.hasTypes = true
        case .footer: section.footer = tree.fields.scalarText(at: start.name.upperBound)
        default: break
        }
    }
}

/// Sections in an array. `SectionTitles` has the titles of sections that are arrays.
enum ListedSections: LevelStrategy {
    static func level(
        of rows: SetAsideRows, in item: GatheredItem, builder: inout TreeBuilder
    ) throws(PropertyListError) -> Level {
        var rows = rows
        let titles = try builder.texts(of: .sectionTitles, in: item) ?? []
        for (number, title) in titles.enumerated().prefix(rows.sections.count)
        where rows.sections[number].fields.isEmpty {
            rows.sections[number].title = title
        }
        return try builder.sectionedLevel(of: rows)
    }
}

extension ListRule {
    /// `Sections`, as an array.
    static let sections = ListRule(kind: .sectionList, form: .sections, strategy: ListedSections.self)

    /// `Children`, as an array of arrays.
    static let arraysOfRows = ListRule(kind: .sectionList, form: .arraysOfRows, strategy: ListedSections.self)
}

extension TreeBuilder {
    /// Makes the level of rows in sections. If no row is shown, all sections are hidden.
    mutating func sectionedLevel(of rows: SetAsideRows) throws(PropertyListError) -> Level {
        var rows = rows
        if !rows.sections.contains(where: { !$0.isHidden && $0.count > 0 }) {
            warn("all sections are empty, so the item is a leaf", at: rows.position)
            for number in rows.sections.indices { rows.sections[number].isHidden = true }
        }
        return try level(of: rows)
    }
}

/// Sections in a dictionary, in the order of `SectionKeys`.
enum NamedSections: LevelStrategy {
    static func level(
        of rows: SetAsideRows, in item: GatheredItem, builder: inout TreeBuilder
    ) throws(PropertyListError) -> Level {
        var rows = rows
        if let order = try builder.texts(of: .sectionKeys, in: item) { try arrange(&rows, by: order) }
        return try builder.sectionedLevel(of: rows)
    }

    /// Arranges the sections in the order of their names in `order`. Sections that `order` does not name are hidden and
    /// come last.
    ///
    /// - Throws: `PropertyListError` for an unknown or a repeated name.
    private static func arrange(_ rows: inout SetAsideRows, by order: [String]) throws(PropertyListError) {
        var sections = rows.sections
        let numbers = Dictionary(
            uniqueKeysWithValues: sections.indices.map { (Array((sections[$0].title ?? "").utf8), $0) })
        var left = Set(sections.indices)
        let position = rows.position
        let listed = try order.map { (name) throws(PropertyListError) -> Int in
            guard let number = numbers[Array(name.utf8)], left.remove(number) != nil else {
                let isKnown = numbers[Array(name.utf8)] != nil
                let reason = isKnown ? "twice" : "but 'Sections' does not contain it"
                throw PropertyListError(
                    reason: "'SectionKeys' names '\(quoted: name)' \(reason); name each section once", at: position)
            }
            return number
        }
        for number in left { sections[number].isHidden = true }
        let places = listed + left.sorted()
        rows.sections = places.map { sections[$0] }
        // Int32 can count the sections of any level.
        for (number, place) in places.enumerated() {
            rows.sections[place].writtenShift = Int32(truncatingIfNeeded: number - place)
        }
        rows.followSections()
    }
}

extension ListRule {
    /// `Sections`, as a dictionary.
    static let namedSections = ListRule(kind: .namedSections, form: .namedSections, strategy: NamedSections.self)
}

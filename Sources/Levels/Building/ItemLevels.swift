internal import Bytes
internal import PropertyLists

/// The level of an item: the rows of a list, or the rows of a settings page.
extension TreeBuilder {
    /// Ends a list of rows. If the list is plain, the level is complete.
    mutating func closeRows() throws(PropertyListError) {
        if frames.last?.list != nil { return try closeList() }
        let frame = pop()
        let level = try tree.level(from: frame.base.row, start: frame.base.start, form: .rows, at: frame.position)
        warnAboutRepeatedTitle(at: frame.position)
        items.hold(level)
        if kind == .document { return try closeItem() }
        if level.count == 0 { warnAboutEmptyChildren(at: frame.position) }
        tree.fields.hole(.rows)
    }

    /// Ends a list whose level is made at the end of its item.
    mutating func closeList() throws(PropertyListError) {
        let frame = pop()
        guard let list = frame.list else { return }
        let sections = list.takeSections()
        try list.take(tree.setAside(frame.base, sections: sections, form: list.rule.form, at: frame.position))
        items.hold(list)
        if kind == .document { return try closeItem() }
        tree.fields.hole(list.rule.form)
    }

    /// Takes the level of the innermost item, which ends.
    mutating func takeLevel() throws(PropertyListError) -> Level? {
        if let page = pageField { return try settingsPage(page) }
        if let list = items.takeList(), let rows = list.takeRows(), let strategy = list.rule.strategy {
            return try strategy.level(of: rows, in: items.innermost, builder: &self)
        }
        if items.count == 1, kind == .item, items.levelSlot == .none, source == nil, database == nil { throw noLevel }
        return items.takeLevel()
    }

    mutating func level(of rows: SetAsideRows) throws(PropertyListError) -> Level {
        let level = try tree.level(of: rows)
        warnAboutRepeatedTitle(at: rows.position)
        return level
    }
}

/// Settings pages: documents whose root has `PreferenceSpecifiers`.
extension TreeBuilder {
    /// The field of the innermost item's `PreferenceSpecifiers`, if they make the item a settings page; otherwise nil.
    var pageField: Int? {
        guard let field = items.field(.preferenceSpecifiers), items.count == 1 || items.field(.source) != nil,
            tree.fields.bytes.span[tree.fields.start(field).name.upperBound] == PackedTag.hidden.rawValue
        else { return nil }
        return field
    }

    /// Whether `PreferenceSpecifiers` make the innermost item a settings page although the item is not the root. This
    /// occurs in a document that was written with its parts in place: the specifiers of a mounted page follow the
    /// item's `Source`.
    var takesMountedPage: Bool { items.levelSlot == .none && source != nil }

    /// The level of a settings page, from the innermost item's field with the specifiers.
    @inline(never)
    private mutating func settingsPage(_ field: Int) throws(PropertyListError) -> Level {
        guard items.levelSlot == .none else { throw pageWithLevel(field) }
        let start = tree.fields.start(field)
        let position = start.place.position ?? .byte(offset: 0)
        do throws(PropertyListError) {
            let level = try tree.level(of: specifiers(from: start.name.upperBound, at: position))
            return level
        } catch {
            throw error.located(at: position)
        }
    }

    private mutating func specifiers(
        from offset: Int, at position: SourcePosition
    ) throws(PropertyListError) -> SetAsideRows {
        let value = try PropertyListValue(packed: tree.fields.bytes.span, at: offset)
        let elements = if case .array(let elements) = value { elements } else { [] as [PropertyListValue] }
        // If the key is repeated, the positions of the replaced field come first.
        let positions = specifierPositions.suffix(elements.count)
        var page = SettingsPageBuilder()
        for (number, element) in elements.enumerated() {
            guard case .dictionary(let specifier) = element else {
                throw PropertyListError(
                    reason: "element \(number + 1) of 'PreferenceSpecifiers' must be a specifier, which is a dictionary"
                )
            }
            let place = positions.count == elements.count ? positions[positions.startIndex + number] : position
            let earlier = page.rowCount
            do throws(PropertyListError) {
                try page.add(specifier, at: place)
            } catch {
                throw PropertyListError(
                    reason: "element \(number + 1) of 'PreferenceSpecifiers': \(error.reason)", at: place)
            }
            for _ in earlier..<page.rowCount { try tree.countItem() }
        }
        if items.count == 1 { childPanes = page.childPanes }
        return page.finish(at: position)
    }

    private func pageWithLevel(_ field: Int) -> PropertyListError {
        let other = items.innermost.levelField.map { name(ofField: $0) } ?? ""
        return PropertyListError(
            reason:
                "\(items.count == 1 ? "the root" : "the item") has both '\(quoted: other)' and 'PreferenceSpecifiers'; only one of them can hold its level",
            at: tree.fields.start(field).place.position, path: currentPath())
    }
}

extension SettingsPage {
    /// Creates the settings page of a document; nil if the document is not a settings page.
    ///
    /// A document whose root mounts a page is not itself a page, because the other files of the page are in another
    /// folder.
    public init?(_ tree: Tree) {
        document = tree.document
        childPanes = tree.childPanes
        guard let level = document.child(0), level.form == .specifiers,
            document.text(PartReference.sourceName, inRow: 0) == nil
        else { return nil }
        self.level = level
    }
}

internal import Bytes
internal import PropertyLists

/// Controls outside of settings bundles: items whose `Type` is a `ControlType`.
extension TreeBuilder {
    /// Appends a control to the item that was packed last, if the item's `Type` is the name of a control. Returns
    /// whether a control was appended.
    mutating func appendControl(to content: Range<Int>) throws(PropertyListError) -> Bool {
        let type = PackedDictionary(bytes: tree.fields.bytes.span, fields: content).text("Type")
        guard let type = type.flatMap(ControlType.init) else { return false }
        let item = try PropertyListDictionary(packed: content, of: tree.fields.bytes.span)
        var control = PropertyListDictionary(control: type.rawValue, key: item["Key"], value: item["Value"])
        control.addProperties(of: item)
        try tree.fields.bytes.append(control: control)
        return true
    }
}

/// Settings pages: documents whose root has `PreferenceSpecifiers`.
extension TreeBuilder {
    /// The field of the innermost item's `PreferenceSpecifiers`, if they make the item a settings page; otherwise nil.
    var pageField: Int? {
        guard let field = items.field(specifiersSlot) else { return nil }
        return tree.fields.bytes.span[tree.fields.start(field).name.upperBound] == PackedTag.hidden.rawValue
            ? field : nil
    }

    /// Whether `PreferenceSpecifiers` make the innermost item a settings page although the item is not the root. This
    /// occurs in a document that was written with its parts in place: the specifiers of a mounted page follow the
    /// item's `Source`.
    var takesMountedPage: Bool { items.levelSlot == 0 && source != nil }

    /// The level of a settings page, from the innermost item's field with the specifiers.
    mutating func settingsPage(_ field: Int) throws(PropertyListError) -> Level {
        guard items.levelSlot == 0 else { throw pageWithLevel(field) }
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

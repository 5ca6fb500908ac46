internal import Bytes
internal import PropertyLists

/// Makes the rows and sections of a settings page from its packed specifiers (manual, Settings pages).
///
/// `PSGroupSpecifier` and `PSRadioGroupSpecifier` begin a section. Every other specifier is a row, and so is every choice
/// of a radio group. Source: Apple, Settings Application Schema Reference.
struct SettingsPageBuilder: ~Copyable {
    private var bytes = ByteBuffer()
    private var rows: [PendingRow] = []
    private(set) var childPanes: [SettingsPage.ChildPane] = []
    private var sections = [Section(start: 0, count: 0)]

    /// The kinds of specifiers that are not controls.
    private enum Kind: String {
        case group = "PSGroupSpecifier"
        case radioGroup = "PSRadioGroupSpecifier"
        case childPane = "PSChildPaneSpecifier"
    }

    /// Adds the next specifier.
    ///
    /// - Parameter position: where it is in the document.
    mutating func add(_ specifier: PackedDictionary, at position: SourcePosition) throws(PropertyListError) {
        switch specifier.text("Type").flatMap(Kind.init) {
        case .group: begin(specifier)
        case .radioGroup:
            begin(specifier)
            addChoices(of: specifier)
        case .childPane:
            childPanes.append(
                SettingsPage.ChildPane(
                    row: rows.count, file: specifier.text("File"), title: specifier.scalarText("Title") ?? "",
                    position: position))
            try addRow(specifier, at: position, isPart: true)
        case nil: try addRow(specifier, at: position, isPart: false)
        }
        sections[sections.count - 1].count = rows.count - sections[sections.count - 1].start
    }

    /// The number of rows so far.
    var rowCount: Int { rows.count }

    /// The rows, and the sections that have something to show; without a row, the level has none.
    consuming func finish(at position: SourcePosition) -> SetAsideRows {
        let shown = sections.filter { $0.count > 0 || $0.title != nil || $0.footer != nil }
        return SetAsideRows(
            bytes: Array(copying: bytes.span), rows: rows, children: [], sections: rows.isEmpty ? [] : shown,
            form: .specifiers, position: position)
    }

    private mutating func begin(_ group: PackedDictionary) {
        sections.append(
            Section(
                title: group.scalarText("Title"), footer: group.scalarText("FooterText"), start: rows.count, count: 0))
    }

    // MARK: Rows

    private mutating func addRow(
        _ specifier: PackedDictionary, at position: SourcePosition, isPart: Bool
    ) throws(PropertyListError) {
        let start = bytes.count
        let distance = start - specifier.fields.lowerBound
        bytes.append(specifier.bytes.extracting(specifier.fields))
        if !isPart { appendControl(of: specifier) }
        let end = bytes.count
        var row = PendingRow(fields: start..<end, title: end..<end, marks: isPart ? .isPart : .isControl)
        if let title = specifier.textRange("Title") {
            row.title = title.moved(by: distance)
        } else if let title = specifier.scalarText("Title") {
            bytes.append(title)
            row.title = end..<bytes.count
        } else if specifier.value("Title") != nil {
            throw PropertyListError("a title must be text, a number or a date")
        }
        row.place = PackedPosition(position)
        row.explicitKey = specifier.textRange("Key")?.moved(by: distance)
        rows.append(row)
    }

    private mutating func appendControl(of specifier: PackedDictionary) {
        var type = Substring(specifier.text("Type") ?? "")
        if type.hasPrefix("PS") { type = type.dropFirst(2) }
        if type.hasSuffix("Specifier") { type = type.dropLast("Specifier".count) }
        var control = PackedControl(type: String(type))
        addKeyAndValue(of: specifier, to: &control)
        control.addProperties(of: specifier, isToggle: type == ControlType.toggleSwitch.rawValue)
        control.append(to: &bytes)
    }

    /// The value is the default; `Level.showing` puts a stored one in its place.
    private func addKeyAndValue(of specifier: PackedDictionary, to control: inout PackedControl) {
        control.add("key", "Key", of: specifier)
        control.add("value", "DefaultValue", of: specifier)
    }

    /// Adds a row for each choice; its fields are its `Title` and its `Value`.
    private mutating func addChoices(of group: PackedDictionary) {
        let choices = ControlChoices(of: group)
        for (title, value) in zip(choices.titles, choices.values) {
            let start = bytes.count
            let packed = group.bytes.extracting(value)
            bytes.append(run: "Title".utf8Span.span)
            bytes.append(PackedTag.string)
            bytes.append(packed: UInt64(title.utf8.count))
            let text = bytes.count..<bytes.count + title.utf8.count
            bytes.append(title)
            bytes.append(run: "Value".utf8Span.span)
            bytes.append(packed)
            var control = PackedControl(type: ControlType.radioGroup.rawValue)
            addKeyAndValue(of: group, to: &control)
            control.add("choice", packed: packed)
            control.append(to: &bytes)
            rows.append(PendingRow(fields: start..<bytes.count, title: text, marks: .isControl))
        }
    }
}

/// Settings pages: documents whose root has `PreferenceSpecifiers`.
extension TreeBuilder {
    /// The innermost item's `PreferenceSpecifiers`, by its number, if it is a settings page; else they are a field.
    var pageField: Int? {
        guard let field = items.field(specifiersSlot) else { return nil }
        return tree.fields.bytes.span[tree.fields.start(field).name.upperBound] == PackedTag.hidden.rawValue
            ? field : nil
    }

    /// Whether `PreferenceSpecifiers` make the innermost item a settings page though it is not the root.
    ///
    /// A document that was written with its parts in place has those of a mounted page after the `Source`.
    var takesMountedPage: Bool { items.levelSlot == 0 && source != nil }

    /// The level of a page, which the innermost item's field with a number describes.
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

    /// The rows of the packed array after a tag.
    private mutating func specifiers(
        from offset: Int, at position: SourcePosition
    ) throws(PropertyListError) -> SetAsideRows {
        // A copy, since the rows are counted meanwhile; a page has a few dozen of them.
        let bytes = Array(copying: tree.fields.bytes.span.extracting(offset..<tree.fields.bytes.count))
        let elements = PackedDictionary(bytes.span, 0..<0).elements(at: 1)
        // The positions of a field that the last one replaced come first.
        let positions = specifierPositions.suffix(elements.count)
        var page = SettingsPageBuilder()
        for (number, element) in elements.enumerated() {
            guard bytes[element.lowerBound] == PackedTag.dictionary.rawValue else {
                throw PropertyListError(
                    "element \(number + 1) of 'PreferenceSpecifiers' must be a specifier, which is a dictionary")
            }
            let place = positions.count == elements.count ? positions[positions.startIndex + number] : position
            let earlier = page.rowCount
            do throws(PropertyListError) {
                // After the tag and the size.
                try page.add(PackedDictionary(bytes.span, element.lowerBound + 5..<element.upperBound), at: place)
            } catch {
                throw PropertyListError("element \(number + 1) of 'PreferenceSpecifiers': \(error.reason)", at: place)
            }
            for _ in earlier..<page.rowCount { try tree.countItem() }
        }
        if items.count == 1 { childPanes = page.childPanes }
        return page.finish(at: position)
    }

    private func pageWithLevel(_ field: Int) -> PropertyListError {
        let other = items.innermost.levelField.map { name(ofField: $0) } ?? ""
        return PropertyListError(
            "\(items.count == 1 ? "the root" : "the item") has both '\(quoted: other)' and 'PreferenceSpecifiers'; only one of them can hold its level",
            at: tree.fields.start(field).place.position, path: currentPath())
    }
}

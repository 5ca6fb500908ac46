internal import Bytes
public import PropertyLists

/// A settings page, and the other files that the page needs.
public struct SettingsPage: Sendable {
    /// A row whose level is another page.
    public struct ChildPane: Sendable, Equatable {
        /// The number of the row.
        public let row: Int
        /// The name of the page's file without `.plist`; nil if the specifier names no file.
        public let file: String?
        /// The title of the row; may be empty.
        public let title: String
        /// The position of the specifier in its document.
        public let position: SourcePosition
    }

    let document: Level
    /// The level of the page.
    public let level: Level

    /// The rows whose levels are other pages, in the order of the page.
    public let childPanes: [ChildPane]

    /// The page's `StringsTable`: the name of the page's table of strings.
    public var stringsTable: String? { document.text("StringsTable", inRow: 0) }
}

extension Level {
    /// The text of a row's field; nil if the field is missing or not text.
    func text(_ field: String, inRow number: Int) -> String? {
        let bytes = bytes
        return PackedDictionary(bytes: bytes.span, fields: row(number).fields).text(field)
    }
}

/// Makes the rows and sections of a settings page from its packed specifiers (manual, Settings pages).
///
/// `PSGroupSpecifier` and `PSRadioGroupSpecifier` begin a section. Every other specifier is a row, and so is every
/// choice of a radio group. Source: Apple, Settings Application Schema Reference.
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

    /// Adds the next specifier, at its position in the document.
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

    var rowCount: Int { rows.count }

    /// Returns the rows, and the sections with rows, a title or a footer.
    consuming func finish(at position: SourcePosition) -> SetAsideRows {
        let shown = sections.filter { $0.count > 0 || $0.title != nil || $0.footer != nil }
        return SetAsideRows(
            bytes: Array(copying: bytes.span), rows: rows, children: [], sections: shown,
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
            throw PropertyListError(reason: "a title must be text, a number or a date")
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

    /// Adds the key, and the default as the value. `Level.showing` replaces the default with a stored value.
    private func addKeyAndValue(of specifier: PackedDictionary, to control: inout PackedControl) {
        control.add("key", field: "Key", of: specifier)
        control.add("value", field: "DefaultValue", of: specifier)
    }

    /// Adds a row for each choice of a radio group. The fields of the row are `Title` and `Value`.
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

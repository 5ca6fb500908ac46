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

/// Makes the rows and sections of a settings page from its specifiers (manual, Settings pages).
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
    mutating func add(
        _ specifier: PropertyListDictionary, at position: SourcePosition
    ) throws(PropertyListError) {
        switch specifier["Type"]?.text.flatMap(Kind.init) {
        case .group: begin(specifier)
        case .radioGroup:
            begin(specifier)
            for choice in specifier.choices { try add(choice, of: specifier) }
        case .childPane:
            childPanes.append(
                SettingsPage.ChildPane(
                    row: rows.count, file: specifier["File"]?.text, title: specifier["Title"]?.scalarText ?? "",
                    position: position))
            try addRow(specifier, control: nil, at: PackedPosition(position))
        case nil: try addRow(specifier, control: Self.control(of: specifier), at: PackedPosition(position))
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

    private mutating func begin(_ group: PropertyListDictionary) {
        sections.append(
            Section(
                title: group["Title"]?.scalarText, footer: group["FooterText"]?.scalarText, start: rows.count,
                count: 0))
    }

    // MARK: Rows

    private mutating func addRow(
        _ fields: PropertyListDictionary, control: PropertyListDictionary?, at place: PackedPosition
    ) throws(PropertyListError) {
        let start = bytes.count
        for field in fields.entries {
            bytes.append(run: Array(field.key.utf8).span)
            try bytes.append(value: field.value)
        }
        let (titleSource, keySource) = (value("Title", from: start), value("Key", from: start))
        let (title, key) = (text(at: titleSource), text(at: keySource))
        if let control { try bytes.append(control: control) }
        let end = bytes.count
        var row = PendingRow(
            fields: start..<end, title: title ?? end..<end, titleSource: titleSource ?? -1, explicitKey: key,
            keySource: keySource ?? -1, marks: control == nil ? .isPart : .isControl, place: place)
        if title == nil, let value = fields["Title"] {
            guard let text = value.scalarText else {
                throw PropertyListError(reason: "a title must be text, a number or a date")
            }
            bytes.append(text)
            row.title = end..<bytes.count
        }
        rows.append(row)
    }

    private func value(_ name: String, from start: Int) -> Int? {
        PackedDictionary(bytes: bytes.span, fields: start..<bytes.count).value(name)
    }

    private func text(at value: Int?) -> Range<Int>? {
        value.flatMap { PackedReader(bytes: bytes.span, at: $0).text }
    }

    private static func control(of specifier: PropertyListDictionary) -> PropertyListDictionary {
        var type = Substring(specifier["Type"]?.text ?? "")
        if type.hasPrefix("PS") { type = type.dropFirst(2) }
        if type.hasSuffix("Specifier") { type = type.dropLast("Specifier".count) }
        var control = PropertyListDictionary(
            control: String(type), key: specifier["Key"], value: specifier["DefaultValue"])
        control.addProperties(of: specifier)
        return control
    }

    /// Adds a row for a choice of a radio group. The fields of the row are `Title` and `Value`.
    private mutating func add(
        _ choice: ControlChoice, of group: PropertyListDictionary
    ) throws(PropertyListError) {
        var fields = PropertyListDictionary()
        fields["Title"] = .string(choice.title)
        fields["Value"] = choice.value
        var control = PropertyListDictionary(
            control: ControlType.radioGroup.rawValue, key: group["Key"], value: group["DefaultValue"])
        control["choice"] = choice.value
        try addRow(fields, control: control, at: .none)
    }
}

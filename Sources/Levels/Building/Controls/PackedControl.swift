internal import Bytes
public import PropertyLists

/// Packs the `control` of a row.
///
/// A control is the last field of its row, with an empty name and the tag `control`, so that it is part of the row's
/// content. Its dictionary has the members of the answer in their order: `type`, `key`, `value`, `options`, `choice`,
/// `min`, `max`, `trueValue`, `falseValue`, `secure`, `keyboard`, `tag`.
struct PackedControl: ~Copyable {
    private var bytes = ByteBuffer()

    init(type: String) { add("type", text: type) }

    var members: Span<UInt8> {
        @_lifetime(borrow self)
        get { bytes.span }
    }

    mutating func add(_ name: String, text: String) { bytes.append(field: name, text: text) }

    mutating func add(_ name: String, flag: Bool) {
        bytes.append(run: name.utf8Span.span)
        bytes.append(packed: .boolean(flag))
    }

    mutating func add(_ name: String, packed: Span<UInt8>) {
        bytes.append(run: name.utf8Span.span)
        bytes.append(packed)
    }

    /// Adds the value of a field under another name, if the dictionary has the field.
    mutating func add(_ name: String, field: String, of item: PackedDictionary) {
        guard let value = item.packed(field) else { return }
        add(name, packed: item.bytes.extracting(value))
    }

    /// Adds the members that any type of control takes from the fields of an item.
    mutating func addProperties(of item: PackedDictionary, isToggle: Bool) {
        addOptions(of: item)
        add("min", field: "MinimumValue", of: item)
        add("max", field: "MaximumValue", of: item)
        if isToggle { addToggleValues(of: item) }
        if item.value("IsSecure") != nil { add("secure", flag: item.isTrue("IsSecure")) }
        add("keyboard", field: "KeyboardType", of: item)
        add("tag", field: "Tag", of: item)
    }

    /// Adds the two values of a switch, by default `true` and `false`.
    private mutating func addToggleValues(of item: PackedDictionary) {
        if item.value("TrueValue") == nil {
            add("trueValue", flag: true)
        } else {
            add("trueValue", field: "TrueValue", of: item)
        }
        if item.value("FalseValue") == nil {
            add("falseValue", flag: false)
        } else {
            add("falseValue", field: "FalseValue", of: item)
        }
    }

    private mutating func addOptions(of item: PackedDictionary) {
        let choices = ControlChoices(of: item)
        guard !choices.values.isEmpty else { return }
        let options = zip(choices.titles, choices.values).map { (title: $0, value: $1) }
        Self.appendOptions(options, from: item.bytes, to: &bytes)
    }

    /// Appends the member `options`.
    ///
    /// - Parameter source: the bytes that contain the values.
    static func appendOptions(
        _ options: [(title: String, value: Range<Int>)], from source: Span<UInt8>, to output: inout ByteBuffer
    ) {
        output.append(run: "options".utf8Span.span)
        let list = output.beginContainer(.array)
        for option in options {
            let start = output.beginContainer(.dictionary)
            output.append(field: "title", text: option.title)
            output.append(run: "value".utf8Span.span)
            output.append(source.extracting(option.value))
            output.endSmallContainer(at: start)
        }
        output.endSmallContainer(at: list)
    }

    func append(to output: inout ByteBuffer) { Self.append(members, to: &output) }

    static func append(_ members: Span<UInt8>, to output: inout ByteBuffer) {
        output.append(packed: 0)
        output.append(PackedTag.control)
        let content = output.beginContainer(.dictionary)
        output.append(members)
        output.endSmallContainer(at: content)
    }
}

/// The values that a control offers, and their titles.
struct ControlChoices {
    let titles: [String]
    /// The ranges of the packed values.
    let values: [Range<Int>]

    /// Reads `Values` and `Titles` of a dictionary. If `Titles` is missing, the text of each value is also its title.
    /// Surplus elements of the longer list are ignored.
    init(of item: PackedDictionary) {
        let values = item.elements("Values")
        let shown = item.value("Titles") == nil ? values : item.elements("Titles")
        let count = min(values.count, shown.count)
        var titles: [String] = []
        for element in shown.prefix(count) {
            titles.append(PackedReader(bytes: item.bytes, at: element.lowerBound).scalarText ?? "")
        }
        self.titles = titles
        self.values = Array(values.prefix(count))
    }
}

extension ByteBuffer {
    mutating func append(field name: String, text: String) {
        append(run: name.utf8Span.span)
        append(PackedTag.string)
        append(packed: UInt64(text.utf8.count))
        append(text)
    }

}

extension Level {
    /// The members of a row's control, as the row shows them; nil for a row without a control.
    ///
    /// A choice of a radio group on a settings page also gets the whole group's values as `options`.
    public func control(ofRow number: Int) -> PropertyListDictionary? {
        guard var control = ownControl(ofRow: number) else { return nil }
        guard form == .specifiers, control["choice"] != nil else { return control }
        control["options"] = .array(
            sectionRows(around: number).compactMap { choice(ofRow: $0, key: control["key"]) })
        return control
    }

    private func choice(ofRow number: Int, key: PropertyListValue?) -> PropertyListValue? {
        guard let control = ownControl(ofRow: number), let choice = control["choice"], control["key"] == key else {
            return nil
        }
        return .dictionary(PropertyListDictionary([PropertyListDictionary.Entry(key: "value", value: choice)]))
    }

    /// Returns the row of the selected choice in a radio group of this settings page; if no choice is selected, the row
    /// of the group's first choice. Nil if the page lacks a group with this key.
    public func radioRow(ofGroup key: String) -> Int? {
        guard form == .specifiers else { return nil }
        let rows = (0..<rowCount).filter { controlKey(ofRow: $0) == key }
        let choices = rows.filter { ownControl(ofRow: $0)?["choice"] != nil }
        return choices.first { row in
            let control = ownControl(ofRow: row)
            return control?["choice"] == control?["value"]
        } ?? choices.first
    }

    func sectionRows(around row: Int) -> Range<Int> {
        let section = allSections.first { $0.rows.contains(row) }
        return section.map { $0.start..<$0.start + $0.count } ?? 0..<rowCount
    }

    private func ownControl(ofRow number: Int) -> PropertyListDictionary? {
        let bytes = bytes
        guard let members = row(number).control(in: bytes.span) else { return nil }
        var control = PropertyListDictionary()
        for member in PackedField.all(in: members, of: bytes.span) {
            do throws(PropertyListError) {
                let name = String(utf8: bytes.span.extracting(member.name))
                control[name] = try PropertyListValue(packed: bytes.span, at: member.value)
            } catch {
                return nil
            }
        }
        return control
    }

    /// The key under which the value of a row's control is stored; nil if the row lacks a control, or the control lacks
    /// a key.
    func controlKey(ofRow number: Int) -> String? {
        let bytes = bytes
        guard let members = row(number).control(in: bytes.span) else { return nil }
        return PackedDictionary(bytes: bytes.span, fields: members).text("key")
    }
}

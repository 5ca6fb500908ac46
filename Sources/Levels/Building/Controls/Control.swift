internal import Bytes
public import PropertyLists

/// The control of a row: a dictionary with the members of the answer in their order, which are `type`, `key`, `value`,
/// `options`, `choice`, `min`, `max`, `trueValue`, `falseValue`, `secure`, `keyboard` and `tag`.
extension PropertyListDictionary {
    init(control type: String, key: PropertyListValue?, value: PropertyListValue?) {
        self.init([Entry(key: "type", value: .string(type))])
        self["key"] = key
        self["value"] = value
    }

    /// Adds the members that any type of control takes from the fields of an item.
    mutating func addProperties(of item: PropertyListDictionary) {
        let choices = item.choices
        if !choices.isEmpty { self["options"] = .array(choices.map { .dictionary($0.member) }) }
        self["min"] = item["MinimumValue"]
        self["max"] = item["MaximumValue"]
        if self["type"]?.text == ControlType.toggleSwitch.rawValue {
            self["trueValue"] = item["TrueValue"] ?? .boolean(true)
            self["falseValue"] = item["FalseValue"] ?? .boolean(false)
        }
        self["secure"] = item["IsSecure"].map { .boolean($0.isTrue) }
        self["keyboard"] = item["KeyboardType"]
        self["tag"] = item["Tag"]
    }

    /// The values that `Values` and `Titles` offer. If `Titles` is missing, the text of each value is also its title.
    /// Surplus elements of the longer list are ignored.
    var choices: [ControlChoice] {
        let values = self["Values"]?.elements ?? []
        let titles = self["Titles"].map { $0.elements } ?? values
        return zip(titles, values).map { ControlChoice(title: $0.scalarText ?? "", value: $1) }
    }

    /// The control with another value, which follows the type and the key.
    func showing(_ value: PropertyListValue) -> PropertyListDictionary {
        var members = entries.filter { $0.key != "value" }
        let place = members.firstIndex { $0.key != "type" && $0.key != "key" } ?? members.count
        members.insert(Entry(key: "value", value: value), at: place)
        return PropertyListDictionary(members)
    }

    /// The control with other titles of its options; nil if no title changes.
    func translated(_ translation: (String) -> String?) -> PropertyListDictionary? {
        guard let options = self["options"]?.elements else { return nil }
        var isTranslated = false
        var control = self
        control["options"] = .array(
            options.map { option in
                guard case .dictionary(var option) = option, let title = option["title"]?.text.flatMap(translation)
                else { return option }
                isTranslated = true
                option["title"] = .string(title)
                return .dictionary(option)
            })
        return isTranslated ? control : nil
    }
}

/// A value that a control offers, and its title.
struct ControlChoice {
    let title: String
    let value: PropertyListValue

    /// The choice as an element of a control's `options`.
    fileprivate var member: PropertyListDictionary {
        PropertyListDictionary([
            PropertyListDictionary.Entry(key: "title", value: .string(title)),
            PropertyListDictionary.Entry(key: "value", value: value),
        ])
    }
}

extension PropertyListValue {
    /// A text itself, or the JSON text of a number, a date or a Boolean; nil for any other value.
    var scalarText: String? { text ?? scalar?.text }

    /// The elements of an array; empty for any other value.
    fileprivate var elements: [PropertyListValue] { if case .array(let elements) = self { elements } else { [] } }

    /// Whether the value is `true`, a number other than 0, the text of a number other than 0, or the text `yes` or
    /// `true` in any case.
    fileprivate var isTrue: Bool {
        guard let text = scalarText else { return false }
        return ["true", "yes"].contains(text.lowercased()) || Double(text).map { $0 != 0 } ?? false
    }
}

extension ByteBuffer {
    /// Appends a control as a field of its row. The field has an empty name and the tag `control`, and is the last one,
    /// so that the control is part of the row's content.
    mutating func append(control: PropertyListDictionary) throws(PropertyListError) {
        append(packed: 0)
        append(PackedTag.control)
        try append(value: .dictionary(control))
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

    /// The control as it is packed in the row.
    func ownControl(ofRow number: Int) -> PropertyListDictionary? {
        let bytes = bytes
        guard let members = row(number).control(in: bytes.span) else { return nil }
        do throws(PropertyListError) {
            return try PropertyListDictionary(packed: members, of: bytes.span)
        } catch {
            return nil
        }
    }

    /// The key under which the value of a row's control is stored; nil if the row lacks a control, or the control lacks
    /// a key.
    func controlKey(ofRow number: Int) -> String? {
        let bytes = bytes
        guard let members = row(number).control(in: bytes.span) else { return nil }
        return PackedDictionary(bytes: bytes.span, fields: members).text("key")
    }
}

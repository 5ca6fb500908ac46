import DrilldownClient
import Foundation

// The pages of a settings bundle as levels.
extension MemoryItem {
    /// Creates the item whose level is a settings page.
    ///
    /// - Parameters:
    ///   - page: the dictionary with `PreferenceSpecifiers`.
    ///   - fields: the fields of the item; nil for the other fields of the page.
    ///   - pages: the child pages, by the name in `File`.
    init(settingsPage page: Fields, fields: Fields? = nil, pages: [String: FieldValue]) {
        self.init(fields: fields ?? page)
        if fields == nil { self.fields["PreferenceSpecifiers"] = nil }
        isSpecifier = true
        var open: (section: Section, items: [MemoryItem]) = (Section(), [])
        for specifier in page["PreferenceSpecifiers"]?.list?.compactMap(\.dictionary) ?? [] {
            let type = specifier["Type"]?.text
            if type == "PSGroupSpecifier" || type == "PSRadioGroupSpecifier" {
                add(open.section, items: open.items)
                open = (Section(specifier), [])
                open.section.footer = specifier["FooterText"]?.groupText
                guard type == "PSRadioGroupSpecifier" else { continue }
                open.items = specifier.choices.map {
                    MemoryItem(specifier: ["Title": .text($0.title), "Value": $0.value])
                }
            } else if type == "PSChildPaneSpecifier" {
                open.items.append(Self.childPane(specifier, pages: pages))
            } else {
                open.items.append(MemoryItem(specifier: specifier))
            }
        }
        add(open.section, items: open.items)
        removeEmptySections()
    }

    private init(specifier: Fields) {
        self.init(fields: specifier)
        isSpecifier = true
    }

    private static func childPane(_ specifier: Fields, pages: [String: FieldValue]) -> MemoryItem {
        let file = specifier["File"]?.text ?? ""
        var others = pages
        // A page cannot be below itself.
        guard let page = others.removeValue(forKey: file)?.dictionary else {
            var item = MemoryItem(specifier: specifier)
            item.error = "There is no page '\(file)' in memory."
            return item
        }
        return MemoryItem(settingsPage: page, fields: specifier, pages: others)
    }

    private static let types: Set = [
        "ToggleSwitch", "TextField", "Slider", "MultiValue", "RadioGroup", "TitleValue", "Button", "Checkbox",
        "Multirow",
    ]

    /// Returns the control of a child; nil for an item that is not a control.
    ///
    /// - Parameter values: the stored values of settings.
    func control(of index: Int, values: Fields) -> Control? {
        let (child, section) = (children[index], sections[sectionNumbers[index]].fields)
        let (type, sectionType) = (child.fields["Type"]?.text ?? "", section["Type"]?.text ?? "")
        if child.isSpecifier {
            if sectionType == "PSRadioGroupSpecifier", child.fields["Type"] == nil {
                var control = Control(stored: section, type: "RadioGroup", in: values)
                control.choice = child.fields["Value"]
                return control
            }
            if type == "PSChildPaneSpecifier" { return nil }
            var name = type[...]
            if name.hasPrefix("PS") { name.removeFirst(2) }
            if name.hasSuffix("Specifier") { name.removeLast("Specifier".count) }
            return Control(stored: child.fields, type: String(name), in: values).with(child.fields)
        }
        let own = child.fields["Value"] ?? .text(child.title)
        func control(_ type: String, key: FieldValue?, value: FieldValue?) -> Control {
            Control(type: type, key: key?.text, value: value)
        }
        if Self.types.contains(type), !child.isText {
            return control(type, key: child.fields["Key"], value: child.fields["Value"]).with(child.fields)
        }
        switch sectionType {
        case "RadioGroup":
            var control = control(sectionType, key: section["Key"], value: section["Value"])
            control.choice = own
            return control
        case "Multirow": return control(sectionType, key: section["Key"], value: own)
        case "Checkbox": return control(sectionType, key: child.fields["Key"], value: child.fields["Value"])
        default: return nil
        }
    }
}

extension Fields {
    /// The values that a specifier offers, with their titles.
    fileprivate var choices: [Control.Option] {
        let values = self["Values"]?.list ?? []
        return zip(self["Titles"]?.list ?? values, values).map { .init(title: $0.groupText ?? "", value: $1) }
    }
}

extension Control {
    /// Creates the control of a specifier, with its stored value, or with its default.
    fileprivate init(stored fields: Fields, type: String, in values: Fields) {
        let key = fields["Key"]?.text
        self.init(type: type, key: key, value: key.flatMap { values[$0] } ?? fields["DefaultValue"])
    }

    /// Returns the control with the members that any type takes from the fields of an item.
    fileprivate func with(_ fields: Fields) -> Control {
        var control = self
        control.options = fields.choices
        (control.min, control.max) = (fields["MinimumValue"], fields["MaximumValue"])
        if type == "ToggleSwitch" {
            control.trueValue = fields["TrueValue"] ?? true
            control.falseValue = fields["FalseValue"] ?? false
        }
        control.isSecure =
            fields["IsSecure"].map { $0 == true || $0.number.map { $0 != ExactNumber(0) } == true } ?? false
        control.keyboard = fields["KeyboardType"]?.text
        control.tag = fields["Tag"]
        return control
    }

    /// Returns the value to store for a value that a client sends.
    ///
    /// - Throws: `Problem` (422) with the allowed values.
    func accepted(_ value: FieldValue) throws(Problem) -> FieldValue {
        let allowed: [FieldValue]
        switch type {
        case "ToggleSwitch": allowed = [trueValue ?? true, falseValue ?? false]
        case "Checkbox": allowed = [true, false]
        case "Slider":
            let (least, most) = (min?.number ?? ExactNumber(0), max?.number ?? ExactNumber(1))
            if value.text == nil, let number = value.number, !(number < least), !(most < number), !number.isNaN {
                return value
            }
            allowed = [["min": min ?? 0, "max": max ?? 1]]
        case "TextField" where ["NumberPad", "DecimalPad", "ASCIICapableNumberPad"].contains(keyboard):
            if value.number != nil { return value }
            allowed = ["a number"]
        case "TextField":
            if let text = value.text, text.isTyped { return value }
            allowed = ["text without control characters"]
        case _ where options.isEmpty && type != "MultiValue":
            let isSingle = value.list == nil && value.dictionary == nil && value != .null
            if isSingle, value.text?.isTyped != false { return value }
            allowed = ["text without control characters", "a number", true, false]
        default: allowed = options.map(\.value)
        }
        let chosen = allowed.first { one in
            guard value.text == nil, let number = value.number else { return one == value }
            return one.text == nil && one.number == number
        }
        guard let chosen, type != "Slider", type != "TextField" else {
            throw Problem(
                .invalidContent, title: "Invalid content", status: 422, detail: "The value is not allowed: \(value).",
                members: ["pointer": "/Value", "allowed": .list(allowed)])
        }
        return chosen
    }
}

extension String {
    /// Whether keyboards can type all characters.
    fileprivate var isTyped: Bool { unicodeScalars.allSatisfy { $0.properties.generalCategory != .control } }
}

internal import Bytes
internal import PropertyLists

/// The types of controls outside of settings bundles, named by the `Type` of an item or a section.
enum ControlType: String {
    case toggleSwitch = "ToggleSwitch"
    case textField = "TextField"
    case slider = "Slider"
    case multiValue = "MultiValue"
    case radioGroup = "RadioGroup"
    case titleValue = "TitleValue"
    case button = "Button"
    /// A section of independent Booleans, or one of these Booleans.
    case checkbox = "Checkbox"
    /// A section whose rows are the elements of one array value.
    case multirow = "Multirow"

    /// The type that a section gives to its rows; nil if the rows keep their own types.
    var ofRows: ControlType? {
        switch self {
        case .radioGroup, .checkbox, .multirow: self
        default: nil
        }
    }
}

extension SetAsideRows {
    /// Makes the rows of a section controls if the section's `Type` determines the type of its rows.
    mutating func addControls() throws(PropertyListError) {
        for section in sections where !section.fields.isEmpty {
            let group = try PropertyListDictionary(packed: 0..<section.fields.count, of: section.fields.span)
            guard let type = group["Type"]?.text.flatMap(ControlType.init)?.ofRows else { continue }
            for row in section.rows where !rows[row].marks.contains(.isControl) {
                try append(control(type, ofRow: row, in: group), toRow: row)
            }
        }
    }

    private func control(
        _ type: ControlType, ofRow number: Int, in group: PropertyListDictionary
    ) throws(PropertyListError) -> PropertyListDictionary {
        let bytes = bytes
        let item = try PropertyListDictionary(packed: rows[number].fields, of: bytes.span)
        let own = item["Value"] ?? .string(String(utf8: bytes.span.extracting(rows[number].title)))
        switch type {
        case .radioGroup:
            var control = PropertyListDictionary(control: type.rawValue, key: group["Key"], value: group["Value"])
            control["choice"] = own
            return control
        case .multirow: return PropertyListDictionary(control: type.rawValue, key: group["Key"], value: own)
        default: return PropertyListDictionary(control: type.rawValue, key: item["Key"], value: item["Value"])
        }
    }

    /// Moves a row to the end of the bytes, and appends a control to the row's fields.
    private mutating func append(
        _ control: PropertyListDictionary, toRow number: Int
    ) throws(PropertyListError) {
        let (source, start) = (bytes, bytes.count)
        var moved = ByteBuffer()
        // A string has no fields, and gets only the control, because another field would make it a dictionary.
        try rows[number].move(from: source.span, to: &moved, showing: control)
        // The text of the key stays where it is.
        let key = rows[number].explicitKey
        rows[number] = rows[number].moved(by: start)
        rows[number].explicitKey = key
        rows[number].marks.insert(.isControl)
        bytes.append(copying: moved.span)
    }
}

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
    mutating func addControls() {
        for section in sections where !section.fields.isEmpty {
            let fields = section.fields
            let group = PackedDictionary(bytes: fields.span, fields: 0..<fields.count)
            guard let type = group.text("Type").flatMap(ControlType.init)?.ofRows else { continue }
            for row in section.rows { addControl(type, in: group, toRow: row) }
        }
    }

    private mutating func addControl(
        _ type: ControlType, in group: PackedDictionary, toRow number: Int
    ) {
        let row = rows[number]
        guard !row.marks.contains(.isControl) else { return }
        let bytes = bytes
        let item = PackedDictionary(bytes: bytes.span, fields: row.fields)
        let own = value(of: item, title: row.title)
        var control = PackedControl(type: type.rawValue)
        switch type {
        case .radioGroup:
            control.add("key", field: "Key", of: group)
            control.add("value", field: "Value", of: group)
            control.add("choice", packed: own.span)
        case .multirow:
            control.add("key", field: "Key", of: group)
            control.add("value", packed: own.span)
        default:
            control.add("key", field: "Key", of: item)
            control.add("value", field: "Value", of: item)
        }
        append(control, toRow: number)
    }

    /// The packed `Value` of an item, or else the item's packed title.
    private func value(of item: PackedDictionary, title: Range<Int>) -> [UInt8] {
        if let value = item.packed("Value") { return Array(copying: item.bytes.extracting(value)) }
        var text = ByteBuffer()
        text.append(PackedTag.string, content: item.bytes.extracting(title))
        return Array(copying: text.span)
    }

    /// Moves a row to the end of the bytes, and appends a control to the row's fields.
    private mutating func append(_ control: borrowing PackedControl, toRow number: Int) {
        let row = rows[number]
        let source = bytes
        var moved = ByteBuffer()
        // A string has no fields, and gets only the control, because another field would make it a dictionary.
        moved.append(source.span.extracting(row.fields))
        control.append(to: &moved)
        let start = bytes.count
        let end = start + moved.count
        let title = row.title.moved(by: start - row.fields.lowerBound)
        let isInside = row.fields.contains(row.title.lowerBound) && row.title.upperBound <= row.fields.upperBound
        bytes += Array(copying: moved.span)
        if !isInside { bytes += Array(copying: source.span.extracting(row.title)) }
        rows[number].fields = start..<end
        rows[number].title = isInside ? title : end..<bytes.count
        rows[number].marks.insert(.isControl)
    }
}

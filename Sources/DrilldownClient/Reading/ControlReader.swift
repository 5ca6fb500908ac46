/// Reads the control of a row or a detail.
enum ControlReader {
    static func read(_ reader: inout JSONReader) throws(JSONError) -> Control {
        var control = Control(type: "")
        try reader.object { name, reader throws(JSONError) in
            switch name {
            case "type": control.type = try reader.text()
            case "key": control.key = try reader.optionalText()
            case "value": control.value = try value(&reader)
            case "options":
                try reader.list { reader throws(JSONError) in control.options.append(try option(&reader)) }
            case "choice": control.choice = try value(&reader)
            case "min": control.min = try value(&reader)
            case "max": control.max = try value(&reader)
            case "trueValue": control.trueValue = try value(&reader)
            case "falseValue": control.falseValue = try value(&reader)
            case "secure": control.isSecure = try reader.boolean()
            case "keyboard": control.keyboard = try reader.optionalText()
            case "tag": control.tag = try value(&reader)
            default: try reader.skip()
            }
        }
        return control
    }

    private static func option(_ reader: inout JSONReader) throws(JSONError) -> Control.Option {
        var option = Control.Option(title: "", value: .null)
        try reader.object { name, reader throws(JSONError) in
            switch name {
            case "title": option.title = try reader.text()
            case "value": option.value = try reader.value()
            default: try reader.skip()
            }
        }
        return option
    }

    private static func value(_ reader: inout JSONReader) throws(JSONError) -> FieldValue? {
        // Not as an expression with two branches: 'nil' would be the literal of a FieldValue, which is null.
        if try reader.skipNull() { return .none }
        return try reader.value()
    }
}

/// The reader of a row of an answer.
struct RowReader {
    /// The approximate number of bytes of a row whose texts are all empty. It limits the memory that is reserved.
    static let shortest = 64

    private var key: String?
    private var version = ""
    private var title: String?
    private var count = 0
    private var isLeaf: Bool?
    private var href = ""
    private var fields = Fields()
    private var extras: Row.Extras.Values?

    @inline(__always)
    static func read(_ reader: inout JSONReader, below path: ItemPath) throws(JSONError) -> Row {
        let start = reader.offset
        var row = RowReader()
        try reader.object { name, reader throws(JSONError) in try row.read(name, &reader) }
        return try row.row(below: path, at: start)
    }

    @inline(__always)
    private mutating func read(_ name: String, _ reader: inout JSONReader) throws(JSONError) {
        switch name {
        case "key": key = try reader.text()
        case "version": version = try reader.text()
        case "title": title = try reader.text()
        case "leaf": isLeaf = try reader.boolean()
        case "count": count = try reader.count()
        case "href": href = try reader.text()
        case "fields": fields = try reader.fields()
        default: try readExtra(name, &reader)
        }
    }

    private mutating func readExtra(_ name: String, _ reader: inout JSONReader) throws(JSONError) {
        var values = extras ?? Row.Extras.Values()
        switch name {
        case "fieldsVersion": values.fieldsVersion = ItemVersion(rawValue: try reader.text())
        case "control": values.control = try ControlReader.read(&reader)
        case "error": values.error = try reader.text()
        case "links": values.links = try ItemHead.links(&reader)
        case "trail": values.trail = try reader.texts()
        case "indent": values.indent = try reader.count()
        case "expanded": values.isExpanded = try reader.boolean()
        case "first": values.isFirst = try reader.boolean()
        case "last": values.isLast = try reader.boolean()
        default: return try reader.skip()
        }
        extras = values
    }

    private func row(below path: ItemPath, at start: Int) throws(JSONError) -> Row {
        guard let key, let title else { throw JSONError(reason: "it has a row without 'key' or 'title'", at: start) }
        var row = Row(key: key, below: path, version: version, title: title, count: count, fields: fields)
        if let isLeaf { row.isLeaf = isLeaf }
        guard var extras else { return row }
        if extras.trail != nil || extras.indent != nil {
            guard let parent = ItemPath(href: href)?.parent else {
                throw JSONError(reason: "it has a row whose 'href' is not a link of an item", at: start)
            }
            row.parent = parent
            // The link without the path under which a proxy serves the service.
            extras.href = row.href
        }
        row.extras = Row.Extras(extras)
        return row
    }
}

/// The reader of the control of a row or a detail.
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
        // A conditional expression would be wrong here: in it, `nil` would mean `FieldValue.null`.
        if try reader.skipNull() { return .none }
        return try reader.value()
    }
}

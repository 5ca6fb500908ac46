/// Writes a level as a server answers it.
enum LevelText {
    static func bytes(of level: Level) -> [UInt8] {
        var fields: Fields = [
            "title": .text(level.title), "href": .text(level.path.levelLink), "version": .text(level.version),
            "leaf": .boolean(level.isLeaf), "ancestors": .list(level.ancestors.map(value)),
            "count": .integer(Int64(level.count)), "start": .integer(Int64(level.start)),
            "sections": .list(level.sections.map(value)),
        ]
        fields["next"] = level.next.map(FieldValue.text)
        fields["error"] = level.error.map(FieldValue.text)
        var text = JSONText.bytes(of: .dictionary(fields))
        text.removeLast()
        text += ",\"rows\":[".utf8
        // One row after the other, so that the values of all rows never exist at once.
        for (number, row) in level.rows.enumerated() {
            if number > 0 { text.append(UInt8(ascii: ",")) }
            text += JSONText.bytes(of: .dictionary(self.fields(of: row)))
        }
        text += "]}".utf8
        return text
    }

    private static func value(_ ancestor: ItemLink) -> FieldValue {
        ["title": .text(ancestor.title), "href": .text(ancestor.path.levelLink)]
    }

    private static func value(_ section: Level.Section) -> FieldValue {
        var fields: Fields = ["start": .integer(Int64(section.start)), "count": .integer(Int64(section.count))]
        fields["title"] = section.title.map(FieldValue.text)
        fields["index"] = section.index.map(FieldValue.text)
        fields["footer"] = section.footer.map(FieldValue.text)
        return .dictionary(fields)
    }

    private static func fields(of row: Row) -> Fields {
        var fields: Fields = [
            "key": .text(row.key), "version": .text(row.version), "title": .text(row.title),
            "leaf": .boolean(row.isLeaf), "count": .integer(Int64(row.count)), "href": .text(row.href),
            "fields": .dictionary(row.fields),
        ]
        guard let extras = row.extras?.values else { return fields }
        fields["fieldsVersion"] = extras.fieldsVersion.map { .text($0.rawValue) }
        fields["control"] = extras.control.map(value)
        fields["error"] = extras.error.map(FieldValue.text)
        fields["trail"] = extras.trail.map { .list($0.map(FieldValue.text)) }
        if let indent = extras.indent {
            fields["indent"] = .integer(Int64(indent))
            fields["expanded"] = .boolean(extras.isExpanded)
            fields["first"] = .boolean(extras.isFirst)
            fields["last"] = .boolean(extras.isLast)
        }
        return fields
    }

    private static func value(_ control: Control) -> FieldValue {
        var fields: Fields = ["type": .text(control.type)]
        fields["key"] = control.key.map(FieldValue.text)
        fields["value"] = control.value
        if !control.options.isEmpty {
            fields["options"] = .list(control.options.map { ["title": .text($0.title), "value": $0.value] })
        }
        fields["choice"] = control.choice
        fields["min"] = control.min
        fields["max"] = control.max
        fields["trueValue"] = control.trueValue
        fields["falseValue"] = control.falseValue
        if control.isSecure { fields["secure"] = .boolean(true) }
        fields["keyboard"] = control.keyboard.map(FieldValue.text)
        fields["tag"] = control.tag
        return .dictionary(fields)
    }
}

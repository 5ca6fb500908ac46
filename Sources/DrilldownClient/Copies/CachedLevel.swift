/// The file of a level: three lines that identify the file, a line with the pages, and the level in the format of the
/// server's answer.
///
/// ```
/// drilldown level 2
/// http://127.0.0.1:8080/ /levels/Item%204
/// 8c4f3b1e0a5d7296
/// [{"follow":"/levels/Item%204?limit=10000&since=pQ3…","count":1,"total":1}]
/// {"title":"Item 4",…}
/// ```
///
/// The third line is the hash of the lines after it.
enum CachedLevel {
    /// The first line, which ends with the number of the format.
    private static let title = "drilldown level 2"

    static func bytes(of copy: LevelCopy, identity: String) -> [UInt8] {
        var content = JSONText.bytes(of: .list(copy.pages.map(\.fieldValue)))
        content.append(UInt8(ascii: "\n"))
        content += LevelText.bytes(of: copy.level)
        return Array("\(title)\n\(identity)\n\(StableHash.digits(of: content))\n".utf8) + content
    }

    /// Reads the copy in a file. Returns nil if the file is damaged, has another format, or contains another level.
    static func read(_ bytes: [UInt8], identity: String) -> LevelCopy? {
        let lines = bytes.split(separator: UInt8(ascii: "\n"), maxSplits: 4, omittingEmptySubsequences: false)
        guard lines.count == 5, lines[0].elementsEqual(title.utf8), lines[1].elementsEqual(identity.utf8),
            lines[2].elementsEqual(StableHash.digits(of: bytes[lines[3].startIndex...]).utf8)
        else { return nil }
        do {
            let pages = try pages(Array(lines[3]))
            let level = try LevelReader.read(Array(lines[4])).level
            guard pages.reduce(0, { $0 &+ $1.count }) == level.rows.count else { return nil }
            return LevelCopy(level: level, pages: pages)
        } catch {
            return nil
        }
    }

    private static func pages(_ bytes: [UInt8]) throws(JSONError) -> [LevelCopy.Page] {
        var reader = JSONReader(bytes)
        return try reader.value().list?.compactMap(LevelCopy.Page.init) ?? []
    }
}

extension LevelCopy.Page {
    fileprivate init?(_ value: FieldValue) {
        guard let fields = value.dictionary, let count = fields["count"]?.int, let total = fields["total"]?.int
        else { return nil }
        self.init(follow: fields["follow"]?.text, count: count, total: total)
    }

    fileprivate var fieldValue: FieldValue {
        var fields: Fields = ["count": .integer(Int64(count)), "total": .integer(Int64(total))]
        fields["follow"] = follow.map(FieldValue.text)
        return .dictionary(fields)
    }
}

package enum LevelText {
    /// - Parameters:
    ///   - follow: the link to get next; nil in a file.
    ///   - isUnchanged: whether to write an answer without changes, in place of the rows.
    package static func bytes(of level: Level, follow: String? = nil, isUnchanged: Bool = false) -> [UInt8] {
        var fields: Fields = [
            "title": .text(level.title), "href": .text(level.path.levelLink), "version": .text(level.version),
            "leaf": .boolean(level.isLeaf), "ancestors": .list(level.ancestors.map(value)),
            "count": .integer(Int64(level.count)), "start": .integer(Int64(level.start)),
            "sections": .list(level.sections.map(value)),
        ]
        fields["next"] = level.next.map(FieldValue.text)
        fields["error"] = level.error.map(FieldValue.text)
        fields["follow"] = follow.map(FieldValue.text)
        if isUnchanged { fields["since"] = .text(level.version) }
        var text = JSONText.bytes(of: .dictionary(fields))
        if isUnchanged { return text }
        text.removeLast()
        text += ",\"rows\":[".utf8
        // Rows are appended one by one, so that the values of only one row at a time are in memory.
        for (number, row) in level.rows.enumerated() {
            if number > 0 { text.append(UInt8(ascii: ",")) }
            text += JSONText.bytes(of: .dictionary(self.fields(of: row)))
        }
        text += "]}".utf8
        return text
    }

    private static func value(_ link: ItemLink) -> FieldValue {
        ["title": .text(link.title), "href": .text(link.path.levelLink)]
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
        if !extras.links.isEmpty { fields["links"] = .dictionary(Fields(extras.links.mapValues(value))) }
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

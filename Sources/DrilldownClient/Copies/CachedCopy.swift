/// A client's copy of an answer, which is kept in a file of the cache folder: three lines that identify the file, and the
/// content.
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
protocol CachedCopy: Sendable {
    /// The kind of copy, with which the name of the file begins.
    static var kind: String { get }
    /// The number of the format.
    static var format: Int { get }
    /// The lines after the third line.
    var content: [UInt8] { get }
    /// Reads these lines; returns nil if they contradict each other.
    static func read(_ content: ArraySlice<UInt8>) throws(JSONError) -> Self?
}

extension CachedCopy {
    private static var title: String { "drilldown \(kind) \(format)" }

    func bytes(identity: String) -> [UInt8] {
        let content = content
        return Array("\(Self.title)\n\(identity)\n\(StableHash.digits(of: content))\n".utf8) + content
    }

    /// Reads the copy in a file. Returns nil if the file is damaged, has another format, or contains another copy.
    ///
    /// - Parameter isAnyQuery: whether a query may follow the identity.
    init?(_ bytes: [UInt8], identity: String, isAnyQuery: Bool = false) {
        let lines = bytes.split(separator: UInt8(ascii: "\n"), maxSplits: 3, omittingEmptySubsequences: false)
        guard lines.count == 4, lines[0].elementsEqual(Self.title.utf8),
            (isAnyQuery ? lines[1].prefix { $0 != UInt8(ascii: "?") } : lines[1]).elementsEqual(identity.utf8),
            lines[2].elementsEqual(StableHash.digits(of: lines[3]).utf8)
        else { return nil }
        do {
            guard let copy = try Self.read(lines[3]) else { return nil }
            self = copy
        } catch {
            return nil
        }
    }
}

/// A line with the pages, and the level in the format of the server's answer.
extension LevelCopy: CachedCopy {
    static let kind = "level"
    static let format = 2

    var content: [UInt8] {
        JSONText.bytes(of: .list(pages.map(\.fieldValue))) + [UInt8(ascii: "\n")] + LevelText.bytes(of: level)
    }

    static func read(_ content: ArraySlice<UInt8>) throws(JSONError) -> LevelCopy? {
        let lines = content.split(separator: UInt8(ascii: "\n"), maxSplits: 1, omittingEmptySubsequences: false)
        guard lines.count == 2 else { return nil }
        var reader = JSONReader(Array(lines[0]))
        let pages = try reader.value().list?.compactMap(Page.init) ?? []
        let level = try LevelReader.read(Array(lines[1])).level
        guard pages.reduce(0, { $0 &+ $1.count }) == level.rows.count else { return nil }
        return LevelCopy(level: level, pages: pages)
    }
}

/// A client's copy of a detail, in the format of the server's answer.
struct DetailCopy: CachedCopy {
    var detail: Detail
    /// The link to get next; nil to request the detail anew.
    var follow: String?

    static let kind = "detail"
    static let format = 1

    var content: [UInt8] { LevelText.bytes(of: detail, follow: follow) }

    static func read(_ content: ArraySlice<UInt8>) throws(JSONError) -> DetailCopy? {
        let (detail, follow) = try DetailReader.answer(Array(content))
        return DetailCopy(detail: detail, follow: follow)
    }
}

extension DetailCopy {
    /// Creates the part of a detail that a row shows. A detail without a version is read anew.
    init(_ row: Row, at position: Int, in level: Level) {
        func sibling(_ position: Int) -> ItemLink? {
            guard level.rows.indices.contains(position), level.rows[position].parent == row.parent else { return nil }
            return ItemLink(title: level.rows[position].title, path: level.rows[position].path)
        }
        var fields = Fields([("Title", .text(row.title))])
        for (name, value) in row.fields { fields[name] = value }
        detail = Detail(
            title: row.title, path: row.path, fieldsVersion: row.fieldsVersion ?? "", count: row.count,
            ancestors: level.ancestors + [ItemLink(title: level.title, path: level.path)],
            position: .init(index: level.start.saturatingSum(position), count: level.count),
            previous: sibling(position - 1), next: sibling(position + 1), fields: fields, control: row.control,
            error: row.error)
        (detail.isLeaf, detail.links) = (row.isLeaf, row.links)
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

/// The text of levels and details in the format of the server's answers.
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

    /// - Parameter follow: the link to get next; nil if it is not known.
    package static func bytes(of detail: Detail, follow: String? = nil) -> [UInt8] {
        let position = detail.position
        var fields: Fields = [
            "title": .text(detail.title), "href": .text(detail.path.detailLink),
            "version": .text(detail.version.rawValue), "fieldsVersion": .text(detail.fieldsVersion.rawValue),
            "leaf": .boolean(detail.isLeaf), "count": .integer(Int64(detail.count)),
            "ancestors": .list(detail.ancestors.map(value)),
            "position": [
                "index": .integer(Int64(position.index)), "of": .integer(Int64(position.count)),
                "section": .integer(Int64(position.section)),
            ],
            "previous": detail.previous.map(value) ?? .null, "next": detail.next.map(value) ?? .null,
            "firstChild": detail.firstChild.map(value) ?? .null, "lastChild": detail.lastChild.map(value) ?? .null,
            "fields": .dictionary(detail.fields),
        ]
        if !detail.links.isEmpty { fields["links"] = .dictionary(Fields(detail.links.mapValues(value))) }
        fields["control"] = detail.control.map(value)
        fields["error"] = detail.error.map(FieldValue.text)
        fields["follow"] = follow.map(FieldValue.text)
        return JSONText.bytes(of: .dictionary(fields))
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

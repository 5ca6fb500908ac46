import Levels
import PropertyLists

/// `GET /levels/<path>`: the rows of one level, or a page of them (manual, Levels).
struct LevelAnswer {
    var item: Item
    var page = Page()
    var fields = FieldSelection.cell
    /// What the request asked for, which the link of the next page keeps.
    var query = Query.empty

    /// Writes the answer; gives its version, and the link of the next page if there is one.
    ///
    /// Time is linear in the rows shown and the depth, not in the level.
    ///
    /// - Throws: `PropertyListError` for text that the format cannot carry.
    func write<Writer: AnswerWriter & ~Copyable>(
        to writer: inout Writer
    ) throws(PropertyListError) -> (version: ContentHash, next: String?) {
        let links = Links(item)
        let versionOffset = try writeHead(links, to: &writer)
        try writeRows(rows, of: item.level, links, to: &writer)
        let next = try writeEnd(links, to: &writer)
        return (ItemHead.seal(&writer, at: versionOffset), next)
    }

    /// Writes how the rows came to be those of now in place of the rows themselves; gives the link of the next page.
    ///
    /// - Parameter version: that of the answer with its rows.
    /// - Throws: `PropertyListError` for text that the format cannot carry.
    func write<Writer: AnswerWriter & ~Copyable>(
        _ change: LevelChange, version: ContentHash, to writer: inout Writer
    ) throws(PropertyListError) -> String? {
        let links = Links(item)
        let versionOffset = try writeHead(links, to: &writer)
        try change.write(of: self, links, to: &writer)
        let next = try writeEnd(links, to: &writer)
        ItemHead.fill(&writer, at: versionOffset, with: version)
        return next
    }

    /// The rows that are shown.
    var rows: Range<Int> { page.rows(of: item.level) }

    private func writeHead<Writer: AnswerWriter & ~Copyable>(
        _ links: borrowing Links, to writer: inout Writer
    ) throws(PropertyListError) -> Int {
        let count = item.level?.count ?? 0
        let rows = rows
        writer.beginObject()
        let versionOffset = try ItemHead.write(item, links, isLevel: true, to: &writer)
        writer.member("count", count)
        if page.isAsked || rows.count < count { writer.member("start", rows.lowerBound) }
        try writeSections(of: item.level, to: &writer)
        return versionOffset
    }

    private func writeEnd<Writer: AnswerWriter & ~Copyable>(
        _ links: borrowing Links, to writer: inout Writer
    ) throws(PropertyListError) -> String? {
        let next = nextLink(after: rows.upperBound, of: item.level, links)
        try writer.member("next", next)
        writer.endObject()
        writer.endLine()
        return next
    }

    /// The target of the next page, without a host; nil at the end.
    private func nextLink(after row: Int, of level: Level?, _ links: borrowing Links) -> String? {
        guard let level, row < level.count else { return nil }
        var link = ByteBuffer(capacity: 256)
        link.append(links.level)
        link.append("?")
        for (name, value) in query.parameters where name != "after" && name != "since" {
            link.append(name)
            link.append(UInt8(ascii: "="))
            PercentEncoding.append(value.utf8Span.span, to: &link)
            link.append(UInt8(ascii: "&"))
        }
        link.append("after=")
        link.append(Cursor(before: row, in: level).text)
        return String(utf8: link.span)
    }

    private func writeSections<Writer: AnswerWriter & ~Copyable>(
        of level: Level?, to writer: inout Writer
    ) throws(PropertyListError) {
        writer.member("sections")
        writer.beginList()
        let sections = level?.sections ?? []
        if sections.isEmpty {
            try writeSection(nil, nil, start: 0, count: level?.count ?? 0, nil, to: &writer)
        } else {
            for section in sections {
                try writeSection(
                    section.title, section.index, start: section.start, count: section.count, section.footer,
                    to: &writer)
            }
        }
        writer.endList()
    }

    private func writeSection<Writer: AnswerWriter & ~Copyable>(
        _ title: String?, _ index: String?, start: Int, count: Int, _ footer: String?, to writer: inout Writer
    ) throws(PropertyListError) {
        writer.beginObject()
        try writer.member("title", title)
        try writer.member("index", index)
        writer.member("start", start)
        writer.member("count", count)
        if let footer { try writer.member("footer", footer) }
        writer.endObject()
    }

    private func writeRows<Writer: AnswerWriter & ~Copyable>(
        _ range: Range<Int>, of level: Level?, _ links: borrowing Links, to writer: inout Writer
    ) throws(PropertyListError) {
        writer.member("rows")
        writer.beginList()
        if let level {
            let branchPrefix = links.childPrefix(isDetail: false)
            let leafPrefix = links.childPrefix(isDetail: true)
            let bytes = level.bytes
            for number in range {
                let count = level.childCount(number)
                let prefix = count == 0 ? leafPrefix.span : branchPrefix.span
                try writeRow(Row(in: bytes.span, number: number), in: bytes.span, count: count, prefix, to: &writer)
            }
        }
        writer.endList()
    }

    /// Writes one row of a level.
    ///
    /// - Parameters:
    ///   - bytes: the level's.
    ///   - count: how many children the row has.
    ///   - prefix: what stands before the row's key in its link.
    func writeRow<Writer: AnswerWriter & ~Copyable>(
        _ row: Row, in bytes: Span<UInt8>, count: Int, _ prefix: Span<UInt8>, to writer: inout Writer
    ) throws(PropertyListError) {
        writer.beginObject()
        // Behind the comma that the first row has not: a row that moves is still the same row.
        let start = writer.count
        try writer.member("key", bytes.extracting(row.key))
        writer.member("version")
        let versionOffset = writer.placeholder(width: Version.shortWidth)
        try writer.member("title", bytes.extracting(row.title))
        writer.member("leaf", count == 0)
        writer.member("count", count)
        writer.member("href", link: prefix, key: bytes.extracting(row.key))
        writer.member("fields")
        writer.beginObject()
        try RowFields.tell(fields, of: row, in: bytes, to: &writer)
        writer.endObject()
        writer.endObject()
        writer.fillShortVersion(at: versionOffset, hash: writer.shortHash(since: start))
    }
}

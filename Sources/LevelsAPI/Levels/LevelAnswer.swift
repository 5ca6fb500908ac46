import Bytes
import Levels
import PropertyLists

/// `GET /levels/<path>`: the rows of one level, or a page of them (manual, Levels).
struct LevelAnswer {
    let item: Item
    private let query: LevelQuery
    /// Those of the query, at hand for each row.
    private let fields: FieldSelection
    private let listing: Listing
    /// The positions that are shown of the listing.
    let rows: Range<Int>

    init(_ item: Item, _ query: LevelQuery) {
        self.item = item
        self.query = query
        fields = query.fields
        listing = Listing(item.level, query.steps)
        rows = query.page.positions(in: listing)
    }

    /// The answer to the same about another item.
    func asked(of item: Item) -> LevelAnswer { LevelAnswer(item, query) }

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
        try writeRows(links, to: &writer)
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

    private func writeHead<Writer: AnswerWriter & ~Copyable>(
        _ links: borrowing Links, to writer: inout Writer
    ) throws(PropertyListError) -> Int {
        let count = listing.count
        writer.beginObject()
        let versionOffset = try ItemHead.write(item, links, isLevel: true, to: &writer)
        writer.member("count", count)
        if query.page.isAsked || rows.count < count { writer.member("start", rows.lowerBound) }
        try writeSections(to: &writer)
        return versionOffset
    }

    private func writeEnd<Writer: AnswerWriter & ~Copyable>(
        _ links: borrowing Links, to writer: inout Writer
    ) throws(PropertyListError) -> String? {
        let next = nextLink(links)
        try writer.member("next", next)
        writer.endObject()
        writer.endLine()
        return next
    }

    /// The target of the next page, without a host; nil at the end.
    private func nextLink(_ links: borrowing Links) -> String? {
        guard rows.upperBound < listing.count else { return nil }
        var link = ByteBuffer(capacity: 256)
        link.append(links.level)
        link.append("?")
        for parameter in query.linked {
            link.append(parameter.name)
            link.append(UInt8(ascii: "="))
            PercentEncoding.append(parameter.value.utf8Span.span, to: &link)
            link.append(UInt8(ascii: "&"))
        }
        link.append("after=")
        link.append(Cursor(before: rows.upperBound, in: listing).text)
        return String(utf8: link.span)
    }

    private func writeSections<Writer: AnswerWriter & ~Copyable>(to writer: inout Writer) throws(PropertyListError) {
        writer.member("sections")
        writer.beginList()
        let sections = listing.sections
        if sections.isEmpty {
            try writeSection(nil, nil, start: 0, count: listing.count, nil, to: &writer)
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
        _ links: borrowing Links, to writer: inout Writer
    ) throws(PropertyListError) {
        writer.member("rows")
        writer.beginList()
        if let level = item.level {
            let branchPrefix = links.childPrefix(isDetail: false)
            let leafPrefix = links.childPrefix(isDetail: true)
            let bytes = level.bytes
            let order = listing.order
            for position in rows {
                let number = order.map { $0[position] } ?? position
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

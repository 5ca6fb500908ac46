import Bytes
import Levels
import PropertyLists

/// `GET /levels/<path>`: the rows of one level, or a page of them (manual, Levels).
struct LevelAnswer: ItemAnswer {
    let item: Item
    private let query: LevelQuery
    private let arrangements: ArrangementCache
    /// What the answer shows of the rows.
    let description: RowDescription
    /// The positions of the page in the listing.
    let rows: Range<Int>

    init(_ item: Item, _ query: LevelQuery, _ arrangements: ArrangementCache) {
        self.item = item
        self.query = query
        self.arrangements = arrangements
        let listing: Listing
        if let opening = query.outline {
            let outline = OutlineRows(below: item.own, opening, arrangements)
            rows = query.page.positions(in: outline)
            listing = outline.listing(of: rows)
        } else {
            let all = arrangements.listing(below: item.own, query)
            rows = query.page.positions(in: all)
            // The cursor of the next page names the last rows before it, which may be before the page.
            let first = min(rows.lowerBound, max(0, rows.upperBound - Bookmark.Room.whole.rows))
            listing = all.isLocated ? all : all.located(first..<rows.upperBound)
        }
        description = RowDescription(listing, query.fields)
    }

    /// The rows of all pages.
    var listing: Listing { description.listing }

    /// The answer to the same request about another item.
    func asked(of item: Item) -> LevelAnswer { LevelAnswer(item, query, arrangements) }

    /// Writes the answer; returns its version, and the link of the next page if there is one.
    ///
    /// Time is linear in the rows of the page and the depth, not in the size of the level.
    ///
    /// - Throws: `PropertyListError` for text that the format cannot represent.
    func write<Writer: AnswerWriter & ~Copyable>(
        to writer: inout Writer
    ) throws(PropertyListError) -> (version: ContentHash, next: String?) {
        let links = Links(item)
        let versionOffset = try writeHead(links, to: &writer)
        writer.member("rows")
        writer.beginList()
        try description.write(rows, links, to: &writer)
        writer.endList()
        let next = try writeEnd(links, to: &writer)
        return (ItemHead.seal(&writer, at: versionOffset), next)
    }

    /// Writes what changed instead of the rows; returns the link of the next page.
    ///
    /// - Parameter version: the version of the answer with its rows.
    /// - Throws: `PropertyListError` for text that the format cannot represent.
    func write<Writer: AnswerWriter & ~Copyable>(
        _ change: LevelChange, version: ContentHash, to writer: inout Writer
    ) throws(PropertyListError) -> String? {
        let links = Links(item)
        let versionOffset = try writeHead(links, to: &writer)
        try change.write(links, to: &writer)
        let next = try writeEnd(links, to: &writer)
        writer.fillVersion(at: versionOffset, hash: version)
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
        if listing.count == 0, let refusal = item.level?.refusal { try writer.member("error", refusal) }
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
        if query.outline == nil {
            Cursor(before: rows.upperBound, in: listing).append(to: &link)
        } else {
            OutlineCursor(before: rows.upperBound, in: listing).append(to: &link)
        }
        return String(utf8: link.span)
    }

    private func writeSections<Writer: AnswerWriter & ~Copyable>(to writer: inout Writer) throws(PropertyListError) {
        writer.member("sections")
        writer.beginList()
        let sections = listing.sections
        let areWritten = try sections.forEachByField { (title, rows) throws(PropertyListError) in
            writer.beginObject()
            if let title { try writer.member("title", title) } else { writer.nullMember("title") }
            writer.nullMember("index")
            writer.member("start", rows.lowerBound)
            writer.member("count", rows.count)
            writer.endObject()
        }
        if !areWritten, sections.isEmpty {
            try writeSection(nil, nil, start: 0, count: listing.count, nil, to: &writer)
        } else if !areWritten {
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
}

/// An answer about one item, which can be written in any format.
protocol ItemAnswer {
    /// Writes the answer; returns its version, and the link of the next page if there is one.
    ///
    /// - Throws: `PropertyListError` for text that the format cannot represent.
    func write<Writer: AnswerWriter & ~Copyable>(
        to writer: inout Writer
    ) throws(PropertyListError) -> (version: ContentHash, next: String?)
}

/// The first members of every answer about an item, among them the version, which is the hash of the whole answer.
enum ItemHead {
    /// Writes the first members; returns the offset of the version, which `seal` fills in.
    static func write<Writer: AnswerWriter & ~Copyable>(
        _ item: Item, _ links: borrowing Links, isLevel: Bool, to writer: inout Writer
    ) throws(PropertyListError) -> Int {
        let own = item.own
        let bytes = own.level.bytes
        let row = own.level.row(own.row)
        let count = own.level.childCount(own.row)
        try writer.member("title", bytes.span.extracting(row.title))
        if isLevel {
            writer.member("href", link: links.level)
            writer.member("detail", link: links.detail)
        } else {
            writer.member("href", link: links.detail)
            writer.member("level", link: links.level)
        }
        writer.member("version")
        let versionOffset = writer.placeholder(Version.placeholder)
        if !isLevel { writer.fieldsVersion(of: row, in: bytes.span) }
        writer.member("depth", item.depth)
        writer.member("leaf", count == 0)
        if !isLevel { writer.member("count", count) }
        writer.member("ancestors")
        writer.beginList()
        for (depth, step) in item.steps.dropLast().enumerated() {
            let bytes = step.level.bytes
            writer.beginObject()
            try writer.member("title", bytes.span.extracting(step.level.row(step.row).title))
            writer.member("href", link: links.level(ofAncestor: depth))
            writer.endObject()
        }
        writer.endList()
        return versionOffset
    }

    /// Fills in the version: the hash of the answer with a placeholder for the version, so it depends only on content.
    static func seal<Writer: AnswerWriter & ~Copyable>(_ writer: inout Writer, at offset: Int) -> ContentHash {
        let hash = writer.hash()
        writer.fillVersion(at: offset, hash: hash)
        return hash
    }
}

import Bytes
import Levels
import PropertyLists

/// `GET /levels/<path>`: the rows of one level, or a page of them (manual, Levels).
struct LevelAnswer: ItemAnswer {
    let item: Item
    let description: RowDescription
    private let query: RowQuery
    var follow: FollowLink
    private let basePath: String
    /// A hint about the request's wait, which does not count for the version.
    private let waitHint: String?

    init(
        item: Item, query: RowQuery, source: any RowSource, follow: FollowLink, under basePath: String,
        waitHint: String? = nil
    ) throws(Problem) {
        self.query = query
        self.follow = follow
        self.basePath = basePath
        self.waitHint = waitHint
        description = RowDescription(
            page: try source.rows(query, below: item), fields: query.fields, under: basePath)
        self.item = description.page.itemCount.map { Item(steps: item.steps, count: $0) } ?? item
    }

    var page: RowPage { description.page }

    /// The answer to the same request in another state; nil if the source of that state refuses the request.
    func asked(of shown: ShownItem) -> LevelAnswer? {
        do throws(Problem) {
            return try LevelAnswer(
                item: shown.item, query: query, source: shown.source, follow: follow, under: basePath)
        } catch {
            return nil
        }
    }

    /// - Throws: `Problem` (400) with the number of rows, if the page begins after the end of the rows.
    func checkStart() throws(Problem) {
        guard let start = query.page.start, start.number > page.count else { return }
        throw .badParameter(
            "start", detail: "'start' must be a whole number from 0 to \(page.count), the number of rows.")
    }

    /// Writes the answer. The time is linear in the rows of the page and in the depth, not in the size of the level.
    func write(to writer: inout some AnswerWriter & ~Copyable) throws(PropertyListError) -> WrittenAnswer {
        let links = Links(item, under: basePath)
        let versionOffset = try writeHead(links, to: &writer)
        writer.beginList("rows")
        try description.write(links, to: &writer)
        writer.endList()
        let (next, hasHints) = try writeEnd(links, to: &writer)
        let version = ItemHead.seal(&writer, at: versionOffset)
        // One kind of mistake at a time.
        if let waitHint, !hasHints { try writer.member("hints", list: [waitHint]) }
        try writeFollow(links, version: version, to: &writer)
        return (version, next)
    }

    /// Writes the changes instead of the rows. Returns the link of the next page.
    ///
    /// - Parameter version: the version of the answer that contains the rows.
    func write(
        _ change: LevelChange, version: ContentHash, to writer: inout some AnswerWriter & ~Copyable
    ) throws(PropertyListError) -> String? {
        let links = Links(item, under: basePath)
        let versionOffset = try writeHead(links, to: &writer)
        try change.write(links, to: &writer)
        let (next, _) = try writeEnd(links, to: &writer)
        writer.fillVersion(at: versionOffset, hash: version)
        try writeFollow(links, version: version, to: &writer)
        return next
    }

    /// Whether the answer has, or may have, only some of the rows.
    private var isPage: Bool { query.page.isAsked || page.numbers.count < page.count }

    private func writeHead(
        _ links: borrowing Links, to writer: inout some AnswerWriter & ~Copyable
    ) throws(PropertyListError) -> Int {
        writer.beginObject()
        let versionOffset = try ItemHead.write(item, links: links, isLevel: true, to: &writer)
        writer.member("count", page.count)
        if page.isEstimate { try writer.member("counted", "estimate") }
        if isPage { writer.member("start", page.start) }
        if let order = page.order { try write(order, to: &writer) }
        let hasAllSections = writeSectionCount(to: &writer)
        writer.beginList("sections")
        let shown = page.start..<page.start + page.numbers.count
        let sections = page.sections
        for number in sections.indices {
            let rows = sections.rows(number)
            // An empty page is at the end of the rows, so it shows the last section.
            let isOfPage = shown.isEmpty ? rows.upperBound == page.count : rows.overlaps(shown)
            guard isOfPage || hasAllSections else { continue }
            let section = sections[number]
            writer.beginObject()
            try writer.member("title", section.title)
            try writer.member("index", section.index)
            writer.member("start", rows.lowerBound)
            writer.member("count", rows.count)
            if let footer = section.footer { try writer.member("footer", footer) }
            writer.endObject()
        }
        writer.endList()
        return versionOffset
    }

    /// Writes the number of sections if there are more sections than the maximum that the client asked for. Returns
    /// whether the answer contains all sections.
    private func writeSectionCount(to writer: inout some AnswerWriter & ~Copyable) -> Bool {
        switch query.page.sections {
        case .all: return true
        case .ofPage: return false
        case .atMost(let most):
            let count = page.sections.count
            if count > most { writer.member("sectionCount", count) }
            return count <= most
        }
    }

    private func write(
        _ order: RowPage.IndexOrder, to writer: inout some AnswerWriter & ~Copyable
    ) throws(PropertyListError) {
        writer.beginObject("order")
        try writer.member("by", list: order.fields)
        if let collation = order.collation { try writer.member("collation", collation) }
        writer.endObject()
    }

    /// Writes the members after the rows. Returns the link of the next page, and whether there are hints.
    private func writeEnd(
        _ links: borrowing Links, to writer: inout some AnswerWriter & ~Copyable
    ) throws(PropertyListError) -> (next: String?, hasHints: Bool) {
        let cursor = cursor
        let next = nextLink(links, cursor: cursor)
        if isPage { try writer.member("previous", previousLink(links)) }
        try writer.member("next", next)
        try writer.member("after", cursor)
        if let refusal = page.refusal { try writer.member("error", refusal) }
        let hints = FieldHints.sentences(for: query, below: item, on: page)
        if !hints.isEmpty { try writer.member("hints", list: hints) }
        return (next, !hints.isEmpty)
    }

    private func writeFollow(
        _ links: borrowing Links, version: ContentHash, to writer: inout some AnswerWriter & ~Copyable
    ) throws(PropertyListError) {
        try writer.member("follow", follow.text(links.level, since: Version.text(version)))
        writer.endObject()
        writer.endLine()
    }

    /// The cursor of the next page; nil for the last page.
    private var cursor: String? {
        guard let next = page.next else { return nil }
        var cursor = ByteBuffer(capacity: 64)
        next.append(to: &cursor)
        return String(utf8: cursor.span)
    }

    /// The target of the next page, without a host; nil for the last page.
    var next: String? { nextLink(Links(item, under: basePath), cursor: cursor) }

    private func nextLink(_ links: borrowing Links, cursor: String?) -> String? {
        guard let cursor else { return nil }
        var link = link(links)
        link.append("after=\(cursor)")
        return String(utf8: link.span)
    }

    /// The target of the page that ends where this page begins; nil for a page at the beginning.
    private func previousLink(_ links: borrowing Links) -> String? {
        guard page.start > 0 else { return nil }
        let limit = query.page.limit ?? PageQuery.defaultLimit
        // The first page may be shorter.
        var link = link(links, limit: page.start < limit ? page.start : nil)
        link.append("start=\(max(page.start - limit, 0))")
        return String(utf8: link.span)
    }

    /// The beginning of a link to another page, with the parameters that all pages have.
    private func link(_ links: borrowing Links, limit: Int? = nil) -> ByteBuffer {
        var link = ByteBuffer(capacity: 256)
        link.append(links.level)
        link.append("?")
        follow.options.append(for: .page, limit: limit, to: &link)
        if follow.format != .json { link.append("format=\(follow.format)&") }
        return link
    }
}

/// The version of an answer, and the link of the next page, if any.
typealias WrittenAnswer = (version: ContentHash, next: String?)

/// An answer about one item, which can be written in any format.
protocol ItemAnswer {
    func write(to writer: inout some AnswerWriter & ~Copyable) throws(PropertyListError) -> WrittenAnswer
}

/// The first members of every answer about an item.
enum ItemHead {
    /// Writes the members. Returns the offset of the version, which `seal` fills in later.
    static func write(
        _ item: Item, links: borrowing Links, isLevel: Bool, to writer: inout some AnswerWriter & ~Copyable
    ) throws(PropertyListError) -> Int {
        let count = item.count
        let versionOffset = try item.own.withRow { (row) throws(PropertyListError) in
            try writer.member("title", row.title)
            if isLevel {
                writer.member("href", link: links.level)
                writer.member("detail", link: links.detail)
            } else {
                writer.member("href", link: links.detail)
                writer.member("level", link: links.level)
            }
            writer.member("version")
            let versionOffset = writer.placeholder(Version.placeholder)
            if !isLevel { writer.fieldsVersion(of: row.packed, in: row.bytes) }
            return versionOffset
        }
        writer.member("depth", item.depth)
        writer.member("leaf", item.isLeaf)
        if !isLevel { writer.member("count", count) }
        writer.beginList("ancestors")
        for (depth, step) in item.steps.dropLast().enumerated() {
            writer.beginObject()
            try step.withRow { (row) throws(PropertyListError) in try writer.member("title", row.title) }
            writer.member("href", link: links.level(ofAncestor: depth))
            writer.endObject()
        }
        writer.endList()
        return versionOffset
    }

    /// Fills in the version. What was written so far is hashed with a placeholder in place of the version, so the version
    /// depends only on the content.
    static func seal(_ writer: inout some AnswerWriter & ~Copyable, at offset: Int) -> ContentHash {
        let hash = ContentHash(of: writer.output.span)
        writer.fillVersion(at: offset, hash: hash)
        return hash
    }
}

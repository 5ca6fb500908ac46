import Bytes
import Levels
import PropertyLists

/// `GET /detail/<path>`: the fields and the position of one item (manual, Details).
struct DetailAnswer: ItemAnswer {
    private let detail: ItemDetail
    private let follow: FollowLink
    private let basePath: String
    /// A hint about the request's wait, which does not count for the version.
    private let waitHint: String?

    init(
        item: Item, source: any RowSource, follow: FollowLink, under basePath: String, waitHint: String? = nil
    ) throws(Problem) {
        (self.follow, self.basePath, self.waitHint) = (follow, basePath, waitHint)
        do throws(RowRefusal) { detail = try source.detail(of: item) } catch { throw Problem(error) }
    }

    func write(to writer: inout some AnswerWriter & ~Copyable) throws(PropertyListError) -> WrittenAnswer {
        let links = Links(detail.item, under: basePath)
        writer.beginObject()
        let versionOffset = try ItemHead.write(detail.item, links: links, isLevel: false, to: &writer)
        if let keys = detail.links?.canonical {
            let canonical = Links(keys: keys, under: basePath)
            writer.member("canonical", link: canonical.detail)
        }
        writePosition(to: &writer)
        let siblings = links.siblingPrefix()
        try writer.member("previous", linkTo: detail.previous, siblings.span)
        try writer.member("next", linkTo: detail.next, siblings.span)
        let children = links.childPrefix(isDetail: true)
        try DetailContent(own: detail.item.own, children: detail.children).write(
            children.span, links: detail.links, under: basePath, to: &writer)
        let version = ItemHead.seal(&writer, at: versionOffset)
        if let waitHint { try writer.member("hints", list: [waitHint]) }
        try writer.member("follow", follow.text(links.detail, since: Version.text(version)))
        writer.endObject()
        writer.endLine()
        return (version, nil)
    }

    private func writePosition(to writer: inout some AnswerWriter & ~Copyable) {
        writer.beginObject("position")
        if let position = detail.position { writer.member("index", position) }
        writer.member("of", detail.count)
        writer.member("section", detail.section)
        writer.member("first", detail.position.map { $0 == 0 } ?? (detail.previous == nil))
        writer.member("last", detail.position.map { $0 == detail.count - 1 } ?? (detail.next == nil))
        writer.endObject()
    }
}

/// The part of a detail that does not follow from the level above. Both writing and comparing details use this type.
struct DetailContent {
    private let own: Item.Step
    private let children: ItemDetail.ChildRows

    init(own: Item.Step, children: ItemDetail.ChildRows) {
        self.own = own
        self.children = children
    }

    /// Writes the members after the head and the position.
    func write(
        _ prefix: Span<UInt8>, links: RecordLinks? = nil, under basePath: String = "",
        to writer: inout some AnswerWriter & ~Copyable
    ) throws(PropertyListError) {
        try writer.member("firstChild", linkTo: children.first, prefix)
        try writer.member("lastChild", linkTo: children.last, prefix)
        if let links, !links.references.isEmpty {
            writer.beginObject("links")
            for link in links.references {
                let href = Links(keys: link.path, under: basePath)
                try link.write(href: href.detail, to: &writer)
            }
            writer.endObject()
        }
        writer.beginObject("fields")
        try own.withRow { (row) throws(PropertyListError) in
            try RowFields.tell(.all, of: row, to: &writer)
            writer.endObject()
            if row.packed.isControl { try RowControl.write(row.packed, in: row.bytes, to: &writer) }
        }
        if let refusal = children.refusal { try writer.member("error", refusal) }
    }

    /// Whether the detail of another item shows the same content, as JSON. The position and the titles of ancestors do
    /// not count.
    func showsTheSame(as other: DetailContent) -> Bool {
        guard children.count == other.children.count, children.refusal == other.children.refusal,
            own.hasSameTitle(as: other.own),
            (own.below?.showsOnlySections ?? false) == (other.own.below?.showsOnlySections ?? false)
        else { return false }
        if readsTheSame(as: other) { return true }
        guard let shown = written, let otherShown = other.written else { return false }
        return shown == otherShown
    }

    /// Whether `write` reads the same data from this content and from the other content.
    private func readsTheSame(as other: DetailContent) -> Bool {
        own.level.packsRow(own.row, asRow: other.own.row, of: other.own.level)
            && Self.isSameLink(children.first, other.children.first)
            && Self.isSameLink(children.last, other.children.last)
    }

    private static func isSameLink(_ step: Item.Step?, _ other: Item.Step?) -> Bool {
        guard let step, let other else { return step == nil && other == nil }
        return step.hasSameTitle(as: other) && step.hasSameKey(as: other)
    }

    private var written: [UInt8]? {
        var writer: JSONPropertyListWriter = .init()
        writer.beginObject()
        own.withRow { row in writer.fieldsVersion(of: row.packed, in: row.bytes) }
        // The writer cannot fail: a JSON writer accepts any text, and every container is closed.
        do {
            try write(Span(), to: &writer)
            writer.endObject()
            let body = try writer.body()
            return Array(copying: body.span)
        } catch {
            return nil
        }
    }
}

extension AnswerWriter where Self: ~Copyable {
    /// Writes a member with the title of a row and the link to the row's detail; null if there is no row.
    fileprivate mutating func member(
        _ name: StaticString, linkTo step: Item.Step?, _ prefix: Span<UInt8>
    ) throws(PropertyListError) {
        guard let step else { return nullMember(name) }
        member(name)
        beginObject()
        try step.withRow { (row) throws(PropertyListError) in
            try member("title", row.title)
            member("href", link: prefix, key: row.key)
        }
        endObject()
    }
}

extension RecordLinks.Link {
    /// Writes the link as a member of `links`.
    func write(href: Span<UInt8>, to writer: inout some AnswerWriter & ~Copyable) throws(PropertyListError) {
        try writer.key(name.utf8Span.span, at: .byte(offset: 0))
        writer.beginObject()
        try writer.member("title", title.span)
        writer.member("href", link: href)
        writer.endObject()
    }
}

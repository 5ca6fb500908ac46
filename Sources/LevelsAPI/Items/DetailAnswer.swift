import Bytes
import Levels
import PropertyLists

/// `GET /detail/<path>`: the fields and the position of one item (manual, Details).
struct DetailAnswer: ItemAnswer {
    let item: Item
    let arrangements: ArrangementCache

    func write<Writer: AnswerWriter & ~Copyable>(
        to writer: inout Writer
    ) throws(PropertyListError) -> (version: ContentHash, next: String?) {
        let links = Links(item)
        writer.beginObject()
        let versionOffset = try ItemHead.write(item, links, isLevel: false, to: &writer)
        let siblings = links.siblingPrefix()
        let children = links.childPrefix(isDetail: true)
        let listing = item.stepAbove.map { arrangements.listing(below: $0) } ?? Listing(item.own.level)
        let own = ListedRow(item.own, in: listing)
        let description = DetailDescription(own, children: arrangements.listing(below: item.own))
        try description.write(section: own.section, siblings.span, children.span, to: &writer)
        writer.endObject()
        writer.endLine()
        return (ItemHead.seal(&writer, at: versionOffset), nil)
    }
}

/// What a detail shows of an item, and of its place among its siblings.
struct DetailDescription {
    private let content: DetailContent
    /// The position of the item among its siblings.
    private let position: Int
    private let count: Int
    private let previous, next: Item.Step?

    /// - Parameter children: the rows below the item.
    init(_ own: ListedRow, children: Listing) {
        content = DetailContent(own.step, children: children)
        position = own.position
        count = own.step.level.count
        previous = own.listing.step(at: position - 1)
        next = own.listing.step(at: position + 1)
    }

    /// Writes the members after those of the head.
    ///
    /// - Parameters:
    ///   - section: the number of the item's section.
    ///   - siblings: the prefix of the links to the item's siblings.
    ///   - children: the prefix of the links to its children.
    /// - Throws: `PropertyListError` for text that the format cannot represent.
    func write<Writer: AnswerWriter & ~Copyable>(
        section: Int, _ siblings: Span<UInt8>, _ children: Span<UInt8>, to writer: inout Writer
    ) throws(PropertyListError) {
        writePosition(section, to: &writer)
        try writer.member("previous", linkTo: previous, siblings)
        try writer.member("next", linkTo: next, siblings)
        try content.write(children, to: &writer)
    }

    private func writePosition<Writer: AnswerWriter & ~Copyable>(_ section: Int, to writer: inout Writer) {
        writer.member("position")
        writer.beginObject()
        writer.member("index", position)
        writer.member("of", count)
        writer.member("section", section)
        writer.member("first", position == 0)
        writer.member("last", position == count - 1)
        writer.endObject()
    }
}

/// What a detail shows of an item itself and of the rows below it: all that does not follow from the level above.
/// Details are both written and compared from it.
struct DetailContent {
    let own: Item.Step
    private let firstChild, lastChild: Item.Step?
    private let childCount: Int
    /// Why the level below could not be read.
    private let refusal: String?

    /// - Parameter children: the rows below the item.
    init(_ own: Item.Step, children: Listing) {
        self.own = own
        childCount = children.count
        refusal = childCount == 0 ? children.level?.refusal : nil
        firstChild = children.step(at: 0)
        lastChild = children.step(at: childCount - 1)
    }

    /// Writes the members after those of the head and of the place.
    ///
    /// - Parameter children: the prefix of the links to the item's children.
    /// - Throws: `PropertyListError` for text that the format cannot represent.
    func write<Writer: AnswerWriter & ~Copyable>(
        _ children: Span<UInt8>, to writer: inout Writer
    ) throws(PropertyListError) {
        try writer.member("firstChild", linkTo: firstChild, children)
        try writer.member("lastChild", linkTo: lastChild, children)
        writer.member("fields")
        writer.beginObject()
        let bytes = own.level.bytes
        let row = own.level.row(own.row)
        try RowFields.tell(.all, of: row, in: bytes.span, to: &writer)
        writer.endObject()
        if row.isControl { try RowControl.write(row, in: bytes.span, to: &writer) }
        if let refusal { try writer.member("error", refusal) }
    }

    /// Whether another item's detail shows the same as JSON, apart from the place of the item and the titles above it.
    func showsTheSame(as other: DetailContent) -> Bool {
        guard childCount == other.childCount, refusal == other.refusal, own.hasSameTitle(as: other.own) else {
            return false
        }
        if readsTheSame(as: other) { return true }
        guard let shown = written, let otherShown = other.written else { return false }
        return shown == otherShown
    }

    /// Whether everything that `write` reads is equal; if so, what it writes is too.
    private func readsTheSame(as other: DetailContent) -> Bool {
        own.level.packsRow(own.row, asRow: other.own.row, of: other.own.level)
            && Self.isSameLink(firstChild, other.firstChild) && Self.isSameLink(lastChild, other.lastChild)
    }

    private static func isSameLink(_ step: Item.Step?, _ other: Item.Step?) -> Bool {
        guard let step, let other else { return step == nil && other == nil }
        return step.hasSameLink(as: other)
    }

    private var written: [UInt8]? {
        var writer: JSONPropertyListWriter = .init()
        writer.beginObject()
        let bytes = own.level.bytes
        writer.fieldsVersion(of: own.level.row(own.row), in: bytes.span)
        // A JSON writer accepts any text, and every container is closed.
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
    /// Writes the title of a row and the link to its detail, or null without one.
    ///
    /// - Parameter prefix: that of the links to the row and its siblings.
    mutating func member(
        _ name: StaticString, linkTo step: Item.Step?, _ prefix: Span<UInt8>
    ) throws(PropertyListError) {
        guard let step else { return nullMember(name) }
        let bytes = step.level.bytes
        let row = step.level.row(step.row)
        member(name)
        beginObject()
        try member("title", bytes.span.extracting(row.title))
        member("href", link: prefix, key: bytes.span.extracting(row.key))
        endObject()
    }
}

extension Item.Step {
    /// Whether the title of the row is that of another row.
    func hasSameTitle(as other: Item.Step) -> Bool {
        isEqual(to: other, level.row(row).title, other.level.row(other.row).title)
    }

    /// Whether links to the row and to another one on the level of the same item are equal.
    fileprivate func hasSameLink(as other: Item.Step) -> Bool {
        let (own, others) = (level.row(row), other.level.row(other.row))
        return isEqual(to: other, own.title, others.title) && isEqual(to: other, own.key, others.key)
    }

    private func isEqual(to other: Item.Step, _ own: Range<Int>, _ others: Range<Int>) -> Bool {
        let (bytes, otherBytes) = (level.bytes, other.level.bytes)
        return bytes.span.extracting(own).isEqual(to: otherBytes.span.extracting(others))
    }
}

/// A row of a level, with its position among the rows as they are shown without a query.
struct ListedRow {
    let step: Item.Step
    /// The rows of the level.
    let listing: Listing
    let position: Int

    /// The row at a position; nil past the ends.
    init?(at position: Int, in listing: Listing) {
        guard let step = listing.step(at: position) else { return nil }
        self.step = step
        self.listing = listing
        self.position = position
    }

    /// - Parameter listing: the rows of the step's level.
    init(_ step: Item.Step, in listing: Listing) {
        self.step = step
        self.listing = listing
        position = listing.position(ofRow: step.row) ?? step.row
    }

    /// The number of the row's section.
    var section: Int { listing.sectionNumber(at: position) }
}

extension Listing {
    /// The row at a position; nil past the ends.
    func step(at position: Int) -> Item.Step? {
        guard position >= 0, position < count else { return nil }
        let place = place(at: position)
        return level(of: place).map { Item.Step(level: $0, row: place.row) }
    }
}

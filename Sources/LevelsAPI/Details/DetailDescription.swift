import Bytes
import Levels
import PropertyLists

/// What a detail shows of an item and of the rows around it. Details are both written and compared from it.
struct DetailDescription {
    private let own: Item.Step
    /// The position of the item among its siblings.
    private let position: Int
    private let previous, next, firstChild, lastChild: Item.Step?
    private let childCount: Int
    /// Why the level below could not be read.
    private let refusal: String?

    /// - Parameter children: the rows below the item.
    init(_ own: ListedRow, children: Listing) {
        self.init(own.step, at: own.position, in: own.listing, children: children)
    }

    /// - Parameters:
    ///   - position: the position of the item in `siblings`.
    ///   - children: the rows below the item.
    init(_ own: Item.Step, at position: Int, in siblings: Listing, children: Listing) {
        self.own = own
        self.position = position
        childCount = children.count
        refusal = childCount == 0 ? children.level?.refusal : nil
        previous = siblings.step(at: position - 1)
        next = siblings.step(at: position + 1)
        firstChild = children.step(at: 0)
        lastChild = children.step(at: childCount - 1)
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
        try writeLink("previous", to: previous, siblings, into: &writer)
        try writeLink("next", to: next, siblings, into: &writer)
        try writeLink("firstChild", to: firstChild, children, into: &writer)
        try writeLink("lastChild", to: lastChild, children, into: &writer)
        writer.member("fields")
        writer.beginObject()
        let bytes = own.level.bytes
        let row = own.level.row(own.row)
        try RowFields.tell(.all, of: row, in: bytes.span, to: &writer)
        writer.endObject()
        if row.isControl { try RowControl.write(row, in: bytes.span, to: &writer) }
        if let refusal { try writer.member("error", refusal) }
    }

    private func writePosition<Writer: AnswerWriter & ~Copyable>(_ section: Int, to writer: inout Writer) {
        writer.member("position")
        writer.beginObject()
        writer.member("index", position)
        writer.member("of", own.level.count)
        writer.member("section", section)
        writer.member("first", position == 0)
        writer.member("last", position == own.level.count - 1)
        writer.endObject()
    }

    private func writeLink<Writer: AnswerWriter & ~Copyable>(
        _ name: StaticString, to step: Item.Step?, _ prefix: Span<UInt8>, into writer: inout Writer
    ) throws(PropertyListError) {
        guard let step else { return writer.nullMember(name) }
        let bytes = step.level.bytes
        let row = step.level.row(step.row)
        writer.member(name)
        writer.beginObject()
        try writer.member("title", bytes.span.extracting(row.title))
        writer.member("href", link: prefix, key: bytes.span.extracting(row.key))
        writer.endObject()
    }

    /// Whether another item's detail shows the same as JSON, apart from the titles above the items and the numbers of
    /// their sections.
    func showsTheSame(as other: DetailDescription) -> Bool {
        guard childCount == other.childCount, refusal == other.refusal, own.hasSameTitle(as: other.own) else {
            return false
        }
        if readsTheSame(as: other) { return true }
        guard let shown = written, let otherShown = other.written else { return false }
        return shown == otherShown
    }

    /// Whether everything that `write` reads is equal; if so, what it writes is too.
    private func readsTheSame(as other: DetailDescription) -> Bool {
        position == other.position && own.level.count == other.own.level.count
            && own.level.packsRow(own.row, asRow: other.own.row, of: other.own.level)
            && Self.isSameLink(previous, other.previous) && Self.isSameLink(next, other.next)
            && Self.isSameLink(firstChild, other.firstChild) && Self.isSameLink(lastChild, other.lastChild)
    }

    private static func isSameLink(_ step: Item.Step?, _ other: Item.Step?) -> Bool {
        guard let step, let other else { return step == nil && other == nil }
        return step.hasSameLink(as: other)
    }

    private var written: [UInt8]? {
        var writer: JSONPropertyListWriter = .init()
        writer.beginObject()
        // A JSON writer accepts any text, and every container is closed.
        do {
            try write(section: 0, Span(), Span(), to: &writer)
            writer.endObject()
            let body = try writer.body()
            return Array(copying: body.span)
        } catch {
            return nil
        }
    }
}

extension Item.Step {
    /// Whether the title of the row is that of another row.
    func hasSameTitle(as other: Item.Step) -> Bool {
        isEqual(to: other, level.row(row).title, other.level.row(other.row).title)
    }

    /// Whether links to the row and to another one on the level of the same item are equal.
    func hasSameLink(as other: Item.Step) -> Bool {
        let (own, others) = (level.row(row), other.level.row(other.row))
        return isEqual(to: other, own.title, others.title) && isEqual(to: other, own.key, others.key)
    }

    private func isEqual(to other: Item.Step, _ own: Range<Int>, _ others: Range<Int>) -> Bool {
        let (bytes, otherBytes) = (level.bytes, other.level.bytes)
        return bytes.span.extracting(own).isEqual(to: otherBytes.span.extracting(others))
    }
}

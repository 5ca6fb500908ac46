import Bytes
import Levels
import PropertyLists

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

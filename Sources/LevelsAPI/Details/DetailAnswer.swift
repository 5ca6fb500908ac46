import Bytes
import Levels
import PropertyLists

/// `GET /detail/<path>`: the fields and the position of one item (manual, Details).
struct DetailAnswer: ItemAnswer {
    let item: Item

    func write<Writer: AnswerWriter & ~Copyable>(
        to writer: inout Writer
    ) throws(PropertyListError) -> (version: ContentHash, next: String?) {
        let links = Links(item)
        writer.beginObject()
        let versionOffset = try ItemHead.write(item, links, isLevel: false, to: &writer)
        let siblings = links.siblingPrefix()
        let children = links.childPrefix(isDetail: true)
        let description = DetailDescription(item.own)
        try description.write(section: section, siblings.span, children.span, to: &writer)
        writer.endObject()
        writer.endLine()
        return (ItemHead.seal(&writer, at: versionOffset), nil)
    }

    /// The number of the item's section.
    private var section: Int {
        let own = item.own
        return own.level.sections.firstIndex { ($0.start..<$0.start + $0.count).contains(own.row) } ?? 0
    }
}

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

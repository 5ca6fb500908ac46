import Bytes
import Levels
import PropertyLists

/// `GET /detail/<path>`: the fields of one item, and where it stands (manual, Details).
struct DetailAnswer {
    let item: Item

    /// Writes the answer; gives its version.
    ///
    /// - Throws: `PropertyListError` for text that the format cannot carry.
    func write<Writer: AnswerWriter & ~Copyable>(to writer: inout Writer) throws(PropertyListError) -> ContentHash {
        let links = Links(item)
        let own = item.own
        writer.beginObject()
        let versionOffset = try ItemHead.write(item, links, isLevel: false, to: &writer)
        writePosition(to: &writer)
        let siblings = links.siblingPrefix()
        try writeLink("previous", to: own.row - 1, of: own.level, siblings, into: &writer)
        try writeLink("next", to: own.row + 1, of: own.level, siblings, into: &writer)
        let children = links.childPrefix(isDetail: true)
        try writeLink("firstChild", to: 0, of: item.level, children, into: &writer)
        try writeLink("lastChild", to: (item.level?.count ?? 0) - 1, of: item.level, children, into: &writer)
        writer.member("fields")
        writer.beginObject()
        let bytes = own.level.bytes
        try RowFields.tell(.all, of: own.level.row(own.row), in: bytes.span, to: &writer)
        writer.endObject()
        writer.endObject()
        writer.endLine()
        return ItemHead.seal(&writer, at: versionOffset)
    }

    private func writePosition<Writer: AnswerWriter & ~Copyable>(to writer: inout Writer) {
        let own = item.own
        let section = own.level.sections.firstIndex { ($0.start..<$0.start + $0.count).contains(own.row) } ?? 0
        writer.member("position")
        writer.beginObject()
        writer.member("index", own.row)
        writer.member("of", own.level.count)
        writer.member("section", section)
        writer.member("first", own.row == 0)
        writer.member("last", own.row == own.level.count - 1)
        writer.endObject()
    }

    private func writeLink<Writer: AnswerWriter & ~Copyable>(
        _ name: StaticString, to number: Int, of level: Level?, _ prefix: borrowing ByteBuffer,
        into writer: inout Writer
    ) throws(PropertyListError) {
        guard let level, number >= 0, number < level.count else { return writer.nullMember(name) }
        let bytes = level.bytes
        let row = level.row(number)
        writer.member(name)
        writer.beginObject()
        try writer.member("title", bytes.span.extracting(row.title))
        writer.member("href", link: prefix.span, key: bytes.span.extracting(row.key))
        writer.endObject()
    }
}

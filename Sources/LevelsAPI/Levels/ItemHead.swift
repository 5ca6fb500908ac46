import Bytes
import Levels
import PropertyLists

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

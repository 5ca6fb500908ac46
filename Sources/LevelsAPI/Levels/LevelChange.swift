import Bytes
import Levels
import PropertyLists

/// How the rows that a client has became those of now: what `?since=` answers in place of the rows (manual, Refresh).
struct LevelChange {
    /// The version that the client has.
    let since: String
    /// The item as it was then.
    let old: Item
    /// What the request would have been answered then.
    private let earlier: LevelAnswer
    private let rows: RowsDifference

    init(since: String, old: Item, to answer: LevelAnswer) {
        self.since = since
        self.old = old
        earlier = answer.asked(of: old)
        rows = RowsDifference(from: old.level, earlier.rows, to: answer.item.level, answer.rows)
    }

    /// Writes the members, each list in ascending order of the places in the new list.
    func write<Writer: AnswerWriter & ~Copyable>(
        of answer: LevelAnswer, _ links: borrowing Links, to writer: inout Writer
    ) throws(PropertyListError) {
        try writer.member("since", since)
        try writeRemoved(to: &writer)
        let start = answer.rows.lowerBound
        writer.member("inserted")
        writer.beginList()
        for row in rows.inserted { try writeRow(row, start, of: answer, links, to: &writer) }
        writer.endList()
        try writeMoved(start, of: answer.item.level, to: &writer)
        writer.member("updated")
        writer.beginList()
        for pair in rows.kept where try isUpdated(pair, answer, links, as: Writer.self) {
            try writeRow(pair.new, start, of: answer, links, to: &writer)
        }
        writer.endList()
    }

    private func writeRemoved<Writer: AnswerWriter & ~Copyable>(to writer: inout Writer) throws(PropertyListError) {
        writer.member("removed")
        writer.beginList()
        for row in rows.removed { try writeKey(row, of: old.level, to: &writer) }
        writer.endList()
    }

    private func writeMoved<Writer: AnswerWriter & ~Copyable>(
        _ start: Int, of level: Level?, to writer: inout Writer
    ) throws(PropertyListError) {
        writer.member("moved")
        writer.beginList()
        for row in rows.moved {
            writer.beginObject()
            writer.member("at", row - start)
            writer.member("key")
            try writeKey(row, of: level, to: &writer)
            writer.endObject()
        }
        writer.endList()
    }

    private func writeKey<Writer: AnswerWriter & ~Copyable>(
        _ row: Int, of level: Level?, to writer: inout Writer
    ) throws(PropertyListError) {
        guard let level else { return }
        let bytes = level.bytes
        try writer.text(bytes.span.extracting(level.row(row).key))
    }

    private func writeRow<Writer: AnswerWriter & ~Copyable>(
        _ row: Int, _ start: Int, of answer: LevelAnswer, _ links: borrowing Links, to writer: inout Writer
    ) throws(PropertyListError) {
        writer.beginObject()
        writer.member("at", row - start)
        writer.member("row")
        // It stands one deeper here than in the list of a level.
        writer.indent(by: -1)
        try Self.writeRow(row, of: answer, links, to: &writer)
        writer.indent(by: 1)
        writer.endObject()
    }

    private static func writeRow<Writer: AnswerWriter & ~Copyable>(
        _ row: Int, of answer: LevelAnswer, _ links: borrowing Links, to writer: inout Writer
    ) throws(PropertyListError) {
        guard let level = answer.item.level else { return }
        let bytes = level.bytes
        let count = level.childCount(row)
        let prefix = links.childPrefix(isDetail: count == 0)
        try answer.writeRow(Row(in: bytes.span, number: row), in: bytes.span, count: count, prefix.span, to: &writer)
    }

    /// Whether a row that stayed, or moved, shows something else than before.
    private func isUpdated<Writer: AnswerWriter & ~Copyable>(
        _ pair: RowsDifference.Pair, _ answer: LevelAnswer, _ links: borrowing Links, as _: Writer.Type
    ) throws(PropertyListError) -> Bool {
        guard let before = old.level, let after = answer.item.level else { return false }
        if after.hasRow(pair.new, sameAs: pair.old, in: before) { return false }
        // The item's own path is the same in both, and so are the links in its rows.
        return try Self.shown(pair.old, of: earlier, links, as: Writer.self)
            != Self.shown(pair.new, of: answer, links, as: Writer.self)
    }

    private static func shown<Writer: AnswerWriter & ~Copyable>(
        _ row: Int, of answer: LevelAnswer, _ links: borrowing Links, as _: Writer.Type
    ) throws(PropertyListError) -> [UInt8] {
        var writer = Writer()
        try writeRow(row, of: answer, links, to: &writer)
        let body = try writer.body()
        return Array(copying: body.span)
    }
}

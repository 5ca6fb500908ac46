import Bytes
import Levels
import PropertyLists

/// The difference between the rows that a client has and the current ones, which answers `?since=` (manual, Refresh).
struct LevelChange {
    /// The version that the client has.
    private let since: String
    /// The answer to the same request at that version.
    private let earlier: LevelAnswer
    private let answer: LevelAnswer
    private let rows: RowsDifference

    /// - Parameter earlier: the answer to the same request at that version.
    init(since: String, from earlier: LevelAnswer, to answer: LevelAnswer) {
        self.since = since
        self.answer = answer
        self.earlier = earlier
        rows = RowsDifference(from: earlier.page, to: answer.page)
    }

    /// Writes the members, each list in ascending order of the positions in the new list.
    ///
    /// - Throws: `PropertyListError` for text that the format cannot represent.
    func write<Writer: AnswerWriter & ~Copyable>(
        _ links: borrowing Links, to writer: inout Writer
    ) throws(PropertyListError) {
        try writer.member("since", since)
        writer.member("removed")
        writer.beginList()
        for number in rows.removed { try writeKey(of: number, in: earlier.page, to: &writer) }
        writer.endList()
        writer.member("inserted")
        writer.beginList()
        for number in rows.inserted { try writeRow(number, links, to: &writer) }
        writer.endList()
        try writeMoved(to: &writer)
        writer.member("updated")
        writer.beginList()
        for pair in rows.kept where try isUpdated(pair, links, as: Writer.self) {
            try writeRow(pair.new, links, to: &writer)
        }
        writer.endList()
    }

    private func writeMoved<Writer: AnswerWriter & ~Copyable>(to writer: inout Writer) throws(PropertyListError) {
        writer.member("moved")
        writer.beginList()
        for number in rows.moved {
            writer.beginObject()
            writer.member("at", number - answer.page.numbers.lowerBound)
            writer.member("key")
            try writeKey(of: number, in: answer.page, to: &writer)
            writer.endObject()
        }
        writer.endList()
    }

    private func writeKey<Writer: AnswerWriter & ~Copyable>(
        of number: Int, in page: RowPage, to writer: inout Writer
    ) throws(PropertyListError) {
        try page.withRow(number) { (row) throws(PropertyListError) in try writer.text(row.key) }
    }

    private func writeRow<Writer: AnswerWriter & ~Copyable>(
        _ number: Int, _ links: borrowing Links, to writer: inout Writer
    ) throws(PropertyListError) {
        writer.beginObject()
        writer.member("at", number - answer.page.numbers.lowerBound)
        writer.member("row")
        // The row is nested one deeper here than in the list of a level.
        writer.indent(by: -1)
        try answer.description.write(number..<number + 1, links, to: &writer)
        writer.indent(by: 1)
        writer.endObject()
    }

    /// Whether a row that stayed or moved shows anything new.
    private func isUpdated<Writer: AnswerWriter & ~Copyable>(
        _ pair: RowsDifference.Pair, _ links: borrowing Links, as _: Writer.Type
    ) throws(PropertyListError) -> Bool {
        // The item's own path is the same in both, and so are the links in its rows.
        try !answer.description.shows(
            pair.new, sameAs: earlier.description, pair.old, links, as: Writer.self)
    }
}

/// The answer to `?since=`: the level, with what changed instead of its rows.
struct LevelDelta: ItemAnswer {
    let answer: LevelAnswer
    let change: LevelChange
    /// The version of the answer with its rows.
    let version: ContentHash

    func write<Writer: AnswerWriter & ~Copyable>(
        to writer: inout Writer
    ) throws(PropertyListError) -> (version: ContentHash, next: String?) {
        (version, try answer.write(change, version: version, to: &writer))
    }
}

import Bytes
import Levels
import PropertyLists

/// The difference between the rows that a client has and the current rows, for `?since=` (manual, Refresh).
struct LevelChange {
    /// The version that the client has.
    private let since: String
    /// The answer to the same request in the state that the client has.
    private let earlier: LevelAnswer
    private let answer: LevelAnswer
    private let rows: RowsDifference

    /// - Parameter earlier: the answer to the same request in the state that the client has.
    init(since: String, from earlier: LevelAnswer, to answer: LevelAnswer) {
        self.since = since
        self.answer = answer
        self.earlier = earlier
        rows = RowsDifference(from: earlier.page, to: answer.page)
    }

    /// Writes the members. `removed` follows the old positions in ascending order; the other lists follow the new
    /// positions.
    func write<Writer: AnswerWriter & ~Copyable>(
        _ links: borrowing Links, to writer: inout Writer
    ) throws(PropertyListError) {
        try writer.member("since", since)
        writer.beginList("removed")
        for number in rows.removed { try writeKey(of: number, in: earlier.page, to: &writer) }
        writer.endList()
        writer.beginList("inserted")
        for number in rows.inserted { try writeRow(number, links: links, to: &writer) }
        writer.endList()
        try writeMoved(to: &writer)
        writer.beginList("updated")
        for pair in rows.kept where try isUpdated(pair, links: links, as: Writer.self) {
            try writeRow(pair.new, links: links, to: &writer)
        }
        writer.endList()
    }

    private func writeMoved(to writer: inout some AnswerWriter & ~Copyable) throws(PropertyListError) {
        writer.beginList("moved")
        for number in rows.moved {
            writer.beginObject()
            writer.member("at", number - answer.page.numbers.lowerBound)
            writer.member("key")
            try writeKey(of: number, in: answer.page, to: &writer)
            writer.endObject()
        }
        writer.endList()
    }

    private func writeKey(
        of number: Int, in page: RowPage, to writer: inout some AnswerWriter & ~Copyable
    ) throws(PropertyListError) {
        try page.withRow(number) { (row) throws(PropertyListError) in try writer.string(row.key) }
    }

    private func writeRow(
        _ number: Int, links: borrowing Links, to writer: inout some AnswerWriter & ~Copyable
    ) throws(PropertyListError) {
        writer.beginObject()
        writer.member("at", number - answer.page.numbers.lowerBound)
        writer.member("row")
        // A row is nested one level deeper here than in a level's list.
        writer.indent(by: -1)
        try answer.description.write(number..<number + 1, links: links, to: &writer)
        writer.indent(by: 1)
        writer.endObject()
    }

    /// Whether the content of a row that is in both answers has changed.
    private func isUpdated<Writer: AnswerWriter & ~Copyable>(
        _ pair: RowsDifference.Pair, links: borrowing Links, as _: Writer.Type
    ) throws(PropertyListError) -> Bool {
        // Both answers are about the item at one path, so the links in their rows are the same.
        try !answer.description.shows(
            pair.new, sameAs: earlier.description, otherNumber: pair.old, links: links, as: Writer.self)
    }
}

/// The answer to `?since=`: the level, with the changes in place of the rows.
struct LevelDelta: ItemAnswer {
    let answer: LevelAnswer
    let change: LevelChange
    /// The version of the answer that contains the rows.
    let version: ContentHash

    func write(to writer: inout some AnswerWriter & ~Copyable) throws(PropertyListError) -> WrittenAnswer {
        (version, try answer.write(change, version: version, to: &writer))
    }
}

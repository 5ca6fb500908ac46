internal import DatabaseTrees
internal import Levels

/// A request for a page of records.
struct PageRequest {
    let query: RowQuery
    /// The end of the page before; nil for the first page.
    let cursor: PageCursor?
    let database: OpenDatabase

    /// The maximum number of rows.
    var limit: Int { query.page.limit ?? PageQuery.defaultLimit }
}

/// A page of the records of a list. Each conformer finds the records in another way.
protocol RecordPage {
    var list: RecordList { get }
    var asked: PageRequest { get }

    func read() throws -> RowPage
}

extension RecordPage {
    /// Returns a reader of the fields that the query shows.
    func makeReader() -> RecordReader {
        if asked.query.fields == .short { return RecordReader(shortValuesOf: list) }
        return RecordReader(
            table: list.table, ordered: list.terms, showing: { asked.query.fields.reaches($0.bytes.span) },
            limit: RecordReader.rowLimit, hasLinks: true, drills: true)
    }

    /// Returns the page with its notes, and the numbers of rows below its rows.
    func finish(
        _ page: consuming PageRows, start: Int, count: RecordCount, sections: [Section] = [], next: RowBookmark?,
        order: RowPage.IndexOrder? = nil
    ) throws(DatabaseError) -> RowPage {
        var notes = RowPage.Notes()
        notes.order = order
        if list.isReadOnce { notes.itemCount = try asked.database.counted(list)?.number }
        notes.rowRefusals = page.refusals
        notes.areHits = asked.query.search != nil
        notes.fieldNames = list.table.columns.map(\.bytes)
        if list.table.isPositional {
            notes.refusal =
                "The rows of '\(list.table.name)' have no key, so only their positions name them, and at most \(RecordList.mostPositions) are shown; give the table a primary key, or name the columns of a key with 'Key'."
        }
        var counts: [Int] = []
        for (number, below) in page.below.enumerated() where asked.query.countsBelow {
            let count = try asked.database.count(below.list)
            counts.append(count.number + below.following)
            if count.isEstimate { notes.estimatedCounts.insert(number) }
        }
        if counts.isEmpty {
            counts = [Int](repeating: list.table.isPositional ? 0 : list.table.referring.count, count: page.count)
            for (number, values) in page.valueCounts.enumerated() { counts[number] += values }
        }
        let referring = page.referring
        let level = try page.packer.packed()
        if !referring.keys.isEmpty {
            notes.references = try RecordPaths(database: asked.database)
                .references(of: referring, in: level, of: list.table)
        }
        let labelled = try RecordPaths(database: asked.database)
            .label(sections, of: asked.query.order.group, in: list.table)
        return RowPage(
            level: level, start: start, of: count.number, isEstimate: count.isEstimate,
            sections: labelled, childCounts: counts, next: next, notes: notes)
    }
}

internal import DatabaseTrees
internal import Levels

/// A level whose rows are all known: tables, named lists or the values of a drill column.
protocol ShortLevel: TableLevel {
    var rowCount: Int { get }

    func row(_ number: Int) -> (key: [UInt8], title: [UInt8])

    /// Returns the number of the row with a key; nil for an unknown key.
    func number(ofKey key: [UInt8]) -> Int?

    /// Returns the level below a row.
    func level(below number: Int) throws -> any TableLevel

    /// Returns the number of rows below a row.
    func count(below number: Int) throws -> RecordCount
}

extension ShortLevel {
    func number(ofKey key: [UInt8]) -> Int? { (0..<rowCount).first { row($0).key == key } }

    func find(_ written: [UInt8], key: String, isWhole: Bool) throws -> FoundRow? {
        guard let number = number(ofKey: Array(key.utf8)), let own = try step(number) else { return nil }
        return FoundRow(step: own, below: try level(below: number)) { item, children in
            ItemDetail(
                item: item, position: number, of: rowCount, previous: try step(number - 1),
                next: try step(number + 1), children: children)
        }
    }

    func count() throws -> Int { rowCount }

    func ends() throws -> ItemDetail.ChildRows {
        ItemDetail.ChildRows(count: rowCount, first: try step(0), last: try step(rowCount - 1))
    }

    /// Returns a row as a step of a path; nil beyond the ends of the level.
    private func step(_ number: Int) throws(DatabaseError) -> Item.Step? {
        guard number >= 0, number < rowCount else { return nil }
        let row = row(number)
        return try Item.Step(key: row.key, title: row.title)
    }

    func page(_ query: RowQuery) throws -> RowPage { try page(of: query) }

    /// Returns all rows, and those that a query shows.
    func arranged(by query: RowQuery) throws(DatabaseError) -> (level: Level, rows: ArrangedRows) {
        var known = RowPacker()
        for number in 0..<rowCount {
            let row = row(number)
            known.beginRow(key: row.key.span, title: row.title.span)
        }
        let level = try known.packed()
        return (level, ArrangedRows(level: level, by: query))
    }

    func page(of query: RowQuery) throws -> RowPage {
        let cursor = try PageCursor.of(query)
        let (level, all) = try arranged(by: query)
        var start = query.page.firstPosition
        if let cursor {
            // Rows before the cursor may be gone.
            let last = cursor.values.lazy.compactMap { value -> Int? in
                let key = value.bytes ?? []
                return level.row(withKey: key.span)
            }.first
            let row = last.map { $0 + 1 } ?? max(0, cursor.row - cursor.values.count)
            start = all.position(after: cursor.mark, row: row, formerly: cursor.position)
        }
        let positions = query.page.positions(from: start, of: all.count)
        var packer = RowPacker()
        var counts: [Int] = []
        var notes = RowPage.Notes()
        for (number, position) in positions.enumerated() {
            let row = all.rowNumber(at: position)
            let found = query.countsBelow ? try count(below: row) : RecordCount(number: 0, isEstimate: true)
            packer.addRow(row, of: level)
            counts.append(found.number)
            if found.isEstimate { notes.estimatedCounts.insert(number) }
        }
        notes.areHits = query.search != nil
        var next: RowBookmark?
        if positions.upperBound < all.count, let last = positions.last {
            let row = all.rowNumber(at: last)
            next =
                PageCursor(
                    shape: PageCursor.shape(of: query), position: last + 1, row: row + 1,
                    values: PageCursor.keys(before: row + 1, in: level), mark: all.mark(at: last)
                ).bookmark
        }
        return RowPage(
            level: try packer.packed(), start: positions.lowerBound, of: all.count, sections: all.sections,
            childCounts: counts, next: next, notes: notes)
    }
}

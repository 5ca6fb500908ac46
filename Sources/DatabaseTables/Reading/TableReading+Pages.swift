internal import Bytes
internal import DatabaseTrees
internal import Levels
internal import PropertyLists

extension TableReading {
    func page(_ query: RowQuery, below item: Item) throws(RowRefusal) -> RowPage {
        if let outline = query.outline {
            throw RowRefusal(
                parameter: outline.isDepthAsked ? "depth" : "expand",
                sentence: "The rows of a database have no outline; follow their links.")
        }
        return try atPlace(of: item) { try page(query, at: $0) }
    }

    private func page(_ asked: RowQuery, at place: Place) throws -> RowPage {
        var query = asked
        if case .values(let list, _, _) = place, list.drillColumns.isEmpty { query = list.query(query) }
        let cursor = try cursor(of: query)
        switch place {
        case .root: return try tablesPage(query, cursor: cursor)
        case .table(let number): return try recordsPage(list(ofTable: number), query: query, cursor: cursor)
        case .values(let list, _, _):
            return list.drillColumns.isEmpty
                ? try recordsPage(list, query: query, cursor: cursor)
                : try valuesPage(list, query: query, cursor: cursor)
        case .record(let number, let record):
            let below = try rowsBelow(number, record: record)
            guard let records = below.records else {
                return try referringPage(below.lists, query: query, cursor: cursor)
            }
            return try recordsPage(records, query: query, cursor: cursor)
        case .referring(let below, let place):
            return try recordsPage(below.lists[place].list, query: query, cursor: cursor)
        }
    }

    /// Reads the cursor of a query; nil for the first page.
    private func cursor(of query: RowQuery) throws(RowRefusal) -> PageCursor? {
        switch query.page.after {
        case nil: return nil
        case .supplied(let bytes):
            guard let cursor = PageCursor(bytes), cursor.shape == PageCursor.shape(of: query) else { fallthrough }
            return cursor
        case .row, .outline:
            throw RowRefusal(
                parameter: "after", sentence: "The cursor is one of another list; follow the link 'next' of a page.")
        }
    }

    // MARK: Short lists

    private func tablesPage(_ query: RowQuery, cursor: PageCursor?) throws -> RowPage {
        let catalogue = try catalogue
        var packer = RowPacker()
        for (key, table) in zip(catalogue.keys, catalogue.tables) {
            packer.beginRow(key: key.span, title: Array(table.name.utf8).span)
        }
        return try shortPage(Self.level(packer), query: query, cursor: cursor) { number in
            try self.briefCount(self.list(ofTable: number))
        }
    }

    /// Returns the number of records of one of several lists; an estimate if the list cannot be counted soon. A view that
    /// fails, or a table that is locked, must not refuse or delay the other lists.
    private func briefCount(_ list: RecordList) throws(DatabaseError) -> RecordCount {
        let connection = try database.connection
        let count = try connection.briefly(isLimited: list.table.isMade) { () throws(DatabaseError) in
            try self.count(list)
        }
        if let count { return count }
        let estimate = try connection.briefly(isLimited: true) { () throws(DatabaseError) in
            try connection.estimate(list.table)
        }
        return RecordCount(number: estimate ?? 0, isEstimate: true)
    }

    private func referringPage(_ lists: [NamedList], query: RowQuery, cursor: PageCursor?) throws -> RowPage {
        var packer = RowPacker()
        for list in lists { packer.beginRow(key: list.key.span, title: list.title.span) }
        return try shortPage(Self.level(packer), query: query, cursor: cursor) { place in
            try self.briefCount(lists[place].list)
        }
    }

    /// Returns a page of rows that are all known: tables, named lists or the values of a drill column.
    ///
    /// - Parameters:
    ///   - level: all rows, in the order that they have without a query.
    ///   - count: returns the number of rows below a row of `level`; the argument is the number of that row.
    func shortPage(
        _ level: Level, query: RowQuery, cursor: PageCursor?, count: (Int) throws -> RecordCount
    ) throws -> RowPage {
        let all = ArrangedRows(level: level, by: query)
        var start = query.page.firstPosition
        if let cursor {
            let key = cursor.values.first?.bytes ?? []
            let row = level.row(withKey: key.span).map { $0 + 1 } ?? cursor.row
            start = all.position(after: cursor.mark, row: row, formerly: cursor.position)
        }
        let positions = query.page.positions(from: start, of: all.count)
        var packer = RowPacker()
        var counts: [Int] = []
        var notes = RowPage.Notes()
        for (number, position) in positions.enumerated() {
            let row = all.rowNumber(at: position)
            let found = query.countsBelow ? try count(row) : RecordCount(number: 0, isEstimate: true)
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
                    values: [.text(Array(level.key(row).utf8))], mark: all.mark(at: last)
                ).bookmark
        }
        return RowPage(
            level: try Self.level(packer), start: positions.lowerBound, of: all.count, sections: all.sections,
            childCounts: counts, next: next, notes: notes)
    }

    // MARK: Records

    private func recordsPage(_ list: RecordList, query: RowQuery, cursor: PageCursor?) throws -> RowPage {
        guard query.countsBelow || !list.table.isMade else {
            throw RowRefusal(sentence: "The records of '\(quoted: list.table.name)' may take long to be found.")
        }
        if list.table.isPositional {
            return query.keepsOrder && query.conditions.isEmpty
                ? try positionalPage(list, query: query, cursor: cursor)
                : try arrangedPage(list, query: query, arranging: query, cursor: cursor, count: Self.mostPositions)
        }
        let records = try total(list)
        let count = RecordCount(number: records.number + list.following.count, isEstimate: records.isEstimate)
        if query.keepsOrder {
            if query.conditions.isEmpty { return try keyPage(list, query: query, cursor: cursor, count: count) }
            if let (found, count) = try indexed(list, by: query.conditions) {
                return try keyPage(found, query: query, cursor: cursor, count: count)
            }
        }
        if !count.isEstimate && count.number <= rows.options.arrangedRows {
            return try arrangedPage(
                candidates(in: list, for: query), query: query, arranging: query, cursor: cursor, count: count.number)
        }
        guard query.conditions.isEmpty else {
            var records = list
            records.following = []
            return try narrowedPage(records, query: query, cursor: cursor)
        }
        guard query.search == nil else {
            throw try needsIndex(list, terms: [], parameter: "q", purpose: "finds a text in its records")
        }
        guard let grouping = query.order.group, grouping != .document else {
            // The rows that follow the records lack the fields of the order, so these rows are last, as in a tree.
            let ordered = try ordered(list, by: query.order.sort)
            return try keyPage(ordered, query: query, cursor: cursor, count: count)
        }
        return try groupedPage(list, grouping: grouping, query: query, cursor: cursor)
    }

    /// Returns a smaller list that still contains all records that meet the conditions of a query. Returns the whole
    /// list if no index helps.
    private func candidates(in list: RecordList, for query: RowQuery) throws(DatabaseError) -> RecordList {
        let conditions = query.conditions.filter { $0.relation == .equal && findsAll($0, in: list.table) }
        guard !conditions.isEmpty else { return list }
        let narrowed = NarrowedList(list, by: conditions)
        return try isSought(narrowed) ? narrowed.list : list
    }

    /// Returns whether an index finds all records that meet a condition of equality. For `10`, an index misses the
    /// equal text `10.0`; for 'é', it misses the same letter in another normal form.
    func findsAll(_ condition: RowCondition, in table: Table) -> Bool {
        // A title may be a key, and the text of a key can differ from the text of its columns.
        guard case .named = condition.field, let number = table.column(of: condition.field) else { return false }
        let column = table.columns[number]
        guard RecordKey.number(Array(condition.value.utf8)) != nil else {
            return condition.value.utf8.allSatisfy { $0 < 0x80 } && column.type?.kind ?? .text == .text
        }
        guard let type = column.type else { return [.integer, .real, .numeric].contains(column.affinity) }
        return [.integer, .real, .numeric].contains(type.kind)
    }

    private func groupedPage(
        _ list: RecordList, grouping: RowGrouping, query: RowQuery, cursor: PageCursor?
    ) throws -> RowPage {
        let runs = try runs(of: list, by: grouping, sortedBy: query.order.sort)
        guard grouping == .initial else {
            guard let run = runs.first,
                let column = { if case .field(let field) = grouping { list.table.column(of: field) } else { nil } }()
            else {
                return try keyPage(list, query: query, cursor: cursor, count: RecordCount(number: 0, isEstimate: false))
            }
            var first = list
            first.add(run.condition)
            var all = list
            (all.terms, all.isSought) = (try orderWithin(first, of: column, by: query.order.sort), true)
            return try sectionedPage(all, runs: runs, query: query, cursor: cursor)
        }
        guard query.order.sort == nil || query.order.sort == .title else {
            throw try needsIndex(
                list, terms: [], parameter: "group", purpose: "gives the letters of the titles in this order")
        }
        return try sectionedPage(try ordered(list, by: .title, for: "group"), runs: runs, query: query, cursor: cursor)
    }

    /// Returns a page of the records of a large table that meet the conditions of a query. An index must find these
    /// records.
    private func narrowedPage(_ list: RecordList, query: RowQuery, cursor: PageCursor?) throws -> RowPage {
        let most = rows.options.arrangedRows
        let narrowed = NarrowedList(list, by: query.conditions)
        let sort = query.order.sort ?? .document
        guard try isSought(narrowed) else {
            let field = narrowed.field ?? query.conditions[0].field
            throw try needsIndex(
                list, terms: narrowed.field == nil ? [] : indexTerms(of: narrowed, by: sort), parameter: "where",
                purpose: "finds the records with this '\(quoted: field.name)'")
        }
        let none = RecordCount(number: 0, isEstimate: false)
        let found = narrowed.isEmpty ? none : try database.count(narrowed.list, upTo: most)
        guard found.isEstimate else {
            var arranging = query
            arranging.conditions = narrowed.rest
            return try arrangedPage(
                narrowed.list, query: query, arranging: arranging, cursor: cursor, count: found.number)
        }
        guard narrowed.rest.isEmpty, query.search == nil, query.order.group ?? .document == .document else {
            throw RowRefusal(
                kind: .needsIndex(create: nil), parameter: "where",
                sentence:
                    "More than \(most) records of '\(quoted: list.table.name)' may meet the condition, which are too many to be looked through; add another condition."
            )
        }
        return try keyPage(try ordered(narrowed, by: sort), query: query, cursor: cursor, count: found)
    }

    /// Returns a page in the list's own order, which is the order of the key or of an index.
    private func keyPage(
        _ list: RecordList, query: RowQuery, cursor: PageCursor?, count: RecordCount
    ) throws -> RowPage {
        let limit = query.page.limit ?? PageQuery.defaultLimit
        let reader = rowReader(list, query: query)
        var start = query.page.firstPosition
        var after: [DatabaseValue]?
        // Of the rows that follow the records, the number before the page; nil if the page may begin with a record.
        var passed: Int?
        if let cursor, cursor.values.isEmpty, !list.following.isEmpty {
            (start, passed) = (cursor.position, cursor.row)
        } else if let cursor, !cursor.values.isEmpty {
            guard cursor.values.count == list.terms.count else { throw Self.foreignCursor }
            after = cursor.values
            let isCounted = !count.isEstimate && !list.isSought
            start =
                isCounted
                ? try position(after: cursor, in: list, of: count.number - list.following.count) : cursor.position
        } else if let cursor {
            start = cursor.position
        }
        if cursor != nil, !count.isEstimate { start = min(start, count.number) }
        let isOffset = after == nil && passed == nil && (cursor != nil || query.page.start != nil)
        var last: [DatabaseValue] = []
        var hasMore = false
        var page = PageRows(limit: limit)
        if passed == nil {
            let sample = isOffset ? try sample(before: start, in: list) : nil
            var toPass = sample?.distance ?? 0
            try forEachRecord(
                of: list, after: sample?.values ?? after, reader, limit: limit + 1 + toPass,
                offset: isOffset && sample == nil ? start : 0
            ) { (statement, key) throws(DatabaseError) in
                guard toPass == 0 else {
                    toPass -= 1
                    return true
                }
                guard page.count < limit else {
                    hasMore = true
                    return false
                }
                page.add(statement, key: key, reader: reader)
                if page.count == limit { last = reader.terms(statement) }
                return true
            }
        }
        var row = 0
        if !hasMore, !list.following.isEmpty {
            row = passed ?? max(0, isOffset ? start + list.following.count - count.number : 0)
            for following in list.following.dropFirst(row) {
                hasMore = page.count == limit
                guard !hasMore else { break }
                page.add(following)
                last = []
                row += 1
            }
        }
        let end = start + page.count
        var total = count
        if count.isEstimate {
            // The exact number of records is known only if the page reaches the end of the list.
            let isEnd = !hasMore && (page.count > 0 || start == 0)
            let isPastEnd = page.count == 0 && isOffset
            let most = isPastEnd ? count.number : max(count.number, end + (hasMore ? 1 : 0))
            total = RecordCount(number: isEnd ? end : most, isEstimate: true)
        }
        if list.following.isEmpty, !PageCursor.holds(last) { last = [] }
        let next = PageCursor(shape: PageCursor.shape(of: query), position: end, row: row, values: last)
        let isLarge = count.isEstimate || count.number > rows.options.arrangedRows
        return try finish(
            page, list: list, start: start, count: total, sections: [], next: hasMore ? next.bookmark : nil,
            query: query,
            order: isLarge ? order(of: list, query: query) : nil)
    }

    /// Returns the present position of the row after a cursor. This position differs from the cursor's position if
    /// records before it were added or deleted since then.
    private func position(
        after cursor: PageCursor, in list: RecordList, of count: Int
    ) throws(DatabaseError) -> Int {
        if let rank = try rank(of: cursor.values, in: list, expected: cursor.position) { return rank }
        return try count
            - self.count(list, parts: ListScan.parts(after: cursor.values, terms: list.terms))
    }

    static let foreignCursor = RowRefusal(
        parameter: "after", sentence: "The cursor is one of another list; follow the link 'next' of a page.")

    /// Returns the number of records in parts of a list.
    func count(_ list: RecordList, parts: [ListScan]) throws(DatabaseError) -> Int {
        var count = 0
        for part in parts {
            count += try database.number("SELECT count(*) \(list.records(where: part.conditions))")
        }
        return count
    }

    func rowReader(_ list: RecordList, query: RowQuery) -> RecordReader {
        RecordReader(list: list, showing: { query.fields.contains($0.bytes.span) }, limit: RecordReader.rowLimit)
    }

    func finish(
        _ page: consuming PageRows, list: RecordList, start: Int, count: RecordCount, sections: [Section],
        next: RowBookmark?, query: RowQuery, order: RowPage.IndexOrder? = nil
    ) throws(DatabaseError) -> RowPage {
        var notes = RowPage.Notes()
        notes.order = order
        if list.isReadOnce { notes.itemCount = try counted(list)?.number }
        notes.rowRefusals = page.refusals
        notes.areHits = query.search != nil
        notes.fieldNames = list.table.columns.map(\.bytes)
        if list.table.isPositional {
            notes.refusal =
                "The rows of '\(list.table.name)' have no key, so only their positions name them, and at most \(Self.mostPositions) are shown; give the table a primary key, or name the columns of a key with 'Key'."
        }
        var counts: [Int] = []
        for (number, below) in page.below.enumerated() where query.countsBelow {
            let count = try self.count(below)
            counts.append(count.number)
            if count.isEstimate { notes.estimatedCounts.insert(number) }
        }
        if counts.isEmpty {
            counts = [Int](repeating: list.table.isPositional ? 0 : list.table.referring.count, count: page.count)
        }
        return RowPage(
            level: try Self.level(page.packer), start: start, of: count.number, isEstimate: count.isEstimate,
            sections: sections, childCounts: counts, next: next, notes: notes)
    }
}

internal import Bytes
internal import DatabaseTrees
internal import Levels
internal import PropertyLists

/// The records of a list: of a table, with a value of a drill column, below a record of a tree, or that refer to a record.
/// In a tree, the lists of what else refers to the record above follow the records.
struct RecordLevel: TableLevel {
    let list: RecordList
    let database: OpenDatabase

    // MARK: Steps

    /// A record that was found.
    private struct Record {
        let step: Item.Step
        let identity: RecordIdentity
        /// The values of the terms that order the list.
        let terms: [DatabaseValue]
        /// A sentence about a field that is too large to be shown; nil if all fields are shown.
        let refusal: String?
        /// The values that have rows, by the numbers of their columns.
        let values: [(number: Int, value: PropertyListValue)]
    }

    func find(_ written: [UInt8], key: String, isWhole: Bool) throws -> FoundRow? {
        if let record = try record(written, isWhole: isWhole) {
            return FoundRow(step: record.step, below: try level(below: record)) { item, children in
                try detail(of: record, key: written, item: item, children)
            }
        }
        let wanted = Array(key.utf8)
        guard let number = list.following.firstIndex(where: { $0.key == wanted }) else { return nil }
        let below = RecordLevel(list: list.following[number].list, database: database)
        return FoundRow(step: try list.following[number].step, below: below) { item, children in
            try detail(ofFollowing: number, item: item, children)
        }
    }

    private func record(_ key: [UInt8], isWhole: Bool) throws(DatabaseError) -> Record? {
        let lookup = RecordLookup(list: list, database: database)
        guard try lookup.meetsOwnConditions(key) else { return nil }
        let reader = RecordReader(
            table: list.table, ordered: list.terms, showing: { _ in isWhole }, limit: RecordReader.detailLimit,
            drills: true)
        var found: Record?
        try lookup.read(key, reader) { (statement) throws(DatabaseError) in
            var packer = RowPacker()
            reader.begin(statement, key: key.span, in: &packer)
            let values = reader.drilledValues(statement)
            let refusal = reader.addFields(statement, without: values.map(\.number), to: &packer)
            found = Record(
                step: Item.Step(level: try packer.packed(), row: 0), identity: reader.identity(statement),
                terms: reader.terms(statement), refusal: refusal, values: values)
        }
        return found
    }

    /// Returns the level below a record. If only positions identify the records, the level is empty.
    private func level(below record: Record) throws(DatabaseError) -> any TableLevel {
        let (table, identity) = (list.table, record.identity)
        guard !table.isPositional else { return NamedLists(lists: [], database: database) }
        let catalogue = database.catalogue
        var records = table.tree.map { catalogue.list(of: $0, to: identity) }
        var lists: [NamedList] = []
        for (key, name) in zip(table.referring, table.referringNames) {
            let free = try freeKey(name.key, among: table.referringNames.map(\.key), and: records)
            lists.append(NamedList(title: name.title, key: free, list: catalogue.list(of: key, to: identity)))
        }
        records?.following = lists
        if let records { return RecordLevel(list: records, database: database) }
        var below = NamedLists(lists: lists, database: database)
        let names = record.values.map { table.columns[$0.number].name }
        let keys = SiblingNames.keys(of: lists.map { String(decoding: $0.title, as: UTF8.self) } + names)
        for ((name, key), value) in zip(zip(names, keys.dropFirst(lists.count)), record.values) {
            guard let rows = try ValueLevel(value.value) else { continue }
            below.values.append((Array(name.utf8), key, rows))
        }
        return below
    }

    /// Returns a key for a named list that follows records. If a record already has the wanted key, adds `~` and a
    /// number to the key.
    private func freeKey(
        _ key: [UInt8], among others: [[UInt8]], and records: RecordList?
    ) throws(DatabaseError) -> [UInt8] {
        guard let records else { return key }
        let reader = RecordReader(list: records, showing: { _ in false }, limit: 0)
        var isTaken = false
        try RecordLookup(list: records, database: database).read(key, reader) { _ in isTaken = true }
        guard isTaken else { return key }
        // The key of a record contains '~2' to '~9' only at its beginning or after a comma, so no record has the new
        // key.
        var number = 2
        while others.contains(key + Array("~\(number)".utf8)) { number += 1 }
        return key + Array("~\(number)".utf8)
    }

    func count() throws -> Int { list.isReadOnce ? try database.counted(list)?.number ?? 1 : try rowCount }

    private var rowCount: Int { get throws { try database.shownCount(list).number + list.following.count } }

    // MARK: Details

    func ends() throws -> ItemDetail.ChildRows {
        if let arranged = try ArrangedRecords(own: list, in: database) {
            return ItemDetail.ChildRows(
                count: arranged.rows.count, first: try arranged.step(at: 0),
                last: try arranged.step(at: arranged.rows.count - 1))
        }
        return ItemDetail.ChildRows(
            count: try rowCount, first: try first() ?? list.following.first?.step,
            last: try list.following.last?.step ?? first(isReversed: true))
    }

    private func detail(
        of record: Record, key: [UInt8], item: Item, _ children: ItemDetail.ChildRows
    ) throws -> ItemDetail {
        let arranged = try ArrangedRecords(own: list, in: database)
        let position = arranged?.position(ofKey: key)
        func neighbour(isBefore: Bool) throws(DatabaseError) -> Item.Step? {
            guard let arranged, let position else { return try first(after: record.terms, isReversed: isBefore) }
            return try arranged.step(at: isBefore ? position - 1 : position + 1)
        }
        let paths = RecordPaths(database: database)
        return ItemDetail(
            item: item, position: position, of: try arranged?.rows.count ?? rowCount,
            previous: try neighbour(isBefore: true),
            next: try neighbour(isBefore: false) ?? list.following.first?.step,
            children: ItemDetail.ChildRows(
                count: children.count, first: children.first, last: children.last, refusal: record.refusal),
            links: list.table.isPositional
                ? nil
                : RecordLinks(
                    canonical: try paths.path(to: record.identity, key: key, in: list.table),
                    references: try paths.references(of: record.identity, in: list.table)))
    }

    private func detail(ofFollowing number: Int, item: Item, _ children: ItemDetail.ChildRows) throws -> ItemDetail {
        let rows = list.following
        let count = try rowCount
        return ItemDetail(
            item: item, position: count - rows.count + number, of: count,
            previous: try number > 0 ? rows[number - 1].step : first(isReversed: true),
            next: try number + 1 < rows.count ? rows[number + 1].step : nil, children: children)
    }

    /// Returns the first record after the record with some values, or of the list; nil at the end of the list.
    ///
    /// - Parameter isReversed: whether the list is read backwards.
    private func first(after: [DatabaseValue]? = nil, isReversed: Bool = false) throws(DatabaseError) -> Item.Step? {
        let reader = RecordReader(list: list, showing: { _ in false }, limit: 0)
        var found: Item.Step?
        try RecordScan(list, reader, in: database, limit: 1, isReversed: isReversed).forEachRecord(after: after) {
            (statement, key) throws(DatabaseError) in
            found = try Item.Step(key: Array(copying: key), title: reader.title(statement, key: key))
            return true
        }
        return found
    }

    // MARK: Pages

    func page(_ asked: RowQuery) throws -> RowPage {
        let query = list.query(asked)
        return try page(PageRequest(query: query, cursor: PageCursor.of(query), database: database)).read()
    }

    /// Returns the first records that an index finds for the search of a query.
    func hits(of asked: RowQuery) throws -> RowPage {
        try narrowedPage(PageRequest(query: list.query(asked), cursor: nil, database: database)).read()
    }

    /// Chooses the kind of page that answers a query.
    private func page(_ asked: PageRequest) throws -> any RecordPage {
        let query = asked.query
        guard query.countsBelow || !list.table.isMade else {
            throw RowRefusal(sentence: "The records of '\(quoted: list.table.name)' may take long to be found.")
        }
        if list.table.isPositional {
            return query.keepsOrder && !query.hasConditions
                ? PositionalPage(list: list, asked: asked)
                : ArrangedPage(list: list, asked: asked, rest: query, count: RecordList.mostPositions)
        }
        let isPlain = query.keepsOrder && !query.hasConditions
        let records = isPlain && !list.isArranged ? try database.shownCount(list) : try database.total(list)
        let indexes = ListIndexes(list: list, database: database)
        let count = RecordCount(number: records.number + list.following.count, isEstimate: records.isEstimate)
        if isPlain { return KeyOrderPage(list: list, asked: asked, count: count) }
        if query.keepsOrder {
            if let (found, count) = try indexes.indexed(by: query) {
                return KeyOrderPage(list: found, asked: asked, count: count)
            }
        }
        if !count.isEstimate && count.number <= database.options.arrangedRows {
            return ArrangedPage(
                list: try indexes.candidates(for: query), asked: asked, rest: query, count: count.number)
        }
        guard !query.hasConditions, query.search == nil else { return try narrowedPage(asked) }
        guard let grouping = query.order.group, grouping != .document else {
            // The rows that follow the records lack the fields of the order, so these rows are last, as in a tree.
            return KeyOrderPage(list: try indexes.ordered(by: query.order.sort), asked: asked, count: count)
        }
        return try groupedPage(asked, by: grouping)
    }

    private func groupedPage(_ asked: PageRequest, by grouping: RowGrouping) throws -> any RecordPage {
        let sort = asked.query.order.sort
        let indexes = ListIndexes(list: list, database: database)
        let runs = try SectionRuns(list: list, database: database).runs(by: grouping, sortedBy: sort)
        guard grouping == .initial else {
            guard let run = runs.first,
                let column = { if case .field(let field) = grouping { list.table.column(of: field) } else { nil } }()
            else {
                return KeyOrderPage(list: list, asked: asked, count: RecordCount(number: 0, isEstimate: false))
            }
            var first = list
            first.add(run.condition)
            var all = list
            all.terms = try ListIndexes(list: first, database: database).orderWithin(column, by: sort)
            all.isSought = true
            return SectionedPage(list: all, asked: asked, runs: runs)
        }
        guard sort == nil || sort == .title else {
            throw try indexes.needsIndex(
                terms: [], parameter: "group", purpose: "gives the letters of the titles in this order")
        }
        return SectionedPage(list: try indexes.ordered(by: .title, for: "group"), asked: asked, runs: runs)
    }

    /// Returns a page of the records of a large table that meet the conditions of a query, or contain its text. An index
    /// must find these records.
    private func narrowedPage(_ asked: PageRequest) throws -> any RecordPage {
        let query = asked.query
        let most = database.options.arrangedRows
        var records = list
        records.following = []
        let indexes = ListIndexes(list: records, database: database)
        let narrowed = NarrowedList(records, by: query)
        let parameter = query.conditions.isEmpty ? query.alternatives.isEmpty ? "q" : "any" : "where"
        let sort = query.order.sort ?? .document
        var count: RecordCount?
        // An index of texts misses parts of words, so the conditions alone are better if they suffice.
        for narrowed in [narrowed, narrowed.found(by: query)].compactMap(\.self)
        where try narrowed.isSought(in: database) {
            let found = narrowed.isEmpty ? .none : try database.count(narrowed.list, upTo: most)
            guard found.isEstimate else {
                return ArrangedPage(list: narrowed.list, asked: asked, rest: narrowed.rest, count: found.number)
            }
            count = count ?? found
        }
        guard let count else {
            guard let field = narrowed.field ?? query.comparedFields.first else {
                throw try indexes.needsIndex(terms: [], parameter: parameter, purpose: "finds a text in its records")
            }
            throw try indexes.needsIndex(
                terms: narrowed.field == nil ? [] : narrowed.indexTerms(by: sort), parameter: parameter,
                purpose: "finds the records with this '\(quoted: field.name)'")
        }
        guard !narrowed.rest.hasConditions, query.search == nil, query.order.group ?? .document == .document else {
            let wanted = query.hasConditions ? "meet the condition" : "contain the text"
            throw RowRefusal(
                kind: .needsIndex(create: nil), parameter: parameter,
                sentence:
                    "More than \(most) records of '\(quoted: list.table.name)' may \(wanted), which are too many to be looked through; \(query.hasConditions ? "add another condition" : "ask for a longer text")."
            )
        }
        return KeyOrderPage(
            list: try indexes.ordered(narrowed, by: sort, for: parameter), asked: asked, count: count)
    }
}

extension NamedList {
    /// The row as a step of a path.
    fileprivate var step: Item.Step {
        get throws(DatabaseError) { try Item.Step(key: key, title: title) }
    }
}

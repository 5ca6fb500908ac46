internal import Bytes
internal import DatabaseTrees
internal import Levels

extension TableReading {
    func detail(of item: Item) throws(RowRefusal) -> ItemDetail {
        try atPlace(of: item) { try details(of: item, at: $0) }
    }

    private func details(of item: Item, at place: Place) throws -> ItemDetail {
        let detail = try ownDetails(of: item, at: place)
        var own = detail
        if !rows.prefix.isEmpty, item.depth == rows.prefix.count - 1 {
            // The item is in a document, so the document supplies the item's position and neighbours.
            own = TreeRows(document: rows.prefix[0].level, arrangements: ArrangementCache(bytes: 0)).detail(of: item)
        }
        return ItemDetail(
            item: Item(steps: item.steps, count: detail.children.count), position: own.position, of: own.count,
            section: own.section, previous: own.previous, next: own.next, children: detail.children,
            links: detail.links)
    }

    private func ownDetails(of item: Item, at place: Place) throws -> ItemDetail {
        let catalogue = try catalogue
        switch place {
        case .root:
            return ItemDetail(
                item: item, position: 0, of: 1, previous: nil, next: nil,
                children: try children(catalogue.keys, titles: catalogue.tables.map { Array($0.name.utf8) }))
        case .table(let number):
            let steps = try neighbours(
                number, keys: catalogue.keys, titles: catalogue.tables.map { Array($0.name.utf8) })
            return ItemDetail(
                item: item, position: number, of: catalogue.tables.count, previous: steps.previous, next: steps.next,
                children: try children(list(ofTable: number)))
        case .values(let list, _, let among):
            let below = list.drillColumns.isEmpty ? try children(list) : try children(valuesOf: list)
            guard let (above, number) = among else {
                return ItemDetail(item: item, position: 0, of: 1, previous: nil, next: nil, children: below)
            }
            let values = try values(of: above)
            let steps = try neighbours(number, keys: values.map(\.key), titles: values.map(\.title))
            return ItemDetail(
                item: item, position: number, of: values.count, previous: steps.previous, next: steps.next,
                children: below)
        case .record(let number, let record):
            return try detail(of: item, record: record, table: catalogue.tables[number], number: number)
        case .referring(let below, let number):
            let records = try below.records.map { list throws(DatabaseError) in try count(list).number } ?? 0
            let steps = try neighbours(number, keys: below.lists.map(\.key), titles: below.lists.map(\.title))
            var last: Item.Step?
            if let list = below.records { last = try first(of: list, isReversed: true) }
            return ItemDetail(
                item: item, position: records + number, of: records + below.lists.count,
                previous: steps.previous ?? last,
                next: steps.next, children: try children(below.lists[number].list))
        }
    }

    private func detail(
        of item: Item, record: Record, table: Table, number: Int
    ) throws(DatabaseError) -> ItemDetail {
        let rows = try rowsBelow(number, record: record)
        let below = try children(rows, refusal: record.refusal)
        if let (arranged, level) = try ownArrangement(of: record.list) {
            return try detail(of: item, in: arranged, level: level, below: below, record: record, number: number)
        }
        let following = record.list.following
        var next = try neighbour(of: record, isBefore: false)
        if next == nil, let list = following.first { next = try Self.step(of: list) }
        return ItemDetail(
            item: item, position: nil, of: try count(record.list).number + following.count,
            previous: try neighbour(of: record, isBefore: true), next: next, children: below,
            links: RecordLinks(
                canonical: try path(
                    to: number, identity: record.identity, key: Array(item.own.level.key(item.own.row).utf8)),
                references: try references(of: record, table: table)))
    }

    /// Returns the record before or after another record in the same list; nil at the ends of the list.
    private func neighbour(of record: Record, isBefore: Bool) throws(DatabaseError) -> Item.Step? {
        try first(of: record.list, after: record.terms, isReversed: isBefore)
    }

    private func first(
        of list: RecordList, after: [DatabaseValue]? = nil, isReversed: Bool = false
    ) throws(DatabaseError) -> Item.Step? {
        let reader = RecordReader(list: list, showing: { _ in false }, limit: 0)
        var found: Item.Step?
        try forEachRecord(of: list, after: after, reader, limit: 1, isReversed: isReversed) {
            (statement, key) throws(DatabaseError) in
            found = try Self.step(key: Array(copying: key), title: reader.title(statement, key: key))
            return true
        }
        return found
    }

    /// Returns the detail of a record in an arranged list.
    private func detail(
        of item: Item, in arranged: ArrangedRows, level: Level, below: ItemDetail.ChildRows, record: Record,
        number: Int
    ) throws(DatabaseError) -> ItemDetail {
        let key = Array(item.own.level.key(item.own.row).utf8)
        let row = level.row(withKey: key.span)
        let position = (0..<arranged.count).first { arranged.rowNumber(at: $0) == row } ?? 0
        return ItemDetail(
            item: item, position: position, of: arranged.count,
            previous: try Self.step(at: position - 1, in: arranged, level: level),
            next: try Self.step(at: position + 1, in: arranged, level: level), children: below,
            links: record.position != nil
                ? nil
                : RecordLinks(
                    canonical: try path(to: number, identity: record.identity, key: key),
                    references: try references(of: record, table: catalogue.tables[number])))
    }

    private static func step(
        at position: Int, in arranged: ArrangedRows, level: Level
    ) throws(DatabaseError) -> Item.Step? {
        guard position >= 0, position < arranged.count else { return nil }
        let row = arranged.rowNumber(at: position)
        return try step(key: Array(level.key(row).utf8), title: Array(level.title(row).utf8))
    }

    private func children(valuesOf list: RecordList) throws -> ItemDetail.ChildRows {
        let values = try values(of: list)
        return try children(values.map(\.key), titles: values.map(\.title))
    }

    private func children(_ list: RecordList) throws(DatabaseError) -> ItemDetail.ChildRows {
        if let (arranged, level) = try ownArrangement(of: list) {
            return ItemDetail.ChildRows(
                count: arranged.count, first: try Self.step(at: 0, in: arranged, level: level),
                last: try Self.step(at: arranged.count - 1, in: arranged, level: level))
        }
        return ItemDetail.ChildRows(
            count: try count(list).number, first: try first(of: list), last: try first(of: list, isReversed: true))
    }

    private func children(
        _ keys: [[UInt8]], titles: [[UInt8]], refusal: String? = nil
    ) throws(DatabaseError) -> ItemDetail.ChildRows {
        guard let firstKey = keys.first, let lastKey = keys.last, let firstTitle = titles.first,
            let lastTitle = titles.last
        else { return ItemDetail.ChildRows(count: 0, first: nil, last: nil, refusal: refusal) }
        return ItemDetail.ChildRows(
            count: keys.count, first: try Self.step(key: firstKey, title: firstTitle),
            last: try Self.step(key: lastKey, title: lastTitle), refusal: refusal)
    }

    private func children(_ rows: RowsBelow, refusal: String?) throws(DatabaseError) -> ItemDetail.ChildRows {
        let lists = try children(rows.lists.map(\.key), titles: rows.lists.map(\.title), refusal: refusal)
        guard let records = try rows.records.map({ list throws(DatabaseError) in try children(list) }) else {
            return lists
        }
        return ItemDetail.ChildRows(
            count: records.count + lists.count, first: records.first ?? lists.first,
            last: lists.last ?? records.last, refusal: refusal)
    }

    private static func step(of list: NamedList) throws(DatabaseError) -> Item.Step {
        try step(key: list.key, title: list.title)
    }

    private func neighbours(
        _ number: Int, keys: [[UInt8]], titles: [[UInt8]]
    ) throws(DatabaseError) -> (previous: Item.Step?, next: Item.Step?) {
        func step(_ number: Int) throws(DatabaseError) -> Item.Step? {
            guard keys.indices.contains(number), titles.indices.contains(number) else { return nil }
            return try Self.step(key: keys[number], title: titles[number])
        }
        return (try step(number - 1), try step(number + 1))
    }

    /// Returns links to the records to which a record refers, one for each name of a foreign key.
    private func references(of record: Record, table: Table) throws(DatabaseError) -> [RecordLinks.Link] {
        var links: [RecordLinks.Link] = []
        for key in table.references {
            let name = Catalogue.name(of: key, in: table)
            guard !links.contains(where: { $0.name == name }),
                let target = try target(of: key, from: record.identity),
                let path = try path(to: key.parent, identity: target.identity, key: target.key)
            else { continue }
            links.append(RecordLinks.Link(name: name, title: target.title, path: path))
        }
        return links
    }
}

internal import Bytes

/// A tree in memory as a source of rows. It answers immediately, and its only state is its caches.
///
///     let rows = TreeRows(document: tree.document, arrangements: ArrangementCache(bytes: 1 << 20))
///     guard case .found(let item) = rows.find(path) else { return }
///     let page = try rows.page(query, below: item)
///     print("\(page.numbers.count) of \(page.count) rows")
public struct TreeRows: RowSource {
    /// A level whose one row is the root item.
    private let document: Level
    private let arrangements: ArrangementCache

    /// - Parameters:
    ///   - document: a level whose one row is the root item.
    ///   - arrangements: a cache for the orders of large levels.
    public init(document: Level, arrangements: ArrangementCache) {
        self.document = document
        self.arrangements = arrangements
    }

    public var hasDocuments: Bool { true }

    public func find(_ path: ItemPath) -> Item.Lookup { Item.find(path, in: document) }

    public func page(_ query: RowQuery, below item: Item) throws(RowRefusal) -> RowPage {
        if case .supplied = query.page.after {
            throw RowRefusal(
                parameter: "after", sentence: "The cursor belongs to another source; follow the link 'next' of a page.")
        }
        if let opening = query.outline {
            let outline = OutlineRows(below: item.own, opening: opening, store: arrangements)
            let positions = outline.positions(of: query.page)
            return RowPage(listing: outline.listing(of: positions), positions: positions, isOutline: true)
        }
        let all = arrangements.listing(below: item.own, query: query)
        let positions = all.positions(of: query.page)
        // The cursor of the next page names the last rows before that page. Some of these rows may be before this page.
        let first = min(positions.lowerBound, max(0, positions.upperBound - Bookmark.Room.whole.rows))
        return RowPage(listing: all.isLocated ? all : all.located(first..<positions.upperBound), positions: positions)
    }

    public func detail(of item: Item) -> ItemDetail {
        let own = item.own
        let siblings = item.stepAbove.map { arrangements.listing(below: $0) } ?? Listing(own.level)
        let position = siblings.position(ofRow: own.row) ?? own.row
        return ItemDetail(
            item: item, position: position, of: own.level.count, section: siblings.sectionNumber(at: position),
            previous: siblings.step(at: position - 1), next: siblings.step(at: position + 1),
            children: ItemDetail.ChildRows(arrangements.listing(below: own)))
    }

    public func work(_ query: RowQuery?, below item: Item, limit: Int) -> Int {
        guard let query else {
            return max(arrangements.work(below: item.own), item.stepAbove.map { arrangements.work(below: $0) } ?? 0)
        }
        let hinted = query.hintedRows(on: item.level)
        guard let opening = query.outline else { return arrangements.work(below: item.own, query: query) + hinted }
        return arrangements.work(below: item.own, opening: opening, page: query.page, limit: limit) + hinted
    }

    public func cost(_ query: RowQuery?, below item: Item) -> RowCost {
        guard let query else {
            let above = item.stepAbove.map(Self.orderedRows) ?? 0
            return RowCost(written: 0, sought: max(Self.orderedRows(below: item.own), above))
        }
        guard let level = item.level else { return RowCost(written: 0, sought: 0) }
        let rows = query.looksBelow ? level.itemCount : level.count
        let written = min(rows, query.page.limit ?? PageQuery.defaultLimit)
        // A row with long fields counts as several.
        let bytes = level.bytes.count / max(level.count, 1) * written
        let sought = query.outline == nil ? Self.orderedRows(below: item.own) : rows / 8
        return RowCost(
            written: max(written, bytes / 256),
            sought: max(query.work(on: level), sought) + query.hintedRows(on: level))
    }

    private static func orderedRows(below step: Item.Step) -> Int {
        step.hasOrder ? step.below?.count ?? 0 : 0
    }
}

/// Hashes of the content of answers. Answers of two publications are equal if their hashes are equal. The path, the
/// options and the header belong to the request, so the hashes do not include them.
extension TreeRows {
    /// Hashes a level with all levels below it, or a detail. This is cheap, because a level keeps its hash.
    public func hash(of part: ShownPart, of item: Item) -> ContentHash {
        var summary = Self.head(of: item)
        switch part {
        case .rows, .rowsBelow: summary.append(hash: item.level?.hash)
        case .detail: summary.append(detailOf: item)
        }
        return ContentHash(of: summary.span)
    }

    /// Returns nil for a level that has more than 4,096 rows and has levels below them.
    public func rowsHash(of item: Item) -> ContentHash? {
        guard let rows = item.level?.rowsHash else { return nil }
        var summary = Self.head(of: item)
        summary.append(rows)
        return ContentHash(of: summary.span)
    }

    /// The titles and keys from the root to the item, the number of rows below the item, the refusal of an unreadable
    /// level, and the level's order.
    private static func head(of item: Item) -> ByteBuffer {
        var head = ByteBuffer(capacity: 256)
        for step in item.steps { head.append(step) }
        let count = item.own.level.childCount(item.own.row)
        head.append(littleEndian: UInt64(count))
        if count == 0, let level = item.level, level.refusal != nil || level.showsOnlySections {
            head.append(level.hash)
        }
        head.append(orderOf: item.own)
        return head
    }
}

extension Item {
    /// The hash of the item as a document: its fields and everything below it.
    public func documentHash(format: UInt8) -> ContentHash {
        let bytes = own.level.bytes
        let row = own.level.row(own.row)
        var content = ByteBuffer(capacity: 256)
        content.append(format)
        content.append(row.isString ? 1 : 0 as UInt8)
        content.append(own.level.form.rawValue)
        content.append(bytes.span.extracting(row.title))
        content.append(littleEndian: UInt64(row.fields.count))
        content.append(bytes.span.extracting(row.fields))
        if let level { content.append(level.hash) }
        if let drilling = remainingDrilling {
            for name in [drilling.titleField] + (drilling.keyField.map { [$0] } ?? []) + drilling.fields {
                content.append(littleEndian: UInt64(name.utf8.count))
                content.append(name)
            }
        }
        return ContentHash(of: content.span)
    }
}

extension ByteBuffer {
    fileprivate mutating func append(detailOf item: Item) {
        let own = item.own
        let bytes = own.level.bytes
        let row = own.level.row(own.row)
        append(row.isString ? 1 : 0 as UInt8)
        append(counted: bytes.span.extracting(row.fields))
        let section = Listing(own.level).sectionNumber(at: own.row)
        for number in [own.row, own.level.count, section] { append(littleEndian: UInt64(number)) }
        append(own.level, row: own.row - 1)
        append(own.level, row: own.row + 1)
        append(item.level, row: 0)
        append(item.level, row: (item.level?.count ?? 0) - 1)
        if item.level?.refusal != nil { append(hash: item.level?.hash) }
        // If the rows are not in the document's order, any row may be a neighbour.
        if let above = item.stepAbove, above.hasOrder {
            append(orderOf: above)
            append(own.level.rowsHash ?? own.level.hash)
        }
        if own.hasOrder { append(hash: item.level.map { $0.rowsHash ?? $0.hash }) }
    }

    fileprivate mutating func append(hash: ContentHash?) {
        append(littleEndian: hash?.high ?? 0)
        append(littleEndian: hash?.low ?? 0)
    }

    fileprivate mutating func append(counted bytes: Span<UInt8>) {
        append(littleEndian: UInt64(bytes.count))
        append(bytes)
    }

    /// Appends the fields of an item that orders the level below it. The fields include the order.
    fileprivate mutating func append(orderOf step: Item.Step) {
        guard step.hasOrder else { return }
        let bytes = step.level.bytes
        append(1 as UInt8)
        append(counted: bytes.span.extracting(step.level.row(step.row).fields))
    }

    /// Appends the title and the key of a row, if the row exists.
    fileprivate mutating func append(_ level: Level?, row: Int) {
        guard let level, row >= 0, row < level.count else { return append(0 as UInt8) }
        append(1 as UInt8)
        append(Item.Step(level: level, row: row))
    }

    fileprivate mutating func append(_ step: Item.Step) {
        let bytes = step.level.bytes
        let row = step.level.row(step.row)
        append(counted: bytes.span.extracting(row.title))
        append(counted: bytes.span.extracting(row.key))
    }
}

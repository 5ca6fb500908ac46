import Bytes
import Levels
import PropertyLists

/// Hashes of everything in a tree that the answer about a level or a detail depends on.
///
/// `rows` suffices for answers that show only the number of rows of the levels below; an answer that shows more of them
/// needs `all`. The path, the options and the header belong to the request, so they are not included.
struct ShownContent {
    private let subject: Inquiry.Subject
    private let item: Item
    /// Whether more than the number of rows is shown of the levels below.
    private let looksBelow: Bool

    init(_ subject: Inquiry.Subject, _ item: Item, looksBelow: Bool = false) {
        self.subject = subject
        self.item = item
        self.looksBelow = looksBelow
    }

    /// The hash of everything that may be shown, for a level including all levels below it; cheap.
    var all: ContentHash {
        var summary = head
        if case .level = subject { summary.append(item.level?.hash) } else { appendDetail(to: &summary) }
        return ContentHash(of: summary.span)
    }

    /// The hash of what a level itself shows; nil for a detail, for a level with very many children, and if more is shown.
    var rows: ContentHash? {
        guard case .level = subject, !looksBelow, let rows = item.level?.rowsHash else { return nil }
        var summary = head
        summary.append(rows)
        return ContentHash(of: summary.span)
    }

    /// The titles from the root to the item, how many rows it has, and why if its level could not be read.
    private var head: ByteBuffer {
        var head = ByteBuffer(capacity: 256)
        for step in item.steps { head.append(step) }
        let count = item.own.level.childCount(item.own.row)
        head.append(littleEndian: UInt64(count))
        if count == 0, let level = item.level, level.refusal != nil { head.append(level.hash) }
        head.append(orderOf: item.own)
        return head
    }

    /// The fields, the position and the neighbours.
    private func appendDetail(to summary: inout ByteBuffer) {
        let own = item.own
        let bytes = own.level.bytes
        let row = own.level.row(own.row)
        summary.append(row.isString ? 1 : 0 as UInt8)
        summary.append(counted: bytes.span.extracting(row.fields))
        let section = Listing(own.level).sectionNumber(at: own.row)
        for number in [own.row, own.level.count, section] { summary.append(littleEndian: UInt64(number)) }
        summary.append(own.level, row: own.row - 1)
        summary.append(own.level, row: own.row + 1)
        summary.append(item.level, row: 0)
        summary.append(item.level, row: (item.level?.count ?? 0) - 1)
        if item.level?.refusal != nil { summary.append(item.level?.hash) }
        // In an order of their own, any of the rows may be a neighbour.
        if let above = item.stepAbove, above.hasOrder {
            summary.append(orderOf: above)
            summary.append(own.level.rowsHash ?? own.level.hash)
        }
        if own.hasOrder { summary.append(item.level.map { $0.rowsHash ?? $0.hash }) }
    }
}

extension ByteBuffer {
    fileprivate mutating func append(_ hash: ContentHash?) {
        append(littleEndian: hash?.high ?? 0)
        append(littleEndian: hash?.low ?? 0)
    }

    fileprivate mutating func append(counted bytes: Span<UInt8>) {
        append(littleEndian: UInt64(bytes.count))
        append(bytes)
    }

    /// The order that an item gives to the level below it; nothing if it gives none.
    fileprivate mutating func append(orderOf step: Item.Step) {
        guard step.hasOrder else { return }
        let bytes = step.level.bytes
        append(1 as UInt8)
        append(counted: bytes.span.extracting(step.level.row(step.row).fields))
    }

    /// The title and the key of a row; nothing for one that the level does not have.
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

/// The hashes of what an answer shows, without the levels themselves.
struct ShownHashes {
    private let all: ContentHash
    private let rows: ContentHash?

    init(_ content: ShownContent) {
        all = content.all
        rows = content.rows
    }

    func isSame(as content: ShownContent) -> Bool {
        if content.all == all { return true }
        guard let rows else { return false }
        return content.rows == rows
    }
}

import Bytes
import Levels
import PropertyLists

/// The levels whose answers differ between two trees, and the details of items whose own content differs (manual,
/// Refresh).
///
/// The comparison walks down both trees together, and stops at equal levels. It compares the answers to requests
/// without a query, as JSON. The position and the neighbours of an item do not count, because they follow from the
/// level above the item: a row that is inserted among many adds few links. An item that was added or removed counts
/// with everything below it.
struct TreeDifference {
    /// Links in canonical form, without the base path, from the root down.
    private(set) var levels: [String] = []
    private(set) var details: [String] = []
    /// Whether the links exceed the limits.
    private(set) var isTruncated = false

    /// The maximum number of links.
    static let limit = 1_000
    /// The maximum length of all links together, in bytes. The number of links is not enough, because keys may be of
    /// any length.
    static let byteLimit = 1 << 20

    private let arrangements: ArrangementCache
    private var byteCount = 0
    /// A branch for each level on the way down to the current item. A level of any size therefore takes only the memory
    /// of its own comparison.
    private var branches: [Branch] = []
    /// The encoded keys of the current item from the root on, separated by `/`.
    private var path: [UInt8] = []

    init(from old: Level, to new: Level, arrangements: ArrangementCache = ArrangementCache(bytes: 0)) {
        self.arrangements = arrangements
        let root = [ShownRows.Candidate(old: 0, new: 0)]
        branches = [Branch(old: Listing(old), new: Listing(new), rows: AnyIterator(root.makeIterator()))]
        while !isTruncated, let visit = next() { look(visit) }
        branches = []
        path = []
    }

    private init(levels: [String], isTruncated: Bool) {
        (self.levels, self.isTruncated) = (levels, isTruncated)
        arrangements = ArrangementCache(bytes: 0)
    }

    /// The difference of trees that are not compared: everything may differ.
    static var everything: TreeDifference { TreeDifference(levels: ["/levels/"], isTruncated: true) }

    /// Adds the links of another comparison.
    mutating func formUnion(_ other: TreeDifference) {
        guard !isTruncated, !other.isEmpty else { return }
        let known = Set(levels + details)
        levels += other.levels.filter { !known.contains($0) }
        details += other.details.filter { !known.contains($0) }
        byteCount += other.byteCount
        isTruncated = other.isTruncated
        limitLinks()
    }

    var isEmpty: Bool { levels.isEmpty && details.isEmpty && !isTruncated }

    /// An item that is in both trees or only in one.
    private struct Visit {
        let old: Item.Step?
        let new: Item.Step?
        /// Whether the title of an item above differs.
        let isBelowChange: Bool
    }

    /// An item whose rows are compared one by one. The item is in both trees or only in one.
    ///
    /// A class, because listings cost much to copy.
    private final class Branch {
        let old: Listing
        let new: Listing
        let rows: AnyIterator<ShownRows.Candidate>
        /// Whether the title of the item, or of an item above it, differs.
        let isBelowChange: Bool
        /// The length of the path that leads to the item; nil for the first branch, whose only row is the root.
        let pathLength: Int?

        init(
            old: Listing, new: Listing, rows: AnyIterator<ShownRows.Candidate>, isBelowChange: Bool = false,
            pathLength: Int? = nil
        ) {
            self.old = old
            self.new = new
            self.rows = rows
            self.isBelowChange = isBelowChange
            self.pathLength = pathLength
        }
    }

    /// The next item, in document order.
    private mutating func next() -> Visit? {
        while let branch = branches.last {
            guard let row = branch.rows.next() else {
                branches.removeLast()
                continue
            }
            let old = row.old.flatMap { branch.old.step(at: $0) }
            let new = row.new.flatMap { branch.new.step(at: $0) }
            guard let step = new ?? old else { continue }
            if let length = branch.pathLength { enter(step, below: length) }
            return Visit(old: old, new: new, isBelowChange: branch.isBelowChange)
        }
        return nil
    }

    private mutating func enter(_ step: Item.Step, below length: Int) {
        path.removeSubrange(length...)
        if length > 0 { path.append(UInt8(ascii: "/")) }
        var key = ByteBuffer(capacity: 32)
        step.withRow { row in PercentEncoding.append(row.key, to: &key) }
        path += Array(copying: key.span)
    }

    private mutating func look(_ visit: Visit) {
        let before = visit.old.map { arrangements.listing(below: $0) } ?? Listing(nil)
        let after = visit.new.map { arrangements.listing(below: $0) } ?? Listing(nil)
        guard let old = visit.old, let new = visit.new else {
            add(level: true, detail: true)
            return followAll(before, new: after)
        }
        let isRenamed = visit.isBelowChange || !new.hasSameTitle(as: old)
        let detail =
            isRenamed
            || !DetailContent(own: new, children: ItemDetail.ChildRows(after)).showsTheSame(
                as: DetailContent(own: old, children: ItemDetail.ChildRows(before)))
        if before.level?.hash == after.level?.hash, old.order == new.order {
            add(level: isRenamed, detail: detail)
            if isRenamed { followAll(before, new: after) }
        } else {
            let rows = ShownRows(old: before, new: after)
            add(level: isRenamed || rows.differ, detail: detail)
            let candidates = AnyIterator(rows.candidates(all: isRenamed).makeIterator())
            branches.append(
                Branch(old: before, new: after, rows: candidates, isBelowChange: isRenamed, pathLength: path.count))
        }
    }

    /// Follows all items below an item that was added, removed or renamed, because the answers about them show this
    /// item as an ancestor.
    private mutating func followAll(_ old: Listing, new: Listing) {
        let rows = (0..<max(old.count, new.count)).lazy.map { row in
            ShownRows.Candidate(old: row, new: row)
        }
        branches.append(
            Branch(
                old: old, new: new, rows: AnyIterator(rows.makeIterator()), isBelowChange: true, pathLength: path.count)
        )
    }

    private mutating func add(level: Bool, detail: Bool) {
        guard level || detail else { return }
        let text = String(decoding: path, as: UTF8.self)
        if level { levels.append("/levels/" + text) }
        if detail { details.append("/detail/" + text) }
        byteCount += text.utf8.count * (level && detail ? 2 : 1)
        limitLinks()
    }

    /// Replaces the links by the root's level if there are too many links.
    private mutating func limitLinks() {
        let isTooMany = levels.count + details.count > Self.limit || byteCount > Self.byteLimit
        guard isTooMany || isTruncated else { return }
        isTruncated = true
        levels = ["/levels/"]
        details = []
    }
}

extension TreeDifference {
    /// The difference between two snapshots in all of their languages. For rows that are not in memory, everything may
    /// differ.
    init(from old: Snapshot, to new: Snapshot, arrangements: ArrangementCache = ArrangementCache(bytes: 0)) {
        guard old.rows == nil, new.rows == nil, !new.isCommitElsewhere else {
            self = .everything
            return
        }
        self.init(from: old.document, to: new.document, arrangements: arrangements)
        let variants = (old.translations?.variants ?? []) + (new.translations?.variants ?? [])
        var seen: Set<String> = []
        for variant in variants where seen.insert(variant.name).inserted {
            let other = TreeDifference(
                from: old.document(in: variant.number), to: new.document(in: variant.number), arrangements: arrangements
            )
            formUnion(other)
        }
    }
}

/// The rows below one item in two trees. The rows are compared as the answers about their level show them.
struct ShownRows {
    private let old, new: Listing
    /// The rows that differ, if all rows kept their positions and the sections are the same, as after most changes.
    /// Otherwise nil, and all rows are compared.
    private let changed: [Int]?
    private let pairs: RowsDifference?
    /// For each row of the new listing, whether the row and everything below it are the same as before, at any
    /// position.
    private let isSame: [Bool]
    private let hasSameSections: Bool

    /// A row whose answers may differ, with its position in each listing; nil if the row is not in that listing.
    struct Candidate {
        let old: Int?
        let new: Int?
    }

    init(old: Listing, new: Listing) {
        self.old = old
        self.new = new
        hasSameSections = Self.hasSameSections(old, new: new)
        changed = hasSameSections ? Self.changedRows(old, new: new) : nil
        guard changed == nil else {
            (pairs, isSame) = (nil, [])
            return
        }
        let pairs = RowsDifference(from: old, to: new)
        self.pairs = pairs
        var isSame = [Bool](repeating: false, count: new.count)
        for pair in pairs.kept {
            guard let row = new.step(at: pair.new), let other = old.step(at: pair.old) else { continue }
            isSame[pair.new] = row.level.hasRow(row.row, sameAs: other.row, in: other.level)
        }
        self.isSame = isSame
    }

    private static func changedRows(_ old: Listing, new: Listing) -> [Int]? {
        guard case .level = old.rows, case .level = new.rows, let level = old.level else { return nil }
        return new.level?.rowsDiffering(from: level)
    }

    /// Whether the answers about the level differ, as JSON without a query. The titles of the item and of its ancestors
    /// do not count.
    var differ: Bool {
        // An item without a level shows the same as an item with an empty level.
        guard old.count == new.count, old.level?.refusal == new.level?.refusal, hasSameSections else { return true }
        let before = RowDescription(page: RowPage(old), fields: .short)
        let after = RowDescription(page: RowPage(new), fields: .short)
        if let changed { return changed.contains { !after.showsRow($0, asShownBy: before) } }
        guard let pairs, pairs.kept.count == new.count, pairs.moved.isEmpty else { return true }
        return (0..<new.count).contains { row in !isSame[row] && !after.showsRow(row, asShownBy: before) }
    }

    /// The rows that may differ, or that may have a difference below them. They are in the new order, followed by the
    /// removed rows. A row is not included if only its position or its neighbours changed.
    ///
    /// - Parameter all: whether all rows count as different.
    func candidates(all: Bool) -> [Candidate] {
        guard let pairs else {
            let rows = all ? Array(0..<new.count) : changed ?? []
            return rows.map { Candidate(old: $0, new: $0) }
        }
        var candidates = pairs.kept.filter { all || !isSame[$0.new] }.map { Candidate(old: $0.old, new: $0.new) }
        candidates += pairs.inserted.map { Candidate(old: nil, new: $0) }
        candidates.sort { ($0.new ?? .max) < ($1.new ?? .max) }
        return candidates + pairs.removed.map { Candidate(old: $0, new: nil) }
    }

    private static func hasSameSections(_ old: Listing, new: Listing) -> Bool {
        guard !old.sections.isEmpty || !new.sections.isEmpty else { return old.count == new.count }
        return sections(old) == sections(new)
    }

    /// The sections as answers show them: at least one.
    private static func sections(_ listing: Listing) -> [Section] {
        let sections = listing.sections.map(\.shown)
        return sections.isEmpty ? [Section(rows: listing.count)] : sections
    }
}

extension RowDescription {
    /// Whether the JSON of a row is the same as the JSON of the row at this position in another listing of the same
    /// item.
    fileprivate func showsRow(_ row: Int, asShownBy other: RowDescription) -> Bool {
        // The comparison cannot fail: a JSON writer accepts any text.
        do {
            return try shows(row, sameAs: other, otherNumber: row, links: Links(), as: JSONPropertyListWriter.self)
        } catch {
            return false
        }
    }
}

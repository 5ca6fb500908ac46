internal import Heap
internal import Locking

/// Arrangements of large levels, by the level's content and the queries that made them, within a budget of bytes.
///
/// The first page of a sorted level costs the sorting, and the next ones cost what a page of the plain level costs.
public final class ArrangementCache: Sendable {
    private let entries: Guarded<CostedEntries<Key, Listing.Arranged>>
    /// What was counted for outlines of large levels, within a budget of its own.
    private let outlines: Guarded<CostedEntries<RunningTotals.Key, RunningTotals>>
    private let searchTexts: SearchTexts

    private struct Key: Hashable {
        let level: ContentHash
        /// The order of the item itself.
        let own: ListingOrder?
        /// May be as long as a request's target.
        let arrangement: RowQuery
    }

    /// A shorter level is arranged each time, because that costs less than keeping it.
    private static let leastRows = 256

    /// - Parameters:
    ///   - bytes: how much all arrangements may cost; 0 keeps none.
    ///   - searchTexts: what searches look through.
    public init(bytes: Int, searchTexts: SearchTexts = SearchTexts(bytes: 0)) {
        entries = Guarded(CostedEntries(budget: bytes))
        outlines = Guarded(CostedEntries(budget: bytes / 2))
        self.searchTexts = searchTexts
    }

    /// The rows below an item as they are shown without a query, arranged now unless they are kept.
    public func listing(below step: Item.Step) -> Listing {
        step.hasOrder ? listing(below: step, RowQuery()) : Listing(step.below)
    }

    /// Whether the rows below an item are not those of its level in the order of the document.
    private static func isArranged(_ step: Item.Step, _ query: RowQuery) -> Bool {
        query.arrangesRows || query.usesOwnOrder && step.hasOrder
    }

    /// The rows below an item under a query, arranged now unless they are kept.
    func listing(below step: Item.Step, _ query: RowQuery) -> Listing {
        guard Self.isArranged(step, query) else { return Listing(step.below) }
        let own = query.usesOwnOrder ? step.order : nil
        guard let (level, key) = keptKey(below: step, query, own) else {
            return made(of: step.below, query, own)
        }
        if let arranged = arranged(key) { return Listing(level, as: arranged) }
        let refusals = MemoryBudget.refusals
        let listing = made(of: level, query, own)
        // What lacks a part because of a lack of memory is not kept; the request for it is refused.
        if let arranged = listing.arranged, refusals == MemoryBudget.refusals, !MemoryBudget.isTight {
            entries.withLock { $0.keep(arranged, key, cost: arranged.cost + key.arrangement.description.utf8.count) }
        }
        return listing
    }

    private func made(of level: Level?, _ query: RowQuery, _ own: ListingOrder?) -> Listing {
        var listing = Listing(level)
        if let search = ItemSearch(query) { listing.search(search, searchTexts) }
        for condition in query.conditions { listing.filter(by: condition) }
        for rearrangement in query.rearrangements { rearrangement.base.apply(to: &listing) }
        listing.order(by: query.order.completed(by: own))
        return listing
    }

    /// The level below an item, and the key of its arrangement; nil for a level that is arranged each time.
    private func keptKey(below step: Item.Step, _ query: RowQuery, _ own: ListingOrder?) -> (Level, Key)? {
        guard let level = step.below, Self.work(on: level, query, own) >= Self.leastRows else {
            return nil
        }
        return (level, Key(level: level.hash, own: own, arrangement: query.arrangement))
    }

    /// How many rows must be looked at to find out which rows below an item are shown, and in what order; 0 if that is
    /// known.
    func work(below step: Item.Step, _ query: RowQuery) -> Int {
        guard Self.isArranged(step, query) else { return 0 }
        let own = query.usesOwnOrder ? step.order : nil
        if let (_, key) = keptKey(below: step, query, own), arranged(key) != nil { return 0 }
        return step.below.map { Self.work(on: $0, query, own) } ?? 0
    }

    /// The same without a query.
    public func work(below step: Item.Step) -> Int { step.hasOrder ? work(below: step, RowQuery()) : 0 }

    private static func work(on level: Level, _ query: RowQuery, _ own: ListingOrder?) -> Int {
        max(query.work(on: level), own == nil ? 0 : level.count)
    }

    private func arranged(_ key: Key) -> Listing.Arranged? { entries.withLock { $0.value(of: key) } }

    /// The approximate memory use of what is kept, in bytes.
    var cost: Int { entries.withLock(\.cost) }
}

extension ArrangementCache {
    /// What was counted for the outline of a large level; nil if it is not kept.
    func totals(_ key: RunningTotals.Key) -> RunningTotals? { outlines.withLock { $0.value(of: key) } }

    /// Keeps what was counted, unless it takes too much memory.
    func keep(_ totals: RunningTotals, _ key: RunningTotals.Key) {
        outlines.withLock { $0.keep(totals, key, cost: totals.cost) }
    }

    /// The approximate memory use of what is kept for outlines, in bytes.
    var outlineCost: Int { outlines.withLock(\.cost) }

    /// How many rows must be put in order to find out which rows are on a page of an outline.
    ///
    /// Only the levels at both ends of the page may have many more rows than the page.
    ///
    /// - Parameter limit: how many may be put in order to find it out.
    func work(below step: Item.Step, _ opening: OutlineOpening, _ page: PageQuery, limit: Int) -> Int {
        guard let level = step.below, level.itemCount > limit else { return 0 }
        guard level.mayHoldOrders || step.order != nil else { return 0 }
        let outline = OutlineRows(below: step, opening, self)
        var work = outline.workOfCounting
        if work <= limit, case .outline(let place) = page.after { work += outline.work(after: place, limit: limit) }
        guard work <= limit else { return work }
        let rows = outline.positions(of: page)
        for position in [rows.lowerBound, rows.upperBound] where work <= limit {
            work += outline.work(at: position, limit: limit)
        }
        return work
    }
}

/// Values by key within a budget of bytes; those that were not looked up for the longest time are dropped.
struct CostedEntries<Key: Hashable & Sendable, Value: Sendable>: Sendable {
    private var entries: [Key: Entry] = [:]
    /// The approximate memory use of what is kept, in bytes.
    private(set) var cost = 0
    private var uses = 0
    private let budget: Int

    private struct Entry {
        let value: Value
        let cost: Int
        /// The number of the latest look-up.
        var use: Int
    }

    /// - Parameter budget: how much all values may cost; 0 keeps none.
    init(budget: Int) { self.budget = budget }

    /// The value of a key; nil if it is not kept.
    mutating func value(of key: Key) -> Value? {
        uses += 1
        entries[key]?.use = uses
        return entries[key]?.value
    }

    /// Keeps a value, if it is not too large a share of the budget.
    ///
    /// - Parameter bytes: the approximate memory use of the value and its key, besides the entry itself.
    mutating func keep(_ value: Value, _ key: Key, cost bytes: Int) {
        let cost = bytes + Self.overhead
        guard cost <= budget / 2, entries[key] == nil else { return }
        uses += 1
        entries[key] = Entry(value: value, cost: cost, use: uses)
        self.cost += cost
        while self.cost > budget { dropOlderHalf() }
    }

    /// What an entry takes in the table, in bytes.
    private static var overhead: Int { 256 }

    /// Drops the half of the entries that was not looked up for the longest time, so that many small ones do not cost a
    /// search each.
    private mutating func dropOlderHalf() {
        let uses = entries.values.map(\.use).sorted()
        let limit = uses[(uses.count - 1) / 2]
        entries = entries.filter { $0.value.use > limit }
        cost = entries.values.reduce(0) { $0 + $1.cost }
    }
}

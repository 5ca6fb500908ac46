internal import Heap
internal import Locking

/// A cache of arrangements of large levels, by content and query, within a budget of bytes.
///
/// Only the first page of a sorted level requires sorting; further pages cost no more than in an unsorted level.
///
/// One cache serves all requests and all snapshots. A budget of zero bytes keeps nothing.
public final class ArrangementCache: Sendable {
    private let entries: Guarded<CostedEntries<Key, Listing.Arranged>>
    /// The row counts for outlines of large levels, within a separate budget.
    private let outlines: Guarded<CostedEntries<RunningTotals.Key, RunningTotals>>
    private let searchTexts: SearchTexts

    private struct Key: Hashable {
        let level: ContentHash
        /// The item's own order.
        let own: ListingOrder?
        let arrangement: RowQuery
    }

    /// An arrangement is kept if at least this number of rows must be looked at for it. Arranging fewer rows again
    /// costs less than keeping the arrangement.
    private static let leastRows = 256

    /// - Parameters:
    ///   - bytes: the budget for all arrangements; 0 keeps none.
    ///   - searchTexts: the folded texts for searches.
    public init(bytes: Int, searchTexts: SearchTexts = SearchTexts(bytes: 0)) {
        entries = Guarded(CostedEntries(budget: bytes))
        outlines = Guarded(CostedEntries(budget: bytes / 2))
        self.searchTexts = searchTexts
    }

    /// Returns the rows below an item, as they are without a query.
    public func listing(below step: Item.Step) -> Listing {
        step.hasOrder ? listing(below: step, query: RowQuery()) : Listing(step.below)
    }

    /// Whether the rows below an item, or their order, differ from the document.
    private static func isArranged(_ step: Item.Step, query: RowQuery) -> Bool {
        query.arrangesRows || query.usesOwnOrder && step.hasOrder
    }

    /// Returns the rows below an item under a query, from the cache if possible.
    func listing(below step: Item.Step, query: RowQuery) -> Listing {
        guard Self.isArranged(step, query: query) else { return Listing(step.below) }
        let own = query.usesOwnOrder ? step.order : nil
        guard let (level, key) = keptKey(below: step, query: query, own: own) else {
            return Listing(step.below, by: query, own: own, texts: searchTexts)
        }
        if let arranged = arranged(key) { return Listing(level: level, as: arranged) }
        let refusals = MemoryBudget.refusals
        let listing = Listing(level, by: query, own: own, texts: searchTexts)
        // A listing that is incomplete for lack of memory is not kept, and its request is refused.
        if let arranged = listing.arranged, refusals == MemoryBudget.refusals, !MemoryBudget.isTight {
            entries.withLock {
                $0.keep(arranged, key: key, cost: arranged.cost + key.arrangement.description.utf8.count)
            }
        }
        return listing
    }

    /// The level below an item, and the key of its arrangement; nil if the arrangement is not kept.
    private func keptKey(below step: Item.Step, query: RowQuery, own: ListingOrder?) -> (Level, Key)? {
        guard let level = step.below, Self.work(on: level, query: query, own: own) >= Self.leastRows else {
            return nil
        }
        return (level, Key(level: level.hash, own: own, arrangement: query.arrangement))
    }

    /// The number of rows that must be looked at to determine the shown rows and their order; 0 if the arrangement is
    /// known.
    func work(below step: Item.Step, query: RowQuery) -> Int {
        guard Self.isArranged(step, query: query) else { return 0 }
        let own = query.usesOwnOrder ? step.order : nil
        if let (_, key) = keptKey(below: step, query: query, own: own), arranged(key) != nil { return 0 }
        return step.below.map { Self.work(on: $0, query: query, own: own) } ?? 0
    }

    /// The number of rows that must be looked at for an answer without a query.
    public func work(below step: Item.Step) -> Int { step.hasOrder ? work(below: step, query: RowQuery()) : 0 }

    private static func work(on level: Level, query: RowQuery, own: ListingOrder?) -> Int {
        max(query.work(on: level), own == nil ? 0 : level.count)
    }

    private func arranged(_ key: Key) -> Listing.Arranged? { entries.withLock { $0.value(of: key) } }

    /// The approximate memory use of the arrangements, in bytes.
    var cost: Int { entries.withLock(\.cost) }
}

extension ArrangementCache {
    /// The row counts of an outline; nil if the counts are not kept.
    func totals(_ key: RunningTotals.Key) -> RunningTotals? { outlines.withLock { $0.value(of: key) } }

    /// Keeps row counts, unless the counts take too much memory.
    func keep(_ totals: RunningTotals, key: RunningTotals.Key) {
        outlines.withLock { $0.keep(totals, key: key, cost: totals.cost) }
    }

    /// The approximate memory use of outlines, in bytes.
    var outlineCost: Int { outlines.withLock(\.cost) }

    /// The number of rows that must be sorted to determine a page of an outline.
    ///
    /// A level that is wholly on the page has no more rows than the page. Only the levels at the two ends of the page
    /// may have many more rows.
    ///
    /// - Parameter limit: the number of rows that may be sorted for the answer.
    func work(below step: Item.Step, opening: OutlineOpening, page: PageQuery, limit: Int) -> Int {
        guard let level = step.below, level.itemCount > limit else { return 0 }
        guard level.mayHoldOrders || step.order != nil else { return 0 }
        let outline = OutlineRows(below: step, opening: opening, store: self)
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

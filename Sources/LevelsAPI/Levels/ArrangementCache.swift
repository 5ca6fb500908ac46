import Levels
import Locking

/// Arrangements of large levels, by the level's content and the options that made them, within a budget of bytes.
///
/// The first page of a sorted level costs the sorting, and the next ones cost what a page of the plain level costs.
final class ArrangementCache: Sendable {
    private let entries: Guarded<CostedEntries<Key, Listing.Arranged>>
    /// What was counted for outlines of large levels, within a budget of its own.
    let outlineTotals: OutlineTotals
    private let searchTexts: SearchTexts

    private struct Key: Hashable {
        let level: ContentHash
        /// May be as long as a request's target.
        let options: String
    }

    /// A shorter level is arranged each time, because that costs less than keeping it.
    private static let leastRows = 256

    /// - Parameters:
    ///   - bytes: how much all arrangements may cost; 0 keeps none.
    ///   - searchTexts: what searches look through.
    init(bytes: Int, searchTexts: SearchTexts = SearchTexts(bytes: 0)) {
        entries = Guarded(CostedEntries(budget: bytes))
        outlineTotals = OutlineTotals(bytes: bytes / 2)
        self.searchTexts = searchTexts
    }

    /// The listing of a level under a query, made now unless it is kept.
    func listing(of level: Level?, _ query: LevelQuery) -> Listing {
        guard let level, query.work(on: level) >= Self.leastRows else { return made(of: level, query) }
        let key = Key(level: level.hash, options: query.arrangement)
        if let arranged = arranged(key) { return Listing(level, as: arranged) }
        let listing = made(of: level, query)
        if let arranged = listing.arranged {
            entries.withLock { $0.keep(arranged, key, cost: arranged.cost + key.options.utf8.count) }
        }
        return listing
    }

    private func made(of level: Level?, _ query: LevelQuery) -> Listing {
        guard let search = query.search else { return Listing(level, query.steps) }
        let searchTexts = searchTexts
        return Listing(level, [{ $0.search(search, searchTexts) }] + query.steps)
    }

    /// Whether the listing of a level under a query is made without looking at all of its rows.
    func hasListing(of level: Level?, _ query: LevelQuery) -> Bool {
        guard let level, query.work(on: level) >= Self.leastRows else { return false }
        return arranged(Key(level: level.hash, options: query.arrangement)) != nil
    }

    private func arranged(_ key: Key) -> Listing.Arranged? { entries.withLock { $0.value(of: key) } }

    /// The approximate memory use of what is kept, in bytes.
    var cost: Int { entries.withLock(\.cost) }
}

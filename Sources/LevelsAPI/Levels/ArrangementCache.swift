import Levels
import Locking

/// Arrangements of large levels, by the level's content and the options that made them, within a budget of bytes.
///
/// The first page of a sorted level costs the sorting, and the next ones cost what a page of the plain level costs.
final class ArrangementCache: Sendable {
    private let state = Guarded(State())
    private let budget: Int
    private let searchTexts: SearchTexts

    private struct Key: Hashable {
        let level: ContentHash
        /// May be as long as a request's target.
        let options: String
    }

    private struct Entry {
        let arranged: Listing.Arranged
        /// The approximate memory use with the key, in bytes.
        let cost: Int
        /// The number of the latest look-up.
        var use: Int
    }

    private struct State {
        var entries: [Key: Entry] = [:]
        var cost = 0
        var uses = 0
    }

    /// A shorter level is arranged each time, because that costs less than keeping it.
    private static let leastRows = 256

    /// - Parameters:
    ///   - bytes: how much all arrangements may cost; 0 keeps none.
    ///   - searchTexts: what searches look through.
    init(bytes: Int, searchTexts: SearchTexts = SearchTexts(bytes: 0)) {
        budget = bytes
        self.searchTexts = searchTexts
    }

    /// The listing of a level under a query, made now unless it is kept.
    func listing(of level: Level?, _ query: LevelQuery) -> Listing {
        guard let level, query.work(on: level) >= Self.leastRows else { return made(of: level, query) }
        let key = Key(level: level.hash, options: query.arrangement)
        if let arranged = arranged(key) { return Listing(level, as: arranged) }
        let listing = made(of: level, query)
        if let arranged = listing.arranged { keep(arranged, key) }
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

    private func arranged(_ key: Key) -> Listing.Arranged? {
        state.withLock { state in
            state.uses += 1
            state.entries[key]?.use = state.uses
            return state.entries[key]?.arranged
        }
    }

    /// Keeps an arrangement, if it is not too large a share of the budget.
    private func keep(_ arranged: Listing.Arranged, _ key: Key) {
        let cost = arranged.cost + key.options.utf8.count + Self.overhead
        guard cost <= budget / 2 else { return }
        state.withLock { state in
            guard state.entries[key] == nil else { return }
            state.uses += 1
            state.entries[key] = Entry(arranged: arranged, cost: cost, use: state.uses)
            state.cost += cost
            while state.cost > budget { Self.dropOlderHalf(of: &state) }
        }
    }

    /// What an entry takes in the table, in bytes.
    private static let overhead = 256

    /// Drops the half of the entries that was not looked up for the longest time, so that many small ones do not cost a
    /// search each.
    private static func dropOlderHalf(of state: inout State) {
        let uses = state.entries.values.map(\.use).sorted()
        let limit = uses[(uses.count - 1) / 2]
        state.entries = state.entries.filter { $0.value.use > limit }
        state.cost = state.entries.values.reduce(0) { $0 + $1.cost }
    }

    /// The approximate memory use of what is kept, in bytes.
    var cost: Int { state.withLock(\.cost) }
}

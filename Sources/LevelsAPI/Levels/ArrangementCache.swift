import Levels
import Locking

/// Arrangements of large levels, by the level's content and the options that made them, within a budget of bytes.
///
/// The first page of a sorted level costs the sorting, and the next ones cost what a page of the plain level costs.
final class ArrangementCache: Sendable {
    private let state = Guarded(State())
    private let budget: Int

    private struct Key: Hashable {
        let level: ContentHash
        let options: String
    }

    private struct Entry {
        let arranged: Listing.Arranged
        /// Counts the look-ups; the entry with the lowest number goes first.
        var use: Int
    }

    private struct State {
        var entries: [Key: Entry] = [:]
        var cost = 0
        var uses = 0
    }

    /// A shorter level is arranged each time, because that costs less than keeping it.
    private static let leastRows = 256

    /// - Parameter bytes: how much all arrangements may cost; 0 keeps none.
    init(bytes: Int) { budget = bytes }

    /// The listing of a level under a query, made now unless it is kept.
    func listing(of level: Level?, _ query: LevelQuery) -> Listing {
        guard let level, level.count >= Self.leastRows, !query.arrangement.isEmpty else {
            return Listing(level, query.steps)
        }
        let key = Key(level: level.hash, options: query.arrangement)
        if let arranged = arranged(key) { return Listing(level, as: arranged) }
        let listing = Listing(level, query.steps)
        if let arranged = listing.arranged, arranged.cost <= budget / 2 { keep(arranged, key) }
        return listing
    }

    private func arranged(_ key: Key) -> Listing.Arranged? {
        state.withLock { state in
            state.uses += 1
            state.entries[key]?.use = state.uses
            return state.entries[key]?.arranged
        }
    }

    private func keep(_ arranged: Listing.Arranged, _ key: Key) {
        state.withLock { state in
            guard state.entries[key] == nil else { return }
            state.uses += 1
            state.entries[key] = Entry(arranged: arranged, use: state.uses)
            state.cost += arranged.cost
            while state.cost > budget, let oldest = state.entries.min(by: { $0.value.use < $1.value.use }) {
                state.entries[oldest.key] = nil
                state.cost -= oldest.value.arranged.cost
            }
        }
    }
}

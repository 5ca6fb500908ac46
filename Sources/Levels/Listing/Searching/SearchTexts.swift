internal import Heap
internal import Locking

/// The folded titles of large levels, kept within a budget of bytes. The first search makes the folded titles.
///
/// The titles are kept by content. All trees therefore share them, and after an edit only the changed parts are folded
/// again. Titles beyond the budget are folded for each search.
public final class SearchTexts: Sendable {
    private let state = Guarded(State())
    private let budget: Int
    private let sizes: SearchPlan.Sizes

    private struct State {
        var texts = HashTable<SearchText>()
        var plans = HashTable<SearchPlan>()
        /// The number of the latest search.
        var search = 0
        /// The number of the latest search that dropped the texts of other searches.
        var emptied = 0
        var folded = 0

        var cost: Int { texts.cost + plans.cost }
    }

    /// - Parameter bytes: the budget; 0 keeps nothing.
    public convenience init(bytes: Int) { self.init(bytes: bytes, sizes: .init()) }

    init(bytes: Int, sizes: SearchPlan.Sizes) {
        budget = bytes
        self.sizes = sizes
    }

    /// Whether a level has enough items to have a plan.
    func isLarge(_ level: Level) -> Bool { level.itemCount > sizes.largest }

    /// The approximate memory use, in bytes.
    public var cost: Int { state.withLock(\.cost) }

    /// The number of parts that were folded since the start.
    package var foldedCount: Int { state.withLock(\.folded) }

    /// Returns the number of a new search. The search marks the texts that it uses, so that unused texts are dropped
    /// first.
    func beginSearch() -> Int {
        state.withLock { state in
            state.search += 1
            return state.search
        }
    }

    /// The plan of a large level.
    func plan(of level: Level) -> SearchPlan {
        if let plan = state.withLock({ $0.plans.find(level.hash, use: $0.search) }) { return plan }
        let plan = SearchPlan(level: level, sizes: sizes)
        state.withLock { state in
            makeRoom(for: plan.cost, in: &state)
            guard state.cost + plan.cost <= budget else { return }
            state.plans.insert(plan, hash: level.hash, cost: plan.cost, use: state.search)
        }
        return plan
    }

    /// The texts of a part of a large level.
    ///
    /// - Parameter search: the number of the search.
    func text(of part: SearchPlan.Part, in level: Level, search: Int) -> SearchText {
        if let text = state.withLock({ $0.texts.find(part.key, use: search) }) { return text }
        let refusals = MemoryBudget.refusals
        let text = SearchText(level: level, part: part, fields: .title)
        let isWhole = refusals == MemoryBudget.refusals
        state.withLock { state in
            state.folded += 1
            guard isWhole, !MemoryBudget.isTight else { return }
            makeRoom(for: text.cost, in: &state)
            guard state.cost + text.cost <= budget else { return }
            state.texts.insert(text, hash: part.key, cost: text.cost, use: search)
        }
        return text
    }

    /// If the budget would be exceeded, drops the texts and plans that the current search has not used. Does this once
    /// for each search.
    private func makeRoom(for cost: Int, in state: inout State) {
        guard state.cost + cost > budget, state.emptied < state.search else { return }
        state.emptied = state.search
        state.texts.drop(before: state.search)
        state.plans.drop(before: state.search)
    }
}

/// Values by hash. Each value has the number of the latest search that used the value.
private struct HashTable<Value> {
    private struct Entry {
        let value: Value
        let cost: Int
        var use: Int
    }

    private var entries: [ContentHash: Entry] = [:]
    private(set) var cost = 0

    mutating func find(_ hash: ContentHash, use: Int) -> Value? {
        guard let index = entries.index(forKey: hash) else { return nil }
        entries.values[index].use = use
        return entries.values[index].value
    }

    mutating func insert(_ value: Value, hash: ContentHash, cost: Int, use: Int) {
        guard entries[hash] == nil else { return }
        entries[hash] = Entry(value: value, cost: cost, use: use)
        self.cost += cost
    }

    /// Drops the values whose latest use was before search number `use`.
    mutating func drop(before use: Int) {
        entries = entries.filter { $0.value.use >= use }
        cost = entries.values.reduce(0) { $0 + $1.cost }
    }
}

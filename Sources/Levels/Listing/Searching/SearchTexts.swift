internal import Heap
internal import Locking

/// The folded titles of large levels, made when they are first searched, within a budget of bytes.
///
/// They are kept by content, so that all trees share them: after an edit only the parts that it touched are folded again.
/// What does not fit is folded for each search.
public final class SearchTexts: Sendable {
    private let state = Guarded(State())
    private let budget: Int
    private let sizes: SearchPlan.Sizes

    private struct State {
        var texts = HashTable<SearchText>()
        var plans = HashTable<SearchPlan>()
        /// The number of the latest search.
        var search = 0
        /// The number of the latest search for which what others left was dropped.
        var emptied = 0
        /// The most that one search used lately, in bytes.
        var most = 0
        /// How many parts were folded.
        var folded = 0

        var cost: Int { texts.cost + plans.cost }
    }

    /// - Parameter bytes: how much may be kept; 0 keeps nothing.
    public convenience init(bytes: Int) { self.init(bytes: bytes, sizes: .init()) }

    init(bytes: Int, sizes: SearchPlan.Sizes) {
        budget = bytes
        self.sizes = sizes
    }

    /// Whether a level has so many items in and below it that it has a plan.
    func isLarge(_ level: Level) -> Bool { level.itemCount > sizes.largest }

    /// The approximate memory use, in bytes.
    public var cost: Int { state.withLock(\.cost) }

    /// How many parts of large levels were folded since the start.
    package var foldedCount: Int { state.withLock(\.folded) }

    /// One search: it counts what it uses, so that what no search uses any more is dropped first.
    struct Pass {
        fileprivate let texts: SearchTexts
        fileprivate let number: Int
        private var used = 0

        fileprivate init(_ texts: SearchTexts, number: Int) {
            self.texts = texts
            self.number = number
        }

        mutating func plan(of level: Level) -> SearchPlan { texts.plan(of: level) }

        mutating func text(of part: SearchPlan.Part, in level: Level) -> SearchText {
            let text = texts.text(of: part, in: level, search: number)
            used += text.cost
            return text
        }

        /// Drops what was not used for long, if there is much more than this search used.
        func end() { texts.end(using: used) }
    }

    func beginSearch() -> Pass {
        Pass(
            self,
            number: state.withLock { state in
                state.search += 1
                return state.search
            })
    }

    /// The plan of a large level.
    func plan(of level: Level) -> SearchPlan {
        if let plan = state.withLock({ $0.plans.find(level.hash, $0.search) }) { return plan }
        let plan = SearchPlan(level, sizes)
        state.withLock { state in
            makeRoom(for: plan.cost, in: &state)
            guard state.cost + plan.cost <= budget else { return }
            state.plans.insert(plan, level.hash, cost: plan.cost, use: state.search)
        }
        return plan
    }

    private func text(of part: SearchPlan.Part, in level: Level, search: Int) -> SearchText {
        if let text = state.withLock({ $0.texts.find(part.key, search) }) { return text }
        let refusals = MemoryBudget.refusals
        let text = SearchText(level, part, .title)
        let isWhole = refusals == MemoryBudget.refusals
        state.withLock { state in
            state.folded += 1
            guard isWhole, !MemoryBudget.isTight else { return }
            makeRoom(for: text.cost, in: &state)
            guard state.cost + text.cost <= budget else { return }
            state.texts.insert(text, part.key, cost: text.cost, use: search)
        }
        return text
    }

    /// Drops what the running search has not used, once for each search.
    private func makeRoom(for cost: Int, in state: inout State) {
        guard state.cost + cost > budget, state.emptied < state.search else { return }
        state.emptied = state.search
        state.texts.drop(before: state.search)
        state.plans.drop(before: state.search)
    }

    private func end(using used: Int) {
        state.withLock { state in
            state.most = max(state.most, used)
            guard state.texts.cost > 2 * state.most else { return }
            state.texts.drop(to: state.most)
            state.plans.drop(before: state.search)
            state.most = used
        }
    }
}

/// Values by hash, with the number of the search that used each of them last.
private struct HashTable<Value> {
    private struct Entry {
        let value: Value
        let cost: Int
        var use: Int
    }

    private var entries: [ContentHash: Entry] = [:]
    /// The memory use of all values, in bytes.
    private(set) var cost = 0

    mutating func find(_ hash: ContentHash, _ use: Int) -> Value? {
        guard let index = entries.index(forKey: hash) else { return nil }
        entries.values[index].use = use
        return entries.values[index].value
    }

    mutating func insert(_ value: Value, _ hash: ContentHash, cost: Int, use: Int) {
        guard entries[hash] == nil else { return }
        entries[hash] = Entry(value: value, cost: cost, use: use)
        self.cost += cost
    }

    /// Drops what no search from a number on used.
    mutating func drop(before use: Int) {
        entries = entries.filter { $0.value.use >= use }
        cost = entries.values.reduce(0) { $0 + $1.cost }
    }

    /// Drops what was not used for the longest time, until no more than some bytes are left.
    mutating func drop(to bytes: Int) {
        for (hash, entry) in entries.sorted(by: { $0.value.use < $1.value.use }) where cost > bytes {
            entries[hash] = nil
            cost -= entry.cost
        }
    }
}

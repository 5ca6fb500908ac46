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

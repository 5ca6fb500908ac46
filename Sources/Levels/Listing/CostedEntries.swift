/// Values by key, within a budget of bytes. Beyond the budget, the least recently used values are dropped.
package struct CostedEntries<Key: Hashable & Sendable, Value: Sendable>: Sendable {
    private var entries: [Key: Entry] = [:]
    /// The approximate memory use of the values, in bytes.
    package private(set) var cost = 0
    private var uses = 0
    private let budget: Int

    private struct Entry {
        let value: Value
        let cost: Int
        var use: Int
    }

    /// - Parameter budget: the budget for all values; 0 keeps none.
    package init(budget: Int) { self.budget = budget }

    package mutating func value(of key: Key) -> Value? {
        uses += 1
        entries[key]?.use = uses
        return entries[key]?.value
    }

    /// Keeps a value, unless the value takes more than half of the budget. The cost of the table entry is added to
    /// `bytes`.
    package mutating func keep(_ value: Value, key: Key, cost bytes: Int) {
        let cost = bytes + Self.overhead
        guard cost <= budget / 2, entries[key] == nil else { return }
        uses += 1
        entries[key] = Entry(value: value, cost: cost, use: uses)
        self.cost += cost
        while self.cost > budget { dropOlderHalf() }
    }

    /// The cost of a table entry, in bytes.
    private static var overhead: Int { 256 }

    /// Drops the half of the entries that was used less recently. Dropping many entries together makes the search for
    /// old entries rare.
    private mutating func dropOlderHalf() {
        let uses = entries.values.map(\.use).sorted()
        let limit = uses[(uses.count - 1) / 2]
        entries = entries.filter { $0.value.use > limit }
        cost = entries.values.reduce(0) { $0 + $1.cost }
    }
}

import Levels
import Locking

/// Running totals of large levels in outlines, by the content that they were counted in, within a budget of bytes.
final class OutlineTotals: Sendable {
    private let entries: Guarded<CostedEntries<RunningTotals.Key, RunningTotals>>

    /// - Parameter bytes: how much all totals may cost; 0 keeps none.
    init(bytes: Int) { entries = Guarded(CostedEntries(budget: bytes)) }

    func totals(_ key: RunningTotals.Key) -> RunningTotals? { entries.withLock { $0.value(of: key) } }

    func keep(_ totals: RunningTotals, _ key: RunningTotals.Key) {
        entries.withLock { $0.keep(totals, key, cost: totals.cost) }
    }

    /// The approximate memory use of what is kept, in bytes.
    var cost: Int { entries.withLock(\.cost) }
}

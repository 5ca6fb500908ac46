import Heap
import Locking

/// Admits one body at a time that is larger than the server's limit, so that the memory for bodies is bounded.
final class LargeBodies: Sendable {
    private let memory = Guarded<MemoryReservation?>(nil)

    /// Admits a body, which must `leave`; false if there is one already, or no memory for it.
    func enter(bytes: Int) -> Bool {
        memory.withLock { memory in
            guard memory == nil, let reserved = MemoryBudget.reserve(bytes) else { return false }
            memory = reserved
            return true
        }
    }

    /// Admits the next one.
    func leave() { memory.withLock { $0 = nil } }
}

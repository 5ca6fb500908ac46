import Heap
import Locking

/// Admits bodies that are larger than the server's limit, one at a time, so that the memory for bodies is bounded.
final class LargeBodies: Sendable {
    private struct Current {
        weak var body: LargeBody?
    }

    private let current = Guarded(Current())

    /// Admits a body. Returns nil if another large body has the place, or if memory is lacking.
    ///
    /// The place becomes free when nothing refers to the returned object any more.
    func admit(bytes: Int) -> LargeBody? {
        current.withLock { current in
            guard current.body == nil, let memory = MemoryBudget.reserve(bytes) else { return nil }
            let admitted = LargeBody(memory)
            current.body = admitted
            return admitted
        }
    }
}

final class LargeBody: Sendable {
    /// The time at which the body was admitted, in milliseconds of the coarse clock.
    let began = CoarseClock.now
    private let memory: MemoryReservation

    fileprivate init(_ memory: MemoryReservation) { self.memory = memory }
}

import Heap
import Locking

/// Admits one body at a time that is larger than the server's limit, so that the memory for bodies is bounded.
final class LargeBodies: Sendable {
    private struct Current {
        weak var body: LargeBody?
    }

    private let current = Guarded(Current())

    /// Admits a body, whose place is free again when nothing refers to the result; nil if another body has the place,
    /// or memory is lacking.
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

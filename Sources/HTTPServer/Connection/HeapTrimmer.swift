import Heap
import Synchronization

/// Counts the connections that have ended, and returns the memory that many of them leave between the blocks in use.
///
/// Otherwise the C library's heap would grow from one crowd to the next, because each allocates in another order.
final class HeapTrimmer: Sendable {
    private let count = Atomic<Int>(0)
    /// When memory may be returned again, in milliseconds of the coarse clock.
    private let next = Atomic<Int64>(0)

    /// The size of a crowd: a thousand connections leave about ten megabytes.
    private static let crowd = 1_000
    /// The minimum time between two returns, because each locks the heap for milliseconds.
    private static let pause: Int64 = 5_000

    /// Whether enough connections have ended for memory to be returned, now or after the pause.
    var isCrowd: Bool { count.load(ordering: .relaxed) >= Self.crowd }

    /// Counts a connection that has ended.
    func note() { count.add(1, ordering: .relaxed) }

    /// Returns memory if it is time; called regularly by a thread that may block for some milliseconds.
    func giveBack(at now: Int64) {
        guard isCrowd || MemoryBudget.isTight && MemoryBudget.left < 0, next.load(ordering: .relaxed) <= now else {
            return
        }
        next.store(now + Self.pause, ordering: .relaxed)
        count.store(0, ordering: .relaxed)
        HeapMemory.giveBack()
    }
}

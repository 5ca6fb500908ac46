import Heap
import Synchronization

/// Counts the connections that have gone, and gives back what a crowd of them leaves between the blocks in use.
///
/// Left alone, the C library's heap grows from one crowd to the next, since each takes its blocks in another order.
final class HeapTrimmer: Sendable {
    private let count = Atomic<Int>(0)
    /// When memory may be given back again, in milliseconds of the coarse clock.
    private let next = Atomic<Int64>(0)

    /// How many make a crowd: a thousand connections leave some ten megabytes.
    private static let crowd = 1_000
    /// Connections that come and go without a rest are no crowd, and the heap is locked for milliseconds.
    private static let pause: Int64 = 5_000

    /// Whether enough have gone for memory to be given back, now or after the pause.
    var isCrowd: Bool { count.load(ordering: .relaxed) >= Self.crowd }

    /// A connection has gone.
    func note() { count.add(1, ordering: .relaxed) }

    /// To be called now and then, by a thread that may be held up for some milliseconds.
    func giveBack(at now: Int64) {
        guard isCrowd, next.load(ordering: .relaxed) <= now else { return }
        next.store(now + Self.pause, ordering: .relaxed)
        count.store(0, ordering: .relaxed)
        HeapMemory.giveBack()
    }
}

import Glibc
import Synchronization

/// What other threads may know of a connection: its socket, its deadline, whether a request is in progress.
final class ConnectionState: Sendable {
    let descriptor: Int32
    /// Milliseconds of the coarse clock, doubled; the lowest bit is set while a request is in progress.
    private let word: Atomic<Int64>

    init(descriptor: Int32, deadline: Int64) {
        self.descriptor = descriptor
        word = Atomic(deadline &<< 1)
    }

    var deadline: Int64 { word.load(ordering: .relaxed) &>> 1 }
    var isBusy: Bool { word.load(ordering: .relaxed) & 1 == 1 }

    /// A request is in progress, and must be done by then.
    func work(until deadline: Int64) { word.store(deadline &<< 1 | 1, ordering: .relaxed) }

    /// No request is in progress; the next must have come by then.
    func idle(until deadline: Int64) { word.store(deadline &<< 1, ordering: .relaxed) }

    /// Ends both directions at once: the library sees the end and closes.
    func cut() { _ = shutdown(descriptor, Int32(SHUT_RDWR)) }

    /// What has arrived is still read, then comes the end.
    func endReading() { _ = shutdown(descriptor, Int32(SHUT_RD)) }
}

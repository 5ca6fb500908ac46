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

    /// No request is in progress; the header of one must have come by then.
    ///
    /// This and the following two are called on the connection's own thread only, so none needs to be one step.
    func wait(until deadline: Int64) { word.store(deadline &<< 1, ordering: .relaxed) }

    /// A request is in progress, with the deadline that stands.
    func beginWork() { word.store(word.load(ordering: .relaxed) | 1, ordering: .relaxed) }

    /// A request is in progress, and must be done by then.
    func work(until deadline: Int64) { word.store(deadline &<< 1 | 1, ordering: .relaxed) }

    /// Has the system end the connection when its client takes nothing for so long, or is not there any more, and keep
    /// no more than a little for a client that reads slowly.
    func limitUnread(milliseconds: Int64) {
        var time = UInt32(clamping: milliseconds)
        var size = ConnectionState.unreadBytes
        let width = socklen_t(MemoryLayout<UInt32>.size)
        _ = unsafe setsockopt(descriptor, Int32(IPPROTO_TCP), TCP_USER_TIMEOUT, &time, width)
        _ = unsafe setsockopt(descriptor, SOL_SOCKET, SO_SNDBUF, &size, width)
    }

    private static let unreadBytes: Int32 = 64 << 10

    /// Whether something has come that nobody has read.
    var hasUnread: Bool {
        var byte: UInt8 = 0
        return unsafe recv(descriptor, &byte, 1, Int32(MSG_DONTWAIT) | Int32(MSG_PEEK)) > 0
    }

    /// Whether the client has ended its sending, and all that it sent has been read.
    var hasEnded: Bool {
        var byte: UInt8 = 0
        return unsafe recv(descriptor, &byte, 1, Int32(MSG_DONTWAIT) | Int32(MSG_PEEK)) == 0
    }

    /// Ends both directions at once: the library sees the end and closes.
    func cut() { _ = shutdown(descriptor, Int32(SHUT_RDWR)) }

    /// What has arrived is still read, then comes the end.
    func endReading() { _ = shutdown(descriptor, Int32(SHUT_RD)) }
}

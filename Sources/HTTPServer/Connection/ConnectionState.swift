import Glibc
import Synchronization

/// The state of a connection that other threads may read: its socket, its deadline, and what is in progress.
final class ConnectionState: Sendable {
    let descriptor: Int32
    /// Whether the connection uses TLS.
    private let isSecure: Bool
    /// Milliseconds of the coarse clock, shifted by two bits, which say what is in progress.
    private let word: Atomic<Int64>
    /// What the client had taken of responses when the reaper last looked.
    private let taken = Atomic<UInt64>(0)
    /// When the response on its way began, or the client was last seen to take some of it.
    private let progress = Atomic<Int64>(0)

    /// The bits of `word`.
    private static let request: Int64 = 1
    private static let response: Int64 = 2

    init(descriptor: Int32, deadline: Int64, isSecure: Bool = false) {
        self.descriptor = descriptor
        self.isSecure = isSecure
        word = Atomic(deadline &<< 2)
    }

    /// When the reaper ends the connection, or looks whether the client takes the response.
    var deadline: Int64 { word.load(ordering: .relaxed) &>> 2 }
    var isBusy: Bool { word.load(ordering: .relaxed) & Self.request != 0 }

    /// Notes that no request is in progress, and that the header of one must have arrived by the deadline.
    ///
    /// This and the following three are called on the connection's own thread, or by whoever wakes it while it sleeps, so
    /// no two of them run at once.
    func wait(until deadline: Int64) { word.store(deadline &<< 2, ordering: .relaxed) }

    /// Notes that a request is in progress; the deadline stays.
    func beginWork() { word.store(word.load(ordering: .relaxed) | Self.request, ordering: .relaxed) }

    /// Notes that a request is in progress, and must be done by the deadline.
    func work(until deadline: Int64) { word.store(deadline &<< 2 | Self.request, ordering: .relaxed) }

    /// Notes that a response is on its way, and that its client must go on taking it.
    ///
    /// - Parameter patience: how long the client may take nothing, in milliseconds.
    func send(at now: Int64, patience: Int64) {
        progress.store(now, ordering: .relaxed)
        word.store(Self.word(checkedAt: now + patience / Self.checks), ordering: .relaxed)
    }

    /// How often the reaper looks in the time that a client may take nothing.
    private static let checks: Int64 = 8

    private static func word(checkedAt time: Int64) -> Int64 { time &<< 2 | request | response }

    /// Ends the connection if its deadline has passed, unless its client has taken some of the response.
    ///
    /// Called by the reaper alone.
    func endIfLate(at now: Int64, patience: Int64) {
        let seen = word.load(ordering: .relaxed)
        guard seen &>> 2 < now else { return }
        guard seen & Self.response != 0 else { return end(at: now) }
        let taken = SocketCounts.taken(by: descriptor)
        if self.taken.exchange(taken, ordering: .relaxed) != taken {
            progress.store(now, ordering: .relaxed)
        } else if now - progress.load(ordering: .relaxed) >= patience {
            return cut()
        }
        // Unless the response has ended meanwhile.
        _ = word.compareExchange(
            expected: seen, desired: Self.word(checkedAt: now + patience / Self.checks), ordering: .relaxed)
    }

    /// Makes the system end the connection if the client accepts no data for a time, and limits its send buffer.
    ///
    /// The buffer is small, so that the kernel keeps little for a client that reads slowly (tcp(7), TCP_USER_TIMEOUT).
    func limitUnread(milliseconds: Int64) {
        var time = UInt32(clamping: milliseconds)
        var size = ConnectionState.unreadBytes
        let width = socklen_t(MemoryLayout<UInt32>.size)
        _ = unsafe setsockopt(descriptor, Int32(IPPROTO_TCP), TCP_USER_TIMEOUT, &time, width)
        _ = unsafe setsockopt(descriptor, SOL_SOCKET, SO_SNDBUF, &size, width)
    }

    private static let unreadBytes: Int32 = 64 << 10

    /// Whether data has arrived that has not been read.
    var hasUnread: Bool {
        var byte: UInt8 = 0
        return unsafe recv(descriptor, &byte, 1, Int32(MSG_DONTWAIT) | Int32(MSG_PEEK)) > 0
    }

    /// Whether the client has stopped sending, and everything that it sent has been read.
    var hasEnded: Bool {
        var byte: UInt8 = 0
        return unsafe recv(descriptor, &byte, 1, Int32(MSG_DONTWAIT) | Int32(MSG_PEEK)) == 0
    }

    /// Ends the connection, whose deadline has passed.
    ///
    /// The client of a TLS connection without a request is told that nothing was cut off (RFC 8446, section 6.1), as far as
    /// the library can still do it.
    func end(at now: Int64) {
        if isSecure, !isBusy, now < deadline + ConnectionState.goodbye { endReading() } else { cut() }
    }

    /// How long the library has for that, in milliseconds.
    private static let goodbye: Int64 = 2_000

    /// Ends both directions at once: the library sees the end and closes the connection.
    func cut() { _ = shutdown(descriptor, Int32(SHUT_RDWR)) }

    /// Ends the connection after what has arrived has been read.
    func endReading() { _ = shutdown(descriptor, Int32(SHUT_RD)) }
}

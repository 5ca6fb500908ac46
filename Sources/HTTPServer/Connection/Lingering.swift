import Glibc
import Locking

/// Sockets whose response has been sent while the client still sends: they are closed in stages (RFC 9112, section 9.6).
///
/// If they were closed at once, the unread bytes would make the system reset the connection, and the client would lose
/// the response that tells it to stop. So a second descriptor of the socket is kept here, and its input is discarded.
final class Lingering: Sendable {
    /// Descriptors, owned by this list, with the time at which they are closed in any case.
    private let open = Guarded<[(descriptor: Int32, until: Int64)]>([])

    static let milliseconds: Int64 = 2000
    /// The maximum number; beyond it, connections are closed at once.
    private let limit: Int

    init(limit: Int) { self.limit = limit }

    var isEmpty: Bool { open.withLock { $0.isEmpty } }

    /// Keeps a socket that the library is about to close; false if there are too many.
    func keep(_ descriptor: Int32, now: Int64) -> Bool {
        open.withLock { open in
            guard open.count < limit else { return false }
            let own = fcntl(descriptor, F_DUPFD_CLOEXEC, 0)
            guard own >= 0 else { return false }
            _ = shutdown(own, Int32(SHUT_WR))
            open.append((own, now + Lingering.milliseconds))
            return true
        }
    }

    /// Discards input, and closes the sockets whose client is done or whose time is over.
    func drain(at now: Int64) {
        open.withLock { open in
            open.removeAll { entry in
                guard entry.until <= now || Lingering.isDone(entry.descriptor) else { return false }
                close(entry.descriptor)
                return true
            }
        }
    }

    private static func isDone(_ descriptor: Int32) -> Bool {
        unsafe withUnsafeTemporaryAllocation(byteCount: 64 << 10, alignment: 1) { buffer in
            for _ in 0..<16 {
                let count = unsafe recv(descriptor, buffer.baseAddress, buffer.count, Int32(MSG_DONTWAIT))
                if count == 0 { return true }
                if count < 0 { return errno != EAGAIN && errno != EINTR }
            }
            return false
        }
    }
}

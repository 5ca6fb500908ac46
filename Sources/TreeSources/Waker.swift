internal import Glibc

/// Wakes a thread that waits in `poll`, from any other thread: a socket pair that
/// contains a byte while a wake-up is pending.
///
/// An eventfd would need one descriptor instead of two, but Swift's `Glibc` provides neither it nor `pipe2`.
public final class Waker: Sendable {
    /// The descriptor that the waiting thread polls.
    let descriptor: Int32
    private let entrance: Int32

    /// - Parameter source: the source to be watched, named in the error.
    /// - Throws: `SourceError` if the system has no descriptors left (`socketpair`).
    public init(for source: String) throws(SourceError) {
        var ends: [Int32] = [-1, -1]
        let kind = Int32(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue | SOCK_NONBLOCK.rawValue)
        guard unsafe socketpair(AF_UNIX, kind, 0, &ends) == 0 else {
            throw SourceError(source, "it cannot be watched, because socketpair failed: \(SystemReason.text(errno))")
        }
        descriptor = ends[0]
        entrance = ends[1]
    }

    deinit {
        _ = close(descriptor)
        _ = close(entrance)
    }

    /// Wakes the thread now, or as soon as it waits.
    public func wake() {
        // A full buffer also wakes the thread, so a failed write is harmless.
        var byte: UInt8 = 1
        _ = unsafe write(entrance, &byte, 1)
    }

    /// Clears pending wake-ups; true if there were any.
    func reset() -> Bool {
        var bytes: UInt64 = 0
        var wasWoken = false
        while unsafe read(descriptor, &bytes, 8) > 0 { wasWoken = true }
        return wasWoken
    }

    /// Waits until it is woken, without a time limit.
    public func wait() {
        while !reset() {
            var entry = pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0)
            _ = unsafe poll(&entry, 1, -1)
        }
    }
}

internal import CEpoll
internal import Glibc
internal import Synchronization

/// Wakes a thread that waits, from any other: the one owner of an eventfd(2).
///
/// A signal that comes before the thread waits is kept, and several are as one.
public final class Wakeup: Sendable {
    /// Readable while there is a signal, for a thread that polls other descriptors beside this.
    public let descriptor: Int32
    /// Whether there is a signal that was not yet looked at: a further one needs no call of the system.
    private let isSignalled = Atomic(false)

    /// - Throws: `SystemCallError` if the system has no descriptor left (`eventfd(2)`).
    public init() throws(SystemCallError) {
        descriptor = eventfd(0, Int32(EFD_CLOEXEC | EFD_NONBLOCK))
        guard descriptor >= 0 else { throw SystemCallError("eventfd", code: errno) }
    }

    deinit { _ = close(descriptor) }

    /// Wakes the thread that waits, or the next that will.
    public func signal() {
        if !isSignalled.exchange(true, ordering: .acquiringAndReleasing) { _ = eventfd_write(descriptor, 1) }
    }

    /// Notes that the thread looks at what the signals up to now have announced, so that the next one is a new event; for
    /// those who wait for edges (`EPOLLET`).
    public func rearm() { _ = isSignalled.exchange(false, ordering: .acquiringAndReleasing) }

    /// Forgets the signals up to now; returns whether there were any.
    public func reset() -> Bool {
        var count: eventfd_t = 0
        // Read first: a signal between the two is part of what is looked at next, and must not be read without a trace.
        defer { rearm() }
        return unsafe eventfd_read(descriptor, &count) == 0
    }

    /// Waits for a signal, and forgets it.
    ///
    /// - Parameter milliseconds: when to give up, or a little earlier; nil for never.
    public func wait(milliseconds: Int64? = nil) {
        let time = milliseconds.map { Int32(clamping: max($0, 0)) } ?? -1
        repeat {
            var entry = pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0)
            _ = unsafe poll(&entry, 1, time)
        } while !reset() && milliseconds == nil
    }
}

import CEpoll
import Glibc

/// Lets one thread wait for another, or for a time to pass: the one owner of an eventfd(2).
struct Wakeup: ~Copyable, Sendable {
    private let descriptor: Int32

    init() throws(ServerError) {
        descriptor = eventfd(0, Int32(EFD_CLOEXEC | EFD_NONBLOCK))
        guard descriptor >= 0 else { throw .system("eventfd", errno: errno) }
    }

    deinit { close(descriptor) }

    /// Wakes the thread that waits, or the next that will.
    func signal() { _ = eventfd_write(descriptor, 1) }

    /// Returns at a signal, or after this many milliseconds; without a number, at a signal only.
    func wait(milliseconds: Int64?) {
        var entry = pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0)
        let time = milliseconds.map { Int32(clamping: max($0, 0)) } ?? -1
        guard unsafe poll(&entry, 1, time) > 0 else { return }
        var count: eventfd_t = 0
        _ = unsafe eventfd_read(descriptor, &count)
    }
}

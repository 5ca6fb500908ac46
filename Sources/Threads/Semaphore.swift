internal import Glibc

/// Counts signals that a thread waits for (`sem_overview(7)`); needs no descriptor, and no call of the system if nobody
/// has to be woken or to wait.
@safe
public final class Semaphore: Sendable {
    /// Only passed to functions that any number of threads may call at once.
    private nonisolated(unsafe) let counter: UnsafeMutablePointer<sem_t>

    /// Creates a semaphore without signals.
    public init() {
        unsafe counter = .allocate(capacity: 1)
        unsafe counter.initialize(to: sem_t())
        unsafe sem_init(counter, 0, 0)
    }

    deinit {
        unsafe sem_destroy(counter)
        unsafe counter.deallocate()
    }

    /// Adds a signal, and wakes a thread that waits for it.
    public func signal() { unsafe sem_post(counter) }

    /// Waits for a signal, and takes it.
    public func wait() {
        // A signal handler of the process ends the wait early.
        while unsafe sem_wait(counter) != 0 {}
    }
}

import Glibc

/// Lets a responder wait for a test, and a test for a responder: each opening lets one pass.
///
/// Sendable, since `sem_t` is made for threads and its address never changes.
@safe
final class Gate: @unchecked Sendable {
    private let semaphore = UnsafeMutablePointer<sem_t>.allocate(capacity: 1)
    init() { unsafe sem_init(semaphore, 0, 0) }
    deinit { unsafe semaphore.deallocate() }
    func open() { unsafe sem_post(semaphore) }

    /// A test that waits for what never comes must fail, not hang.
    struct NeverOpened: Error {}

    func pass() throws {
        var end = timespec()
        _ = unsafe clock_gettime(CLOCK_REALTIME, &end)
        end.tv_sec += 60
        while unsafe sem_timedwait(semaphore, &end) != 0 {
            if errno != EINTR { throw NeverOpened() }
        }
    }
}

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
    func pass() { while unsafe sem_wait(semaphore) != 0 {} }
}

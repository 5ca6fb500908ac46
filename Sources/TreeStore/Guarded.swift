internal import Glibc

/// A value that one thread at a time may touch.
///
/// The standard library's `Mutex` would do, but for one thing: when threads meet in it, they settle it in a library
/// that the thread sanitizer cannot look into, and so it reports races where there are none. It knows pthread's.
///
/// Sendable although unchecked, since `value` is touched within `withLock` alone, and is Sendable itself.
@safe
final class Guarded<Value: Sendable>: @unchecked Sendable {
    private let lock: UnsafeMutablePointer<pthread_mutex_t>
    private var value: Value

    init(_ value: Value) {
        self.value = value
        unsafe lock = .allocate(capacity: 1)
        unsafe lock.initialize(to: pthread_mutex_t())
        unsafe pthread_mutex_init(lock, nil)
    }

    deinit {
        unsafe pthread_mutex_destroy(lock)
        unsafe lock.deallocate()
    }

    /// Runs a closure that may read and change the value, while no other thread does.
    func withLock<Output>(_ body: (inout Value) -> Output) -> Output {
        unsafe pthread_mutex_lock(lock)
        defer { unsafe pthread_mutex_unlock(lock) }
        return body(&value)
    }
}

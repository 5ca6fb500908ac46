public import Glibc

/// A value that one thread at a time may touch.
///
/// The standard library's `Mutex` would do, but for one thing: when threads meet in it, they settle it in a library
/// that the thread sanitizer cannot look into, and so it reports races where there are none. It knows pthread's.
///
/// Sendable although unchecked, since the value comes from nowhere else (`sending`), is touched within
/// `withLock` alone, and what leaves that is `sending` too.
@safe
public final class Guarded<Value: ~Copyable>: @unchecked Sendable {
    @usableFromInline let lock: UnsafeMutablePointer<pthread_mutex_t>
    @usableFromInline let value: UnsafeMutablePointer<Value>

    public init(_ value: consuming sending Value) {
        unsafe self.value = .allocate(capacity: 1)
        unsafe self.value.initialize(to: value)
        unsafe lock = .allocate(capacity: 1)
        unsafe lock.initialize(to: pthread_mutex_t())
        unsafe pthread_mutex_init(lock, nil)
    }

    deinit {
        unsafe pthread_mutex_destroy(lock)
        unsafe lock.deallocate()
        unsafe value.deinitialize(count: 1)
        unsafe value.deallocate()
    }

    /// Runs a closure that may read and change the value, while no other thread does; not to be called within itself.
    @inlinable
    public func withLock<Output: ~Copyable, Failure: Error>(
        _ body: (inout sending Value) throws(Failure) -> sending Output
    ) throws(Failure) -> sending Output {
        unsafe pthread_mutex_lock(lock)
        defer { unsafe pthread_mutex_unlock(lock) }
        return try unsafe body(&value.pointee)
    }
}

public import Glibc

/// A value that only one thread at a time can access.
///
/// The thread sanitizer of Swift 6.3.1 does not instrument the contended path of the standard library's `Mutex`. It
/// reports false races within the lock, and false races of objects that are handed over under the lock. A suppression
/// would hide true races. The sanitizer knows pthread's mutexes, so this type uses one.
///
/// Unchecked Sendable: `sending` ensures that nothing else refers to the value. Only `withLock` accesses the value, and
/// the results of `withLock` are `sending`, too.
@safe
public final class Guarded<Value: ~Copyable>: @unchecked Sendable {
    @usableFromInline let lock: UnsafeMutablePointer<pthread_mutex_t>
    @usableFromInline let value: UnsafeMutablePointer<Value>

    /// - Parameter value: the initial value, which nothing else refers to.
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

    /// Runs a closure with exclusive access to the value. A call from within the closure would block forever.
    @inlinable
    public func withLock<Output: ~Copyable, Failure: Error>(
        _ body: (inout sending Value) throws(Failure) -> sending Output
    ) throws(Failure) -> sending Output {
        unsafe pthread_mutex_lock(lock)
        defer { unsafe pthread_mutex_unlock(lock) }
        return try unsafe body(&value.pointee)
    }
}

import Foundation

/// A value that several threads share, behind a lock.
///
/// `Mutex` needs newer systems than this library supports.
final class Guarded<Value: Sendable>: @unchecked Sendable {
    // Sendable holds because every access to the value is within the lock.
    private let lock = NSLock()
    private var value: Value

    init(_ value: Value) { self.value = value }

    /// Runs a body with exclusive access to the value; the body must not wait.
    func withLock<Outcome, Failure: Error>(_ body: (inout Value) throws(Failure) -> Outcome) throws(Failure) -> Outcome
    {
        lock.lock()
        defer { lock.unlock() }
        return try body(&value)
    }
}

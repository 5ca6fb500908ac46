internal import Locking

/// One value that a thread gives to another, which waits for it.
public final class Handover<Value: Sendable>: Sendable {
    private let value = Guarded<Value?>(nil)
    private let wakeup: Wakeup

    /// - Throws: `SystemCallError` if the system has no descriptor left (`eventfd(2)`).
    public init() throws(SystemCallError) { wakeup = try Wakeup() }

    /// Hands over the value; does not wait for the other thread.
    public func give(_ given: Value) {
        value.withLock { $0 = given }
        wakeup.signal()
    }

    /// Waits for the value; for one thread, once.
    public func take() -> Value {
        while true {
            wakeup.wait()
            if let taken = value.withLock({ $0 }) { return taken }
        }
    }
}

import Locking
internal import TreeSources

/// Passes one value from one thread to another that waits for it.
final class Handover<Value: Sendable>: Sendable {
    private let value = Guarded<Value?>(nil)
    private let waker: Waker

    init(for source: String) throws(SourceError) { waker = try Waker(for: source) }

    func give(_ given: Value) {
        value.withLock { $0 = given }
        waker.wake()
    }

    /// Waits for the value.
    func take() -> Value {
        while true {
            waker.wait()
            if let taken = value.withLock({ $0 }) { return taken }
        }
    }
}

import Locking

/// Collects the notifications of owners, and lets a test wait for them.
final class Ends<End: Sendable & Equatable>: Sendable {
    private let told = Guarded<[End]>([])
    private let gate = Gate()

    func append(_ end: End) {
        told.withLock { $0.append(end) }
        gate.open()
    }

    /// Waits for the next notification.
    func next() throws { try gate.pass() }

    var all: [End] { told.withLock { $0 } }
}

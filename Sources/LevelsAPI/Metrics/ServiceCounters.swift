public import HTTPServer
import Locking
public import TreeStore

/// What `/metrics` counts that is not known elsewhere: the server's requests, and the events of the store.
public final class ServiceCounters: Sendable {
    /// The counters for the server's configuration.
    public let server = ServerCounters(routes: Endpoint.all.count + 1)
    /// The version of the program.
    let version: String
    private let store = Guarded(StoreTotals())

    /// - Parameter version: the version of the program.
    public init(version: String = "0") { self.version = version }

    /// Counts an event of the store.
    public func note(_ event: StoreEvent) { note(event, at: UnixTime.now) }

    func note(_ event: StoreEvent, at now: Double) { store.withLock { $0.note(event, at: now) } }

    /// What the store has done so far.
    var storeTotals: StoreTotals { store.withLock(\.self) }
}

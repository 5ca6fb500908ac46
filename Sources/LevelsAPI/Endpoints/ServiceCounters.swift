public import HTTPServer
import Locking
import TreeSources
public import TreeStore

/// The counters of `/metrics` that no other object keeps: the server's requests, and the events of the store.
public final class ServiceCounters: Sendable {
    /// The counters of the server, for the server's configuration.
    public let server = ServerCounters(routes: Endpoint.all.count + 1)
    /// The version of the program.
    let version: String
    private let store = Guarded(StoreTotals())

    /// - Parameter version: the version of the program.
    public init(version: String = "0") { self.version = version }

    /// Counts an event of the store.
    public func note(_ event: StoreEvent) { note(event, at: WallClock.now) }

    func note(_ event: StoreEvent, at now: Double) { store.withLock { $0.note(event, at: now) } }

    var storeTotals: StoreTotals { store.withLock(\.self) }
}

/// The work of a store since its start.
struct StoreTotals: Equatable {
    /// Loads that were published.
    var published = WorkTotal()
    /// Loads without a change.
    var unchanged = WorkTotal()
    var refused = WorkTotal()
    /// The time of the latest load that was published or unchanged, in seconds since 1970; 0 before the first one.
    var latestLoad = 0.0
    /// The time of the latest refusal, in seconds since 1970; 0 before the first one.
    var latestRefusal = 0.0
    /// Saves. One save can contain the edits of several requests.
    var saves = WorkTotal()
    var failedSaves = 0
    /// Requests that changed the document.
    var edits = 0
    /// The steps of these edits; the replacement of the whole document is one step.
    var editSteps = 0

    mutating func note(_ event: StoreEvent, at now: Double) {
        switch event {
        case .loaded(_, let took):
            published.note(took)
            latestLoad = now
        case .unchanged(_, let took):
            unchanged.note(took)
            latestLoad = now
        case .refused(_, let took):
            refused.note(took)
            latestRefusal = now
        case .edited(_, _, let steps, _):
            edits += 1
            editSteps += max(steps, 1)
        case .saved(_, let took): saves.note(took)
        case .notSaved: failedSaves += 1
        case .advanced, .recovered, .readOnly, .reading, .warnings: break
        }
    }
}

import Dispatch
import Foundation
import Levels
import Locking
import Testing
import TreeSources

@testable import TreeStore

/// The events of a store, and a way to wait for more.
final class Journal: Sendable {
    private let entries = Guarded<[StoreEvent]>([])
    private let arrivals = DispatchSemaphore(value: 0)

    /// To be called with each event.
    func note(_ event: StoreEvent) {
        entries.withLock { $0.append(event) }
        arrivals.signal()
    }

    var events: [StoreEvent] { entries.withLock { $0 } }

    /// Waits until something holds, asking anew after each event; false after twenty seconds without.
    func waits(until holds: () -> Bool) -> Bool {
        let limit = DispatchTime.now() + .seconds(120)
        while !holds() {
            guard arrivals.wait(timeout: limit) == .success else { return holds() }
        }
        return true
    }

    /// The sentences of the loads that were refused.
    var refusals: [String] {
        events.compactMap { if case .refused(let error, _) = $0 { error.description } else { nil } }
    }

    /// How often a source was found to be fine again.
    var recoveries: Int { events.count { if case .recovered = $0 { true } else { false } } }

    /// How often a source was read and found to be the same.
    var unchanged: Int { events.count { if case .unchanged = $0 { true } else { false } } }
}

extension StoreEvent {
    /// Such as `edited r-2 by alice: 1`.
    var words: String {
        switch self {
        case .loaded(let snapshot, _): "loaded \(snapshot.revision)"
        case .advanced(let snapshot): "advanced \(snapshot.revision)"
        case .unchanged(let snapshot, _): "unchanged \(snapshot.revision)"
        case .recovered(let snapshot): "recovered \(snapshot.revision)"
        case .refused(let error, _): "refused: \(error)"
        case .edited(let snapshot, let author, let edits, _):
            "edited \(snapshot.revision) by \(author ?? "nobody"): \(edits)"
        case .saved(let requests, _): "saved \(requests)"
        case .notSaved(_, let reason, let isUnknown): "not saved: \(reason)\(isUnknown ? ", perhaps saved" : "")"
        case .reading(let reading, _): reading
        case .readOnly(let refusal): "read-only: \(refusal)"
        case .warnings(let warnings, let omitted): "warnings \(warnings.count), \(omitted) omitted"
        }
    }
}

extension TreeStore {
    /// The titles of the first level.
    var titles: [String] {
        guard let level = current.document.child(0) else { return [] }
        return (0..<level.count).map(level.title)
    }

    /// Asks for a reload and waits for how it ended.
    func reloaded() -> ReloadOutcome {
        let outcome = Guarded<ReloadOutcome?>(nil)
        let done = DispatchSemaphore(value: 0)
        reload { told in
            outcome.withLock { $0 = told }
            done.signal()
        }
        done.wait()
        return outcome.withLock { $0 } ?? .stopped
    }

    var isStale: Bool { if case .stale = status { true } else { false } }
}

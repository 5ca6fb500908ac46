import Dispatch
import Levels
import Locking
import Threads
import TreeSources

/// How often a store's thread has gone to sleep, and whether it was to wake by itself.
final class Sleeps: Sendable {
    enum Kind { case limited, unlimited }

    private let kinds = Guarded<[Kind]>([])
    private let arrivals = DispatchSemaphore(value: 0)

    func note(_ kind: Kind) {
        kinds.withLock { $0.append(kind) }
        arrivals.signal()
    }

    /// Waits until something holds of all of them so far; false after twenty seconds without.
    func waits(until holds: ([Kind]) -> Bool) -> Bool {
        let limit = DispatchTime.now() + .seconds(20)
        while !holds(kinds.withLock { $0 }) {
            guard arrivals.wait(timeout: limit) == .success else { return holds(kinds.withLock { $0 }) }
        }
        return true
    }
}

/// A file as a source whose store is looked at while it sleeps, and which can be kept from reading it.
final class WatchedSource: TreeSource {
    private let file: PropertyListFile
    private let sleeps: Sleeps
    private let refusal = Guarded<SourceError?>(nil)

    init(_ file: PropertyListFile, sleeps: Sleeps = Sleeps()) {
        self.file = file
        self.sleeps = sleeps
    }

    /// Refuses all loads from now on; nil lets them be again.
    func refuse(with error: SourceError?) { refusal.withLock { $0 = error } }

    var name: String { file.name }
    var retryInterval: Duration? { file.retryInterval }

    func load(replacing old: Level?) throws(SourceError) -> LoadedTree {
        if let error = refusal.withLock({ $0 }) { throw error }
        return try file.load(replacing: old)
    }

    func makeWatcher() -> any SourceWatcher {
        Watcher(self, file.makeWatcher(), sleeps)
    }

    private final class Watcher: SourceWatcher {
        private let source: WatchedSource
        private let watcher: any SourceWatcher
        private let sleeps: Sleeps

        init(_ source: WatchedSource, _ watcher: any SourceWatcher, _ sleeps: Sleeps) {
            self.source = source
            self.watcher = watcher
            self.sleeps = sleeps
        }

        func refresh() -> Bool { watcher.refresh() }
        func load(replacing old: Level?) throws(SourceError) -> LoadedTree { try source.load(replacing: old) }

        var fingerprint: Fingerprint? { watcher.fingerprint }
        func savability(at path: ItemPath) -> Savability { watcher.savability(at: path) }

        /// The store's own deadlines are in the set by now.
        func addWaits(to waits: inout WaitSet) {
            sleeps.note(waits.deadline == nil ? .unlimited : .limited)
            watcher.addWaits(to: &waits)
        }

        func advance(at now: ContinuousClock.Instant) -> SourceReport? { watcher.advance(at: now) }
    }
}

import Dispatch
import Levels
import Locking
import Threads
import TreeSources

/// The sleeps of a store's thread: after which time each was to end by itself, at the latest.
final class Sleeps: Sendable {
    private let limits = Guarded<[Duration?]>([])
    private let arrivals = DispatchSemaphore(value: 0)

    func note(until deadline: ContinuousClock.Instant?) {
        limits.withLock { $0.append(deadline.map { ContinuousClock.now.duration(to: $0) }) }
        arrivals.signal()
    }

    /// Waits until something holds of all of them so far; false after twenty seconds without.
    func waits(until holds: ([Duration?]) -> Bool) -> Bool {
        let limit = DispatchTime.now() + .seconds(120)
        while !holds(limits.withLock { $0 }) {
            guard arrivals.wait(timeout: limit) == .success else { return holds(limits.withLock { $0 }) }
        }
        return true
    }

    /// Waits for a sleep without a limit after one that had a limit.
    func waitsForUnlimited() -> Bool { waits { $0.contains { $0 != nil } && $0.last == .some(nil) } }
}

/// A file as a source whose store is looked at while it sleeps, and which can be kept from reading it.
final class WatchedSource: TreeSource {
    private let file: PropertyListFile
    private let sleeps: Sleeps
    private let refusal = Guarded<SourceError?>(nil)
    private let isBeingWritten = Guarded(false)
    /// Whether the file seems to have changed since each load.
    private let isDoubtful: Bool

    init(_ file: PropertyListFile, sleeps: Sleeps = Sleeps(), isDoubtful: Bool = false) {
        self.file = file
        self.sleeps = sleeps
        self.isDoubtful = isDoubtful
    }

    /// Refuses all loads from now on; nil lets them be again.
    func refuse(with error: SourceError?) { refusal.withLock { $0 = error } }

    /// Has another program write the file, until it is asked for the first time; the file can be loaded then.
    func beginWriting() { isBeingWritten.withLock { $0 = true } }

    fileprivate func takeWriting() -> Bool {
        refuse(with: nil)
        return isBeingWritten.withLock { isBeingWritten in
            defer { isBeingWritten = false }
            return isBeingWritten
        }
    }

    var name: String { file.name }
    var retryInterval: Duration? { file.retryInterval }

    func load(replacing old: Level?) throws(SourceError) -> LoadedTree { try file.load(replacing: old) }

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

        func load(replacing old: Level?) throws(SourceError) -> LoadedTree {
            if let error = source.refusal.withLock({ $0 }) { throw error }
            return try watcher.load(replacing: old)
        }

        var fingerprint: Fingerprint? { source.isDoubtful ? nil : watcher.fingerprint }
        func savability(at path: ItemPath) -> Savability { watcher.savability(at: path) }
        var isBeingWritten: Bool { source.takeWriting() }
        func beginEdits() throws(EditRefusal) -> any EditGroup { try watcher.beginEdits() }

        /// The store's own deadlines are in the set by now.
        func addWaits(to waits: inout WaitSet) {
            sleeps.note(until: waits.deadline)
            watcher.addWaits(to: &waits)
        }

        func advance(at now: ContinuousClock.Instant) -> SourceReport? { watcher.advance(at: now) }
    }
}

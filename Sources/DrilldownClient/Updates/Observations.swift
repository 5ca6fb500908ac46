/// A level or a detail that can be observed.
protocol Observed: Sendable {
    associatedtype Content: Sendable

    /// The target of its requests without what depends on a known state.
    var link: String { get }
    /// Whether a change of the document may concern it.
    func isConcerned(by changes: ChangesAnswer) -> Bool
    func poller(_ transport: Transport) -> any Poller<Content>
}

/// Reads one level or detail again and again.
protocol Poller<Content>: Sendable {
    associatedtype Content: Sendable

    /// The next state; nil if it is still the same.
    ///
    /// - Parameters:
    ///   - wait: how many seconds the server may wait for a change; 0 to answer at once.
    ///   - session: the session that sends the requests; nil for the shared one.
    mutating func next(wait: Int, over session: RenewedSession?) async throws -> Content?

    /// Whether each change of the document costs a request, even if it concerns others.
    var isWide: Bool { get }
    /// Takes the last known state from a cache, and gives it.
    mutating func restore(from cache: LevelCache) async -> Content?
    /// Keeps the present state in a cache; forgets it if it is gone.
    func keep(in cache: LevelCache, isGone: Bool)
}

extension Poller {
    var isWide: Bool { false }
    mutating func restore(from cache: LevelCache) async -> Content? { nil }
    func keep(in cache: LevelCache, isGone: Bool) {}
}

/// The levels and details of one server that are being observed.
///
/// The first observer of each starts the requests for it, and the last one that leaves ends them. A single target is
/// requested with a wait. From the second target on, one request waits for changes of the document, and the targets that
/// a change concerns are read.
final class Observations: Sendable {
    let transport: Transport
    /// The last known levels; nil without a folder for them.
    let cache: LevelCache?
    /// The waiting times after failures.
    let backoff = Guarded(Backoff())
    let changes: ChangeFollower
    /// The connections for the reads after a change. The request that waits for changes has a third one.
    let readers = RenewedSession(connections: 2)
    private let state = Guarded(State())

    private struct State {
        var entries: [String: Entry] = [:]
        /// Whether one request waits for all.
        var isShared = false
    }

    private struct Entry {
        let observed: any AnyObject & Sendable
        var observers: Int
        let task: Task<Void, Never>
        /// The connection on which this one alone waits.
        var session: RenewedSession?
    }

    init(_ transport: Transport) {
        self.transport = transport
        cache = LevelCache(transport.configuration)
        changes = ChangeFollower(transport)
    }

    var count: Int { state.withLock(\.entries.count) }

    func join<Target: Observed>(_ target: Target) -> Observer<Target.Content> {
        let observed = state.withLock { state in
            if let observed = state.entries[target.link]?.observed as? ObservedState<Target.Content> {
                state.entries[target.link]?.observers += 1
                return observed
            }
            let observed = ObservedState<Target.Content>()
            let follower = Follower(observations: self, target: target, observed: observed)
            changes.add(observed, target: target)
            state.entries[target.link] = Entry(observed: observed, observers: 1, task: Task { await follower.run() })
            if state.entries.count > 1 { share(&state) }
            return observed
        }
        return Observer(state: observed) { [weak self] in self?.leave(target, observed: observed) }
    }

    private func leave<Content>(_ target: some Observed, observed: ObservedState<Content>) {
        state.withLock { state in
            guard let entry = state.entries[target.link], entry.observed === observed else { return }
            state.entries[target.link]?.observers -= 1
            guard entry.observers == 1 else { return }
            entry.task.cancel()
            forget(target, state: &state)
        }
    }

    /// Forgets what has ended, so that the next observer begins anew.
    func remove<Content>(_ target: some Observed, observed: ObservedState<Content>) {
        state.withLock { state in
            if state.entries[target.link]?.observed === observed { forget(target, state: &state) }
        }
    }

    private func forget(_ target: some Observed, state: inout State) {
        if let observed = state.entries.removeValue(forKey: target.link)?.observed { changes.remove(observed) }
        guard state.entries.isEmpty else { return }
        state.isShared = false
        changes.stop()
        readers.close(cancelling: false)
        transport.closeIdleConnections()
    }
}

// Who waits for changes.
extension Observations {
    /// The connection on which a target waits alone; nil if one request waits for all targets.
    func ownSession(of target: some Observed) -> RenewedSession? {
        state.withLock { state in
            if state.isShared { return nil }
            let session = state.entries[target.link]?.session ?? RenewedSession(connections: 1)
            state.entries[target.link]?.session = session
            return session
        }
    }

    private func share(_ state: inout State) {
        guard !state.isShared else { return }
        state.isShared = true
        for link in state.entries.keys {
            state.entries[link]?.session?.end()
            state.entries[link]?.session = nil
        }
        changes.start(backoff.withLock { $0 }) { [weak self] in self?.unshare() }
    }

    /// Lets each wait alone, because something refuses the requests for changes; until another is observed.
    private func unshare() { state.withLock { $0.isShared = false } }

    /// Ends all pauses and waits, and asks again.
    func retryNow() {
        transport.pauses.end()
        changes.retry()
        state.withLock { state in
            for entry in state.entries.values { entry.session?.close(cancelling: true) }
        }
    }
}

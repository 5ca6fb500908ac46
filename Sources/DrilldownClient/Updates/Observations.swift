/// A level or a detail that can be observed.
protocol Observed: Sendable {
    associatedtype Content: Sendable

    /// The target of its requests, without the parameters for a known state; it identifies the level or the detail.
    var link: String { get }
    /// Returns whether changes of the document may concern it.
    func isConcerned(by changes: ChangesAnswer) -> Bool
    func poller(_ transport: Transport) -> any Poller<Content>
}

/// A poller, which reads one level or detail again and again.
protocol Poller<Content>: Sendable {
    associatedtype Content: Sendable

    /// Requests the next state; returns nil if it has not changed.
    ///
    /// - Parameters:
    ///   - wait: the number of seconds that the server may wait for a change; 0 to answer at once.
    ///   - session: the session that sends the requests; nil for the shared one.
    mutating func next(wait: Int, over session: RenewedSession?) async throws -> Content?

    /// Whether each change of the document causes a request, even if it concerns other levels.
    var isWide: Bool { get }
    /// Takes the last known state from a cache, and returns it; nil if the cache does not have it.
    mutating func restore(from cache: LevelCache) async -> Content?
    /// Keeps the current state in a cache, or removes it from the cache if the item does not exist any more.
    func keep(in cache: LevelCache, isGone: Bool)
}

extension Poller {
    var isWide: Bool { false }
    mutating func restore(from cache: LevelCache) async -> Content? { nil }
    func keep(in cache: LevelCache, isGone: Bool) {}
}

/// The levels and details of one server that are being observed.
///
/// The first observer of a target starts its requests, and the last observer that leaves ends them. A single target is
/// requested with a wait. From the second target on, one request waits for changes of the document, and the targets
/// that a change concerns are read.
final class Observations: Sendable {
    let transport: Transport
    /// The cache of the last known levels; nil without a cache folder.
    let cache: LevelCache?
    /// The waiting times after failures.
    let backoff = Guarded(Backoff())
    let changes: ChangeFollower
    /// The session of the reads after a change. The request that waits for changes has another connection.
    let readers = RenewedSession(connections: 2)
    private let state = Guarded(State())

    private struct State {
        var entries: [String: Entry] = [:]
        /// Whether one request waits for changes of all targets.
        var isShared = false
    }

    private struct Entry {
        let observed: any AnyObject & Sendable
        var observers: Int
        let task: Task<Void, Never>
        /// The session of the target's own waiting requests; nil if one request waits for all targets.
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

    /// Removes a target whose observation has ended, so that the next observer starts its requests again.
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

// The choice between own waiting requests and one request for all targets.
extension Observations {
    /// Returns the session on which a target waits alone; nil if one request waits for all targets.
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

    /// Lets each target wait alone, because the requests for changes are refused, until another target is observed.
    private func unshare() { state.withLock { $0.isShared = false } }

    /// Ends all pauses and waiting requests, so that all targets are requested again.
    func retryNow() {
        transport.pauses.end()
        changes.retry()
        state.withLock { state in
            for entry in state.entries.values { entry.session?.close(cancelling: true) }
        }
    }
}

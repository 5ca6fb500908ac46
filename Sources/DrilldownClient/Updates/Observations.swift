/// A level or a detail that can be observed.
protocol Observed: Sendable {
    associatedtype Content: Sendable

    /// The link of the level or the detail, which identifies it.
    var link: String { get }
    /// Returns whether changes of the document may concern the level or the detail.
    func isConcerned(by changes: ChangesAnswer) -> Bool
    func poller(_ transport: Transport) -> any Poller<Content>
}

/// A poller, which reads one level or detail again and again.
protocol Poller<Content>: Sendable {
    associatedtype Content: Sendable

    /// Requests the next state; returns nil if the state has not changed.
    ///
    /// - Parameters:
    ///   - wait: how long the server may wait for a change. The first answer never waits.
    ///   - session: the session that sends the requests; nil for the session that most requests share.
    mutating func next(_ wait: FollowWait, over session: RenewedSession?) async throws -> Content?

    /// The link to get next, which the latest answer has named.
    var follow: String? { get }
    /// Forgets that link, so that the next request has no known version.
    mutating func beginAnew()
    /// Whether a state takes several requests, none of which can wait for a change.
    var isWide: Bool { get }
    /// Takes the last known state from a cache and returns it; returns nil if the cache lacks a state.
    mutating func restore(from cache: CopyCache) async -> Content?
    /// Puts the current state into a cache. If `isGone`, the item does not exist any more, and its state is removed.
    func keep(in cache: CopyCache, isGone: Bool)
}

extension Poller {
    var isWide: Bool { false }
}

/// The observed levels and details of one server.
///
/// The first observer of a target starts the requests for the target, and the last observer that leaves ends them. If
/// only one target is observed, its own requests wait for changes. As soon as a second target or a level of several
/// pages is observed, one request waits for all changes of the document, and the targets that a change concerns are read
/// again.
final class Observations: Sendable {
    let transport: Transport
    /// The cache of the last known levels and details; nil without a cache folder.
    let cache: CopyCache?
    /// The waiting times after failures.
    let backoff: Guarded<Backoff>
    let changes: ChangeFollower
    /// The session that reads targets after a change. The request that waits for changes has its own connection.
    let readers: RenewedSession
    private let state = Guarded(State())

    private struct State {
        var entries: [String: Entry] = [:]
        /// Whether one request waits for the changes of all targets.
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
        backoff = Guarded(Backoff(retry: transport.configuration.retry))
        readers = RenewedSession(connections: 2, transport.configuration)
        cache = CopyCache(transport.configuration)
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

    /// Removes a target whose observation has ended, so that the next observer starts the requests again.
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

// The choice between a waiting request for each target and one waiting request for all targets.
extension Observations {
    /// Returns the session for a target's own waiting requests; nil if one request waits for all targets.
    func ownSession(of target: some Observed) -> RenewedSession? {
        state.withLock { state in
            if state.isShared { return nil }
            let session = state.entries[target.link]?.session ?? RenewedSession(connections: 1, transport.configuration)
            state.entries[target.link]?.session = session
            return session
        }
    }

    /// Lets one request wait for the changes of all targets.
    func share() { state.withLock { share(&$0) } }

    private func share(_ state: inout State) {
        guard !state.isShared, !state.entries.isEmpty else { return }
        state.isShared = true
        for link in state.entries.keys {
            state.entries[link]?.session?.end()
            state.entries[link]?.session = nil
        }
        changes.start(backoff.withLock { $0 }) { [weak self] in self?.unshare() }
    }

    /// Lets each target wait with its own requests, because the requests for changes are refused. This ends when
    /// another target, or a level of several pages, is observed.
    private func unshare() { state.withLock { $0.isShared = false } }

    /// Ends all pauses and waiting requests, and sends them again.
    func retryNow() {
        transport.pauses.endAll()
        changes.retry()
        state.withLock { state in
            for entry in state.entries.values { entry.session?.close(cancelling: true) }
        }
    }
}

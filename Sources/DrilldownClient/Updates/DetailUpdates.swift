/// A sequence of the states of a detail: the current state, then the state after each change.
///
/// For interruptions, the end of the sequence and slow observers, see ``LevelUpdates``.
public struct DetailUpdates: AsyncSequence, Sendable {
    /// A state of the detail.
    public typealias Element = DetailUpdate

    let observations: Observations
    let target: DetailTarget

    /// Begins to observe.
    public func makeAsyncIterator() -> Iterator {
        Iterator(observer: ObserverIterator(observations: observations, target: target))
    }

    /// An observer of a detail; the observation ends when the iterator is released.
    public struct Iterator: AsyncIteratorProtocol, Sendable {
        fileprivate var observer: ObserverIterator<DetailTarget>

        /// Waits for a state that this observer has not seen.
        ///
        /// - Returns: the newest state; nil if the task was cancelled.
        /// - Throws: the `Problem` with which the server refuses the detail.
        public mutating func next() async throws -> DetailUpdate? { try await next(isolation: nil) }

        /// Waits on the actor of the caller, like `next()`.
        public mutating func next(isolation actor: isolated (any Actor)?) async throws -> DetailUpdate? {
            guard let newest = try await observer.next()?.newest else { return nil }
            return DetailUpdate(
                detail: newest.content, isFromCache: newest.isFromCache, interruption: newest.interruption)
        }
    }
}

/// A state of an observed detail.
public struct DetailUpdate: Sendable, Hashable {
    /// The detail; nil as long as no state of the detail is known, because the server cannot be reached.
    public let detail: Detail?
    /// Whether the detail comes from the cache folder. If true, another update follows when the server answers.
    public let isFromCache: Bool
    /// The reason why the detail may be out of date; nil while the server can be reached. The observation continues
    /// during an interruption.
    public let interruption: Problem?

    /// Creates an update with these values.
    public init(detail: Detail?, isFromCache: Bool = false, interruption: Problem? = nil) {
        self.detail = detail
        self.isFromCache = isFromCache
        self.interruption = interruption
    }

    /// Whether the detail is the server's current detail, as far as the client knows.
    public var isCurrent: Bool { detail != nil && !isFromCache && interruption == nil }
}

/// A detail to observe.
struct DetailTarget: Observed {
    var path: ItemPath

    var link: String { path.detailLink }

    func isConcerned(by changes: ChangesAnswer) -> Bool {
        // A change of the level above may change the position and the neighbours of the item.
        changes.isTruncated || changes.details.contains { ItemPath(href: $0) == path }
            || changes.levels.contains { ItemPath(href: $0) == path.parent }
    }

    func poller(_ transport: Transport) -> any Poller<Detail> { DetailPoller(transport: transport, path: path) }
}

/// The poller of one detail.
private struct DetailPoller: Poller {
    let transport: Transport
    let path: ItemPath
    private var copy: DetailCopy?

    init(transport: Transport, path: ItemPath) { (self.transport, self.path) = (transport, path) }

    mutating func next(_ wait: FollowWait, over session: RenewedSession?) async throws -> Detail? {
        try path.check()
        let answer = try await transport.answer(
            after: follow, beginningWith: path.detailLink, wait: wait, over: session)
        let (detail, follow) = try transport.read(answer, as: DetailReader.answer)
        guard let follow else { throw Problem.notFollowed(path.detailLink, by: transport.address) }
        defer { copy = DetailCopy(detail: detail, follow: follow) }
        return detail == copy?.detail ? nil : detail
    }

    var follow: String? { copy?.follow }

    mutating func beginAnew() { copy?.follow = nil }

    mutating func restore(from cache: CopyCache) async -> Detail? {
        copy = await cache.copy(of: path.detailLink)
        if copy == nil { copy = await cache.detail(at: path) }
        return copy?.detail
    }

    func keep(in cache: CopyCache, isGone: Bool) { cache.keep(isGone ? nil : copy, of: path.detailLink) }
}

/// The states of a detail, one after the other: the current one, then each change; see ``LevelUpdates``.
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
    public struct Iterator: AsyncIteratorProtocol {
        fileprivate var observer: ObserverIterator<DetailTarget>

        /// Waits for a state that this observer has not seen.
        ///
        /// - Returns: nil if the task was cancelled.
        /// - Throws: the `Problem` with which the server refuses the detail.
        public mutating func next() async throws -> DetailUpdate? {
            guard let newest = try await observer.next()?.newest else { return nil }
            return DetailUpdate(detail: newest.content, interruption: newest.interruption)
        }
    }
}

/// A state of an observed detail.
public struct DetailUpdate: Sendable, Hashable {
    /// The detail; nil until it is first known, while the server cannot be reached.
    public let detail: Detail?
    /// The reason why the detail may be out of date; nil while the server can be reached. The observation continues.
    public let interruption: Problem?

    /// Creates an update with these values.
    public init(detail: Detail?, interruption: Problem? = nil) {
        self.detail = detail
        self.interruption = interruption
    }

    /// Whether the detail is the server's current detail, as far as is known.
    public var isCurrent: Bool { detail != nil && interruption == nil }
}

/// A detail to observe.
struct DetailTarget: Observed {
    var path: ItemPath

    var link: String { path.detailLink }

    func isConcerned(by changes: ChangesAnswer) -> Bool {
        // The position and the neighbours of an item change with its level.
        changes.isTruncated || changes.details.contains { ItemPath(href: $0) == path }
            || changes.levels.contains { ItemPath(href: $0) == path.parent }
    }

    func poller(_ transport: Transport) -> any Poller<Detail> { DetailPoller(transport: transport, path: path) }
}

/// The poller of one detail.
private struct DetailPoller: Poller {
    let transport: Transport
    let path: ItemPath
    private var entityTag: String?

    init(transport: Transport, path: ItemPath) { (self.transport, self.path) = (transport, path) }

    mutating func next(wait: Int, over session: RenewedSession?) async throws -> Detail? {
        try path.check()
        let waits = wait > 0 && entityTag != nil
        var request = Request(path.detailLink + (waits ? "?wait=\(wait)" : ""))
        request.header = ["Accept": "application/json"]
        request.header["If-None-Match"] = entityTag
        request.wait = waits ? wait : 0
        request.session = session
        let answer = try await transport.send(request)
        if answer.status == 304, entityTag != nil { return nil }
        let detail = try transport.read(answer, as: DetailReader.read)
        let isSame = entityTag != nil && entityTag == answer.entityTag
        entityTag = answer.entityTag
        return isSame ? nil : detail
    }
}

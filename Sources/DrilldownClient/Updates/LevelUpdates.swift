/// The states of a level, one after the other: the one it has now, then each change.
///
/// The sequence retries while the server is unreachable, and says so in `LevelUpdate.interruption`. It ends when its task
/// is cancelled, and by throwing the `Problem` that the server answers, for example if the item was deleted.
///
/// An observer that is slower than the changes gets the newest state, with the difference from the state that it saw
/// last. Observers of the same level share one request.
public struct LevelUpdates: AsyncSequence, Sendable {
    /// A state of the level.
    public typealias Element = LevelUpdate

    let server: Server
    let target: LevelTarget

    /// Begins to observe.
    public func makeAsyncIterator() -> Iterator { Iterator(server: server, target: target) }

    /// One observer of a level; it leaves when the iterator is released.
    ///
    /// A copy of an iterator is the same observer. If both wait for a state, the one that waited first gets nil.
    public struct Iterator: AsyncIteratorProtocol {
        private let server: Server
        private let target: LevelTarget
        private var observer: LevelObserver?
        private var isOver = false

        fileprivate init(server: Server, target: LevelTarget) {
            (self.server, self.target) = (server, target)
        }

        /// Waits for a state that this observer has not seen.
        ///
        /// - Returns: nil if the task was cancelled.
        /// - Throws: The `Problem` with which the server refuses the level.
        public mutating func next() async throws -> LevelUpdate? {
            if isOver || Task.isCancelled {
                end()
                return nil
            }
            let observer = observer ?? server.observations.join(target, of: server)
            self.observer = observer
            do {
                let update = try await observer.next()
                if update == nil { end() }
                return update
            } catch {
                end()
                throw error
            }
        }

        /// Leaves at once, rather than when the iterator is released.
        private mutating func end() {
            isOver = true
            observer = nil
        }
    }
}

extension Server {
    /// Observes a level: gives the level as it is now, then each change, until the task is cancelled.
    ///
    /// Without a limit in the query, all rows of the level are observed, however many there are. The first update may have
    /// no level: it then says why the server cannot be reached.
    ///
    /// A detail cannot be observed. Observe its row with `.where("Key", equals: …).showing(.all)` instead, and ask for the
    /// detail after each update.
    ///
    /// ```swift
    /// for try await update in server.updates(of: ["Item 4"], matching: .all.sorted(by: "Title")) {
    ///     if let level = update.level { show(level, update.difference) }
    /// }
    /// ```
    public func updates(of path: ItemPath = .root, matching query: LevelQuery = .all) -> LevelUpdates {
        LevelUpdates(server: self, target: LevelTarget(path: path, query: query))
    }
}

/// A state of a level that is being observed, and what changed since the observer's last one.
public struct LevelUpdate: Sendable, Hashable {
    /// The level; nil while nothing is known of it because the server has not been reached yet.
    ///
    /// Once an update has had a level, every later one has.
    public let level: Level?

    /// What changed since the observer's last update; nil in the first one that has a level.
    public let difference: LevelDifference?

    /// Whether the level comes from the cache folder; the server's answer follows as soon as it arrives.
    public let isFromCache: Bool

    /// Why the level may be out of date; nil while the server can be reached.
    ///
    /// Observing continues by itself. The next update without an interruption is current again.
    public let interruption: Problem?

    /// An update with these values.
    public init(
        level: Level?, difference: LevelDifference? = nil, isFromCache: Bool = false, interruption: Problem? = nil
    ) {
        self.level = level
        self.difference = difference
        self.isFromCache = isFromCache
        self.interruption = interruption
    }

    /// Whether the latest request to the server was answered; `interruption` says why if it was not.
    public var isConnected: Bool { interruption == nil }

    /// Whether this is what the server has, as far as is known.
    public var isCurrent: Bool { level != nil && !isFromCache && isConnected }
}

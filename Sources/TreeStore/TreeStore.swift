public import Levels
internal import Threads
public import TreeSources

/// Keeps the tree of a source: loads it, follows its changes, and provides the published snapshot to any thread.
///
/// All loading happens on the store's own thread, at a lower priority than its readers.
public final class TreeStore: Sendable {
    private let state: StoreState
    private let requests: ReloadRequests
    private let thread: Thread

    /// Loads a source for the first time and starts watching it.
    ///
    /// - Parameter onEvent: receives events on the store's thread; the first load's events come before this returns.
    /// - Throws: `SourceError` if the first load is refused; nothing is left running then.
    public init(
        _ source: any TreeSource, onEvent: @escaping @Sendable (StoreEvent) -> Void = { _ in }
    ) throws(SourceError) {
        let first: Handover<Result<StoreState, SourceError>>
        do throws(SystemCallError) {
            let requests = ReloadRequests(wakeup: try Wakeup())
            let handover = try Handover<Result<StoreState, SourceError>>()
            thread = try Thread(name: "store", stackBytes: Self.stackBytes) {
                Self.run(source, requests, onEvent, first: handover)
            }
            self.requests = requests
            first = handover
        } catch {
            throw SourceError(source.name, "it cannot be watched, since \(error)")
        }
        switch first.take() {
        case .success(let state): self.state = state
        case .failure(let error):
            thread.join()
            throw error
        }
    }

    deinit { stop() }

    /// What the store's thread does: the first load, and then all that follows.
    private static func run(
        _ source: any TreeSource, _ requests: ReloadRequests, _ onEvent: @escaping @Sendable (StoreEvent) -> Void,
        first: Handover<Result<StoreState, SourceError>>
    ) {
        let reloader = Reloader(source, requests: requests, tell: onEvent)
        do throws(SourceError) {
            let state = try reloader.start()
            first.give(.success(state))
            // At 5 the slowest answer during a reload took 28 ms, at 10 the 10 ms that it takes without one.
            Thread.setNiceness(10)
            reloader.run(state)
        } catch {
            first.give(.failure(error))
        }
    }

    private static let stackBytes = 1 << 20

    /// The published snapshot; cheap enough for every request, on any thread.
    ///
    /// Hold the snapshot, not only its levels, while they are used, so that the store's thread frees them.
    public var current: Snapshot { state.snapshot }

    /// Whether the published snapshot matches the source, and if not, why.
    public var status: StoreStatus { state.storeStatus }

    /// Loads the source again, even if its watcher reports no change.
    ///
    /// - Parameter answer: called on the store's thread when the load is done; requests close together share a load.
    public func reload(_ answer: @escaping @Sendable (ReloadOutcome) -> Void = { _ in }) { requests.ask(answer) }

    /// Calls a closure with the old and the new snapshot after each publication, on the store's thread, one call at a
    /// time.
    ///
    /// - Parameter seen: the snapshot that the subscriber took from `current`; if it has been replaced since, the
    ///   closure is called before this returns. The closure must not subscribe.
    public func onPublish(
        after seen: Snapshot, _ subscriber: @escaping @Sendable (_ old: Snapshot, _ new: Snapshot) -> Void
    ) {
        state.subscribe(after: seen, subscriber)
    }

    /// Ends the store's thread and waits for it; the published snapshot stays.
    ///
    /// A running load is finished first. Called on the store's own thread, this does not wait.
    public func stop() {
        requests.stop()
        thread.join()
    }
}

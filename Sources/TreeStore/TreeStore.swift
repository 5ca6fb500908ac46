public import TreeSources

/// Keeps the tree of a source: loads it, follows its changes, and gives the published snapshot to any thread.
///
/// All loading happens on one thread of the store's own, at a lower priority than that of its readers.
public final class TreeStore: Sendable {
    private let state: StoreState
    private let requests: ReloadRequests
    private let thread: StoreThread

    /// Loads a source for the first time and begins to watch it.
    ///
    /// - Parameter onEvent: told what happens, on the store's thread; the first load's events come before this returns.
    /// - Throws: `SourceError` where the first load is refused; nothing is left running then.
    public init(
        _ source: any TreeSource, onEvent: @escaping @Sendable (StoreEvent) -> Void = { _ in }
    ) throws(SourceError) {
        let requests = ReloadRequests(waker: try Waker(for: source.name))
        let first = try Handover<Result<StoreState, SourceError>>(for: source.name)
        let thread = try StoreThread(for: source.name) {
            let reloader = Reloader(source, requests: requests, tell: onEvent)
            do throws(SourceError) {
                let state = try reloader.start()
                first.give(.success(state))
                StoreThread.lowerPriority()
                reloader.run(state)
            } catch {
                first.give(.failure(error))
            }
        }
        self.requests = requests
        self.thread = thread
        switch first.take() {
        case .success(let state): self.state = state
        case .failure(let error):
            thread.join()
            throw error
        }
    }

    deinit { stop() }

    /// The published snapshot; cheap enough for every request, on any thread.
    ///
    /// Hold it, not only its levels, for as long as they are used: then the store's thread is the one that frees them.
    public var current: Snapshot { state.snapshot }

    /// Whether the published snapshot is that of the source, and if not, why.
    public var status: StoreStatus { state.storeStatus }

    /// Loads the source again, whatever its watcher says.
    ///
    /// - Parameter answer: called on the store's thread when it is done; requests that come close together share a load.
    public func reload(_ answer: @escaping @Sendable (ReloadOutcome) -> Void = { _ in }) { requests.ask(answer) }

    /// Calls a closure with the old and the new snapshot after each new one is published: on the store's thread, and one
    /// call after the other.
    ///
    /// - Parameter seen: what the subscriber has taken from `current`; where that was replaced meanwhile, the closure is
    ///   called before this returns. It must not subscribe itself.
    public func onPublish(
        after seen: Snapshot, _ subscriber: @escaping @Sendable (_ old: Snapshot, _ new: Snapshot) -> Void
    ) {
        state.subscribe(after: seen, subscriber)
    }

    /// Ends the store's thread and waits for it; the published snapshot stays.
    ///
    /// A load that runs is finished first. Called on the store's own thread, it does not wait.
    public func stop() {
        requests.stop()
        thread.join()
    }
}

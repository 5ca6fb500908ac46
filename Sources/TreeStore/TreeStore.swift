public import Levels
internal import Threads
public import TreeSources

/// Keeps the tree of a source: loads it, follows its changes, and provides the published snapshot to any thread.
///
/// All work happens on the store's own thread: edits at the usual priority, and loads, after the first one, on a thread
/// of lower priority for which it waits. Subscribers are notified on another one, at the usual priority.
public final class TreeStore: Sendable {
    private let state: StoreState
    private let requests: Mailbox<Reloader.Answer>
    private let wakeup: Wakeup
    private let edits: EditQueue
    private let pulse: StorePulse
    private let thread: Thread
    private let notifier: Notifier
    private let notifierThread: Thread

    /// Loads a source for the first time and starts watching it.
    ///
    /// - Parameters:
    ///   - historyBytes: the memory that replaced snapshots, and the records of what changed, may take; 0 keeps none.
    ///   - progress: told when a load begins and ends; the source tells it how far the load is.
    ///   - onEvent: receives events on the store's thread; the first load's events come before this returns.
    /// - Throws: `SourceError` if the first load is refused; nothing is left running then.
    public init(
        _ source: any TreeSource, historyBytes: Int = 64 << 20, progress: LoadProgress? = nil,
        onEvent: @escaping @Sendable (StoreEvent) -> Void = { _ in }
    ) throws(SourceError) {
        let first: Handover<Result<StoreState, SourceError>>
        do throws(SystemCallError) {
            let wakeup = try Wakeup()
            let requests = Mailbox<Reloader.Answer> { wakeup.signal() }
            let edits = EditQueue(wakeup: wakeup)
            let pulse = StorePulse(wakeup: wakeup)
            let notifier = try Notifier()
            let handover = Handover<Result<StoreState, SourceError>>()
            let background = try WorkerThread(name: "store-loads", niceness: 0, stackBytes: Self.stackBytes)
            thread = try Thread(name: "store", stackBytes: Self.stackBytes) {
                let reloader = Reloader(
                    source, wakeup: wakeup, requests: requests, edits: edits, background: background, pulse: pulse,
                    progress: progress, tell: onEvent)
                Self.run(reloader, first: handover) { snapshot in
                    StoreState(snapshot, historyBytes: historyBytes, notifier: notifier)
                }
                background.stop()
            }
            (self.wakeup, self.requests, self.edits) = (wakeup, requests, edits)
            (self.pulse, self.notifier) = (pulse, notifier)
            first = handover
        } catch {
            throw Self.unwatchable(source, error)
        }
        switch first.take() {
        case .success(let state): self.state = state
        case .failure(let error):
            thread.join()
            throw error
        }
        do throws(SystemCallError) {
            notifierThread = try notifier.start(state.publications)
        } catch {
            requests.close()
            wakeup.signal()
            notifier.endLimit()
            thread.join()
            throw Self.unwatchable(source, error)
        }
    }

    private static func unwatchable(_ source: any TreeSource, _ cause: SystemCallError) -> SourceError {
        SourceError(source.name, "it cannot be watched, since \(cause)")
    }

    deinit { stop() }

    /// What the store's thread does: the first load, and then all that follows.
    private static func run(
        _ reloader: Reloader, first: Handover<Result<StoreState, SourceError>>, makingState: (Snapshot) -> StoreState
    ) {
        do throws(SourceError) {
            let state = makingState(try reloader.start())
            state.note(isConnected: reloader.watcher.isConnected)
            first.give(.success(state))
            reloader.endStart()
            reloader.run(state)
        } catch {
            first.give(.failure(error))
        }
    }

    /// Has the store's thread end after what it is doing.
    func requestStop() {
        requests.close()
        wakeup.signal()
        notifier.endLimit()
    }

    /// An edit of an item goes down to it, some kilobytes a level, and then into its fields: up to 512 of each.
    /// What no edit uses costs addresses, and no memory.
    private static let stackBytes = 64 << 20

    /// What is published: the current snapshot, those before it, and who is notified of the next ones.
    public var publications: Publications { state.publications }

    /// The published snapshot; cheap enough for every request, on any thread.
    ///
    /// Hold the snapshot, not only its levels, while they are used, so that the store's thread frees them.
    public var current: Snapshot { state.snapshot }

    /// Whether the published snapshot matches the source, and if not, why.
    public var status: StoreStatus { state.storeStatus }

    /// The connection to the source's database; nil for a source that is not one.
    public var connection: DatabaseConnection? { state.databaseConnection }

    /// Loads the source again, even if its watcher reports no change.
    ///
    /// - Parameter answer: called on the store's thread when the load is done; requests close together share a load.
    public func reload(_ answer: @escaping @Sendable (ReloadOutcome) -> Void = { _ in }) {
        if requests.add(answer) != .taken { answer(.stopped) }
    }

    /// Changes the document: the source is saved first, and then the new tree is published.
    ///
    /// Edits that wait together share a save; each has an answer, and a revision unless it changes nothing. Returns at
    /// once; the request is answered on the store's thread, or on this one if too many are waiting.
    public func edit(_ request: EditRequest) { edits.add(request) }

    /// Asks whether the store's thread is alive.
    ///
    /// - Parameter answer: called on the thread at its next turn, or at once on this one if the thread reads or writes
    ///   the source, which may take any time; never if the thread hangs.
    public func ask(_ answer: @escaping @Sendable () -> Void) { pulse.ask(answer) }

    /// Ends the store's threads and waits for them; the published snapshot stays.
    ///
    /// A running load is finished first, and subscribers are told of everything that was published. Called on one of
    /// the store's own threads, this does not wait for that one.
    public func stop() {
        requestStop()
        thread.join()
        notifier.stop()
        notifierThread.join()
    }
}

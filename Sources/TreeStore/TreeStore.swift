public import Levels
internal import Synchronization
internal import Threads
public import TreeSources

/// Holds the tree of a source: loads the source, follows its changes, and gives the published snapshot to any thread.
///
/// The store uses two threads. The store's own thread does all work in turn, including loads and edits. The other thread
/// notifies the subscribers.
public final class TreeStore: Sendable {
    private let state: StoreState
    private let requests: Mailbox<Reloader.Answer>
    private let wakeup: Wakeup
    private let edits: EditQueue
    private let pulse: StorePulse
    private let thread: Thread
    private let notifier: Notifier
    private let notifierThread: Thread

    /// Loads a source for the first time and starts to watch it.
    ///
    /// - Parameters:
    ///   - historyBytes: the memory for replaced snapshots and for records of changes; 0 keeps no history.
    ///   - progress: shows the progress of loads that take long.
    ///   - onEvent: receives events on the store's thread. When the initializer returns, `onEvent` has received the
    ///     events of the first load.
    /// - Throws: `SourceError` if the first load is refused or the source cannot be watched. No thread is left running
    ///   then.
    public init(
        source: any TreeSource, historyBytes: Int = 64 << 20, progress: LoadProgress? = nil,
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
            thread = try Thread(name: "store", stackBytes: Self.stackBytes) {
                let reloader = Reloader(
                    source: source, wakeup: wakeup, requests: requests, edits: edits, pulse: pulse, progress: progress,
                    tell: onEvent)
                Self.run(reloader, first: handover) { snapshot in
                    StoreState(first: snapshot, historyBytes: historyBytes, notifier: notifier)
                }
            }
            (self.wakeup, self.requests, self.edits) = (wakeup, requests, edits)
            (self.pulse, self.notifier) = (pulse, notifier)
            first = handover
        } catch {
            throw Self.unwatchable(source, cause: error)
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
            throw Self.unwatchable(source, cause: error)
        }
    }

    private static func unwatchable(_ source: any TreeSource, cause: SystemCallError) -> SourceError {
        SourceError(source.name, reason: "it cannot be watched, since \(cause)")
    }

    deinit { stop() }

    /// Runs on the store's thread: loads for the first time, hands over the result, and then handles events until the
    /// store is stopped.
    private static func run(
        _ reloader: Reloader, first: Handover<Result<StoreState, SourceError>>, makingState: (Snapshot) -> StoreState
    ) {
        do throws(SourceError) {
            let state = makingState(try reloader.start())
            state.noteConnection(of: reloader.watcher)
            first.give(.success(state))
            reloader.run(state)
        } catch {
            first.give(.failure(error))
        }
    }

    /// Makes the store's thread end after its current work; returns at once.
    func requestStop() {
        requests.close()
        wakeup.signal()
        notifier.endLimit()
    }

    /// An edit recurses into up to 512 levels, and then into up to 512 nested fields, with some kilobytes of stack for
    /// each. Unused stack takes addresses but no memory.
    private static let stackBytes = 64 << 20

    /// The current snapshot, the replaced snapshots, and the subscribers to later snapshots.
    public var publications: Publications { state.publications }

    /// The published snapshot; cheap enough for every request, on any thread.
    ///
    /// While you use levels of the snapshot, hold the snapshot too. Then the store's thread frees the levels.
    public var current: Snapshot { state.snapshot }

    /// Whether the published snapshot matches the source; if it does not, the reason.
    public var status: StoreStatus { state.storeStatus }

    /// The connection to the source's database; nil for other sources.
    public var connection: DatabaseConnection? { state.databaseConnection }

    /// Loads the source again, even if its watcher reports no change.
    ///
    /// - Parameter answer: called on the store's thread when the load is done. Requests that arrive close together
    ///   share a load. If the store has stopped, `answer` is called immediately, on the calling thread.
    public func reload(_ answer: @escaping @Sendable (ReloadOutcome) -> Void = { _ in }) {
        if requests.add(answer) != .taken { answer(.stopped) }
    }

    /// Changes the document: saves the source first, and then publishes the new tree.
    ///
    /// Edits that wait together share a save. Each edit has its own answer, and its own revision if it changes
    /// anything. The method returns immediately. The request is answered on the store's thread. If too many edits are
    /// waiting or the store has stopped, the request is answered on the calling thread.
    public func edit(_ request: EditRequest) { edits.add(request) }

    /// Asks for a sign of life from the store's thread.
    ///
    /// - Parameter answer: called on the store's thread at its next turn. If the store is reading or writing the
    ///   source, which may take any time, `answer` is called immediately, on the calling thread. It is never called if
    ///   the store's thread hangs.
    public func ask(_ answer: @escaping @Sendable () -> Void) { pulse.ask(answer) }

    /// Ends the store's threads and waits for them; the published snapshot remains available.
    ///
    /// A load in progress is finished first, and subscribers receive all publications. A call on one of the store's own
    /// threads does not wait for that thread.
    public func stop() {
        requestStop()
        thread.join()
        notifier.stop()
        notifierThread.join()
    }
}

/// Checks that the store's thread is alive: it takes turns, or it is reading or writing the source.
///
/// Reading or writing the source may take any time, for example on a network file system that hangs. The published tree
/// is served meanwhile.
final class StorePulse: Sendable {
    typealias Answer = @Sendable () -> Void

    private let answers: Mailbox<Answer>
    private let isAtSource = Atomic(false)

    /// - Parameter wakeup: wakes the store's thread.
    init(wakeup: Wakeup) { answers = Mailbox { wakeup.signal() } }

    /// Calls `answer` at the thread's next turn, or immediately if the thread is reading or writing the source.
    func ask(_ answer: @escaping Answer) {
        answers.add(answer)
        // This thread adds the answer before it reads the flag. The store's thread sets the flag before it takes the
        // answers. So one of the two threads calls the answer.
        if isAtSource.load(ordering: .sequentiallyConsistent) { beat() }
    }

    /// Calls the waiting answers. The store's thread does this at each turn.
    func beat() { for answer in answers.take() { answer() } }

    /// Runs `body`, which reads or writes the source. Until it ends, `ask` calls its closure on the caller's thread.
    func atSource<Value, Failure: Error>(_ body: () throws(Failure) -> Value) throws(Failure) -> Value {
        isAtSource.store(true, ordering: .sequentiallyConsistent)
        defer { isAtSource.store(false, ordering: .sequentiallyConsistent) }
        beat()
        return try body()
    }
}

internal import Heap
internal import Levels
internal import Threads
internal import TreeSources

/// The work of the store's thread: it loads, edits, publishes and frees trees, and runs the source's watcher in
/// between.
final class Reloader {
    /// Called with the outcome of a reload.
    typealias Answer = @Sendable (ReloadOutcome) -> Void

    private let requests: Mailbox<Answer>
    /// Wakes the store's thread.
    private let wakeup: Wakeup
    let edits: EditQueue
    let pulse: StorePulse
    private let progress: LoadProgress?
    let tell: @Sendable (StoreEvent) -> Void
    let watcher: any SourceWatcher
    let clock = ContinuousClock()
    private var revisions = RevisionCounter()
    /// Trees that nothing uses any longer. The store frees them, so that no request spends time on freeing them.
    private let released: Mailbox<Level>
    var debounce = Debounce()
    private var retries: RetrySchedule
    /// The edits that wait for their save.
    var open = OpenEdits()
    /// The callbacks of reloads that wait for a fetch.
    private var awaiting: [Answer] = []
    /// The state of the source at the latest load or save that succeeded; nil if only a load can determine it.
    var fingerprint: Fingerprint?
    /// The duration of the latest refused load; zero if nothing was read.
    private var refusalTook = Duration.zero
    /// How the latest tree's document was read; nil for a document of items.
    var reading: String?
    /// Whether anything was loaded since memory was last returned to the system.
    private var hasLoaded = false
    var trims = TrimPace()

    init(
        source: any TreeSource, wakeup: Wakeup, requests: Mailbox<Answer>, edits: EditQueue,
        pulse: StorePulse, progress: LoadProgress?, tell: @escaping @Sendable (StoreEvent) -> Void
    ) {
        (self.wakeup, self.requests) = (wakeup, requests)
        self.edits = edits
        self.pulse = pulse
        self.progress = progress
        self.tell = tell
        watcher = source.makeWatcher()
        released = Mailbox { wakeup.signal() }
        retries = RetrySchedule(first: source.retryInterval, longest: .seconds(60))
    }

    /// Loads for the first time.
    func start() throws(SourceError) -> Snapshot {
        HeapMemory.prepare()
        let begun = clock.now
        let loaded = try load(replacing: nil)
        HeapMemory.giveBack()
        let snapshot = accept(loaded)
        tellLoaded(loaded, snapshot: snapshot, since: begun)
        if case .nothing(let refusal) = watcher.savability(at: .root) { tell(.readOnly(refusal)) }
        return snapshot
    }

    /// Handles changes, edits and reload requests until the store is stopped.
    func run(_ state: StoreState) {
        watcher.whenInDoubt { state.noteDoubt($0) }
        while !requests.isClosed {
            wait()
            pulse.beat()
            takeTurn(state)
            tidy()
        }
        for answer in awaiting + requests.take() { answer(.stopped) }
        awaiting = []
        for request in open.close() + edits.stop() { request.answer(.stopped) }
        // A tree that is released later is freed by the thread that used it last.
        released.close()
        _ = released.take()
    }

    /// Frees released trees, and returns memory to the system when that is due.
    private func tidy() {
        let hasFreed = !released.take().isEmpty
        if trims.isDue(hasLoaded: hasLoaded, hasFreed: hasFreed, at: clock.now) { HeapMemory.giveBack() }
        hasLoaded = false
    }

    /// Waits for a wake-up, a deadline, or an event of the source.
    private func wait() {
        var waits = WaitSet()
        waits.add(wakeup.descriptor)
        if let nextDeadline { waits.wake(by: nextDeadline) }
        watcher.addWaits(to: &waits)
        waits.wait()
    }

    /// Does everything that is due.
    private func takeTurn(_ state: StoreState) {
        if wakeup.reset() { answerRequests(state) }
        guard !requests.isClosed else { return }
        let report = pulse.atSource { watcher.advance(at: clock.now) }
        state.noteConnection(of: watcher)
        switch report {
        case .changed:
            // A refusal is not reported before the burst ends, because a save may be in progress.
            readNewer(state)
        case .arrived: endFetch(reload(state), in: state)
        case .advanced(let advances): endFetch(.success(publish(advances, in: state)), in: state)
        case .committed: endFetch(.success(publishAgain(in: state)), in: state)
        case .confirmed: endFetch(.success(confirm(state)), in: state)
        case .failed(let error):
            refusalTook = .zero
            endFetch(.failure(error), in: state)
        case nil: handleDeadlines(state)
        }
        commitEdits(state)
        state.noteConnection(of: watcher)
    }

    private var nextDeadline: ContinuousClock.Instant? {
        // Edits that wait for the end of another program's save do not have a deadline of their own.
        let edits = debounce.hasFailed ? nil : open.next
        return [debounce.end, retries.next, edits, trims.next].compactMap(\.self).min()
    }

    private func handleDeadlines(_ state: StoreState) {
        func isDue(_ instant: ContinuousClock.Instant?) -> Bool { instant.map { clock.now >= $0 } ?? false }
        if isDue(debounce.end) { endDebounce(state) }
        if isDue(retries.next) { retry(state) }
    }

    // MARK: Why there is a reload

    private func answerRequests(_ state: StoreState) {
        // A document that is being fetched may be older than a request that arrives now. So the request waits for the
        // next fetch.
        guard awaiting.isEmpty else { return }
        awaiting = requests.take()
        guard !awaiting.isEmpty, watcher.refresh() else { return }
        answerAwaiting(settle(reload(state), in: state))
    }

    /// Reports the result of a fetch. A refusal is reported if it is new or if a client asked for the reload.
    private func endFetch(_ result: Result<ReloadOutcome, SourceError>, in state: StoreState) {
        answerAwaiting(settle(result, in: state, repeats: !awaiting.isEmpty))
        answerRequests(state)
    }

    private func answerAwaiting(_ outcome: ReloadOutcome) {
        let answers = awaiting
        awaiting = []
        for answer in answers { answer(outcome) }
    }

    private var sourceFingerprint: Fingerprint? { pulse.atSource { watcher.fingerprint } }

    /// Loads the source after a change that has just been noticed.
    func readNewer(_ state: StoreState) {
        retries.reset()
        let result = reload(state)
        debounce.goOn(at: clock.now, failed: result.isFailure)
        if !result.isFailure || debounce.isOverdue(at: clock.now) { _ = settle(result, in: state) }
    }

    /// Loads once more after a burst, unless the source is unchanged since the latest load.
    private func endDebounce(_ state: StoreState) {
        let hasFailed = debounce.hasFailed
        debounce = Debounce()
        if !hasFailed, let fingerprint, sourceFingerprint == fingerprint { return }
        _ = settle(reload(state), in: state)
    }

    /// Loads the source again after a failure, without reporting the same refusal twice.
    private func retry(_ state: StoreState) {
        _ = settle(reload(state), in: state, repeats: false)
    }

    // MARK: One reload

    private func load(replacing old: Level?) throws(SourceError) -> LoadedTree {
        progress?.begin()
        defer { progress?.end() }
        return try pulse.atSource { () throws(SourceError) in try watcher.load(replacing: old) }
    }

    /// Loads the source, and publishes the tree if it is new.
    private func reload(_ state: StoreState) -> Result<ReloadOutcome, SourceError> {
        let begun = clock.now
        hasLoaded = true
        do throws(SourceError) {
            let old = state.snapshot
            let loaded = try load(replacing: old.document)
            let isNew =
                loaded.tree.document.hash != old.document.hash || loaded.tree.translations != old.translations
                || !loaded.composition.hasSameSources(as: old.composition)
                || loaded.revision.map { $0.name != old.revision } ?? false
                || loaded.rows != nil && loaded.fingerprint != fingerprint
            retries.reset()
            guard isNew else {
                fingerprint = loaded.fingerprint
                return .success(confirm(state, took: clock.now - begun))
            }
            let new = accept(loaded)
            state.publish(new)
            tellLoaded(loaded, snapshot: new, since: begun)
            return .success(.published(new))
        } catch {
            refusalTook = clock.now - begun
            return .failure(error)
        }
    }

    /// Records that the published tree matches the source.
    private func confirm(_ state: StoreState, took: Duration = .zero) -> ReloadOutcome {
        let snapshot = state.snapshot
        let wasStale = state.storeStatus != .ok
        state.storeStatus = .ok
        tell(.unchanged(snapshot, took: took))
        if wasStale { tell(.recovered(snapshot)) }
        return .unchanged(snapshot)
    }

    /// Records and reports the refusal of a reload. Publications are reported elsewhere.
    ///
    /// - Parameter repeats: whether to report the refusal again if it equals the latest refusal.
    private func settle(
        _ result: Result<ReloadOutcome, SourceError>, in state: StoreState, repeats: Bool = true
    ) -> ReloadOutcome {
        switch result {
        case .success(let outcome): return outcome
        case .failure(let error):
            // An error with a position is a fault in the content, which remains until the file is written again.
            if error.position == nil { retries.fail(at: clock.now) } else { retries.reset() }
            if case .stale(error, _) = state.storeStatus, !repeats { return .refused(error) }
            state.storeStatus = .stale(error, since: WallClock.now)
            tell(.refused(error, took: refusalTook))
            return .refused(error)
        }
    }

    private func accept(_ loaded: LoadedTree) -> Snapshot {
        fingerprint = loaded.fingerprint
        // A history that does not end at this revision cannot be followed.
        let history = loaded.history.last?.name == loaded.revision?.name ? loaded.history : []
        return snapshot(
            loaded.tree.document, translations: loaded.tree.translations, composition: loaded.composition,
            rows: loaded.rows, reading: loaded.tree.reading, named: loaded.revision, by: history.last?.cause ?? .load,
            history: history.suffix(KeptSnapshots.revisionLimit))
    }

    /// Makes a snapshot with the source's revision, or with a new revision of this store if the source does not name
    /// one.
    func snapshot(
        _ document: Level, translations: Translations?, composition: Composition?, rows: (any RowSource)? = nil,
        reading: String? = nil, named revision: SourceRevision?, by cause: Snapshot.Cause,
        history: ArraySlice<RevisionEntry> = []
    ) -> Snapshot {
        Snapshot(
            document: document, rows: rows, translations: translations, reading: reading,
            revision: revision?.name ?? revisions.next(),
            isNamedBySource: revision != nil, loadedAt: revision?.date ?? WallClock.now, composition: composition,
            cause: cause, history: Array(history),
            release: { [released] in released.add($0) })
    }

    /// Publishes trees that the source derived without a load.
    func publish(_ advances: [TreeAdvance], in state: StoreState) -> ReloadOutcome {
        for advance in advances {
            let new = snapshot(
                advance.document, translations: advance.translations, composition: advance.composition,
                rows: advance.rows,
                named: advance.revision, by: advance.cause)
            state.publish(new)
            tell(.advanced(new))
        }
        return .published(state.snapshot)
    }

    /// Publishes the same tree again, because the state of its databases has changed.
    func publishAgain(in state: StoreState) -> ReloadOutcome {
        let old = state.snapshot
        let same = TreeAdvance(
            to: old.document, rows: old.rows, translations: old.translations, composition: old.composition,
            cause: .database(author: nil))
        return publish([same], in: state)
    }

    private func tellLoaded(_ loaded: LoadedTree, snapshot: Snapshot, since begun: ContinuousClock.Instant) {
        tell(.loaded(snapshot, took: clock.now - begun))
        let new = loaded.tree.reading
        if new != reading { tell(.reading(new ?? "read as a document of items", isChange: reading != nil)) }
        reading = new
        guard !loaded.warnings.isEmpty else { return }
        tell(.warnings(loaded.warnings, omitted: loaded.omittedWarnings))
    }
}

extension Result {
    fileprivate var isFailure: Bool { if case .failure = self { true } else { false } }
}

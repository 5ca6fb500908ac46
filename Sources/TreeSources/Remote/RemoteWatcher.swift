internal import Levels
internal import Threads

/// Follows a remote document: sends requests to its origin, and loads the responses.
///
/// Transfers run on the watcher's thread. The thread never blocks in a transfer, so that a request to stop cancels the
/// transfer at once.
final class RemoteWatcher: SourceWatcher {
    private let document: RemoteDocument
    private let clock = ContinuousClock()
    private let copy: DocumentCopy?
    private var fetcher: Fetcher?
    /// Whether to send requests to the origin. This becomes true at the first load or the first `refresh`.
    private var isFollowing = false
    private var schedule: RefreshSchedule
    /// The current request; between requests, the latest one.
    private var request = FetchRequest()
    /// The validators of the latest loaded document. The validators of a refused document are not kept, so that the
    /// document is requested again.
    private var validators = Validators()
    /// What was decided about the latest loaded document, if it was read as it is.
    private var kept: KeptReading?
    /// Whether the origin must respond at once, because a caller waits, or because a copy is served and the origin has
    /// not responded yet.
    private var isUrgent = false
    /// A document that was fetched but not loaded yet.
    private var arrived: FetchedDocument?
    /// A document that was loaded but is not on disk yet.
    private var unkept: FetchedDocument?
    /// The reason why the latest document could not be stored on disk; nil if it was stored.
    private var keepingFailure: SourceError?

    /// The time for which the origin is asked to wait. A proxy in front of the origin may give up after a minute.
    private static let longestWait = Duration.seconds(50)

    init(_ document: RemoteDocument) {
        self.document = document
        copy = document.copyPath.map {
            DocumentCopy(path: $0, origin: document.name, maximumBytes: document.limits.bytes)
        }
        schedule = RefreshSchedule(interval: document.interval, from: clock.now)
    }

    func savability(at path: ItemPath) -> Savability { .nothing(.remoteDocument) }

    func refresh() -> Bool {
        fetcher?.giveUp()
        arrived = nil
        isUrgent = true
        isFollowing = true
        schedule.hasten(at: clock.now)
        return false
    }

    // MARK: Following the origin

    func addWaits(to waits: inout WaitSet) {
        guard isFollowing else { return }
        if unkept != nil { waits.wake(by: .now) }
        // A document that has arrived is loaded before the next one is requested.
        guard arrived == nil else { return }
        if let fetcher, fetcher.isBusy { fetcher.addWaits(to: &waits) } else { waits.wake(by: schedule.next) }
    }

    func advance(at now: ContinuousClock.Instant) -> SourceReport? {
        guard isFollowing else { return nil }
        keep()
        guard arrived == nil else { return nil }
        do throws(SourceError) {
            if fetcher?.isBusy != true {
                guard now >= schedule.next else { return nil }
                try begin()
            }
            return fetcher?.advance().map(judge)
        } catch {
            return judge(.failed(error, retryAfter: nil))
        }
    }

    private func begin() throws(SourceError) {
        let mayWait = schedule.mayWait && !isUrgent
        request = FetchRequest(validators: validators, wait: mayWait ? Self.longestWait : nil)
        schedule.begin(at: clock.now)
        try preparedFetcher().begin(request)
    }

    private func preparedFetcher() throws(SourceError) -> Fetcher {
        if let fetcher { return fetcher }
        let made = try Fetcher(
            address: document.address, limits: document.limits, progress: document.interpretation.progress)
        fetcher = made
        return made
    }

    private func judge(_ outcome: FetchOutcome) -> SourceReport {
        isUrgent = false
        switch outcome {
        case .fetched(let fetched):
            arrived = fetched
            return .arrived
        case .confirmed(let isWaitApplied):
            succeed(isWaitApplied: isWaitApplied, isNew: false)
            return .confirmed
        case .failed(let error, let retryAfter):
            fail(retryAfter: retryAfter)
            return .failed(error)
        }
    }

    private func succeed(isWaitApplied: Bool, isNew: Bool) {
        // Without an entity tag, the origin cannot be asked to wait, so it is requested at the interval.
        let told = request.wait != nil ? isWaitApplied : validators.entityTag == nil ? false : nil
        schedule.succeed(at: clock.now, isWaitApplied: told, isNew: isNew)
    }

    private func fail(retryAfter: Duration? = nil) {
        schedule.fail(at: clock.now, retryAfter: retryAfter, jitter: .random(in: 0...1))
    }

    // MARK: Loading

    func load(replacing old: Level?) throws(SourceError) -> LoadedTree {
        if let fetched = arrived.take() { return try load(fetched, replacing: old) }
        let fetcher = try preparedFetcher()
        isFollowing = true
        if let copied = loadCopy() { return copied }
        schedule.begin(at: clock.now)
        return try load(fetcher.fetch(request), replacing: old)
    }

    private func load(_ fetched: FetchedDocument, replacing old: Level?) throws(SourceError) -> LoadedTree {
        do throws(SourceError) {
            let loaded = try document.load(fetched, replacing: old, keeping: kept)
            validators = fetched.validators
            kept = loaded.tree.kept
            succeed(isWaitApplied: fetched.isWaitApplied, isNew: loaded.tree.document.hash != old?.hash)
            if copy != nil { unkept = fetched }
            return loaded
        } catch {
            fail()
            throw error
        }
    }

    // MARK: The copy on disk

    /// Loads the copy; returns nil if it does not exist or is unusable. The origin is requested as soon as the copy is
    /// served.
    private func loadCopy() -> LoadedTree? {
        guard let copy else { return nil }
        do throws(SourceError) {
            guard let found = try copy.find() else { return nil }
            let loaded = try document.interpretation.loadWithoutParts(
                found.file, named: copy.path, hint: document.hint(mediaType: found.mediaType), pool: nil)
            validators = found.validators
            isUrgent = true
            document.onNotice(.servesCopy(path: copy.path, name: document.name))
            return loaded
        } catch {
            document.onNotice(.copyNotRead(error))
            return nil
        }
    }

    /// Stores the loaded document on disk. This is done after the publication, because a disk may be slow.
    private func keep() {
        guard let copy, let fetched = unkept.take() else { return }
        do throws(SourceError) {
            try copy.keep(fetched)
            keepingFailure = nil
        } catch {
            if error != keepingFailure { document.onNotice(.copyNotKept(error)) }
            keepingFailure = error
        }
    }
}

/// The times of requests to an origin.
///
/// Requests are sent at an interval. If the origin holds responses back until the document changes, each response is
/// followed by the next request almost at once. While requests fail, the pauses become longer and longer.
struct RefreshSchedule: Sendable {
    typealias Instant = ContinuousClock.Instant

    /// An origin's reaction to a request to wait.
    enum Following: Sendable {
        /// The origin has not been asked to wait yet.
        case unknown
        case applied
        /// The origin responded at once, so it is requested at the interval.
        case notApplied
    }

    private let interval: Duration
    /// When the next request is due.
    private(set) var next: Instant
    private var following = Following.unknown
    private var failures = 0
    /// When the latest request was sent.
    private var begun: Instant

    /// The least time between the beginnings of two requests after a response without news. It limits the requests to
    /// an origin that claims to wait but does not.
    static let leastSpacing = Duration.seconds(1)
    /// The least time between the beginnings of two requests after a response with news. It is shorter, because more
    /// news may follow.
    static let newsSpacing = Duration.milliseconds(100)
    /// The longest pause after failures, unless the origin sends `Retry-After`.
    static let longestBackOff = Duration.seconds(60)
    /// The longest pause that an origin may ask for (`Retry-After`).
    static let longestRetryAfter = Duration.seconds(3_600)

    init(interval: Duration, from now: Instant) {
        self.interval = interval
        next = now
        begun = now
    }

    /// Whether the origin may hold its response back; false after a failure, because the next good response is news.
    var mayWait: Bool { failures == 0 }

    mutating func begin(at now: Instant) { begun = now }

    /// Records that the origin returned its document, or confirmed the current one.
    ///
    /// - Parameters:
    ///   - isWaitApplied: whether the origin applied the requested wait; nil if the origin was not asked to wait.
    ///   - isNew: whether the document changed.
    mutating func succeed(at now: Instant, isWaitApplied: Bool?, isNew: Bool) {
        failures = 0
        if let isWaitApplied { following = isWaitApplied ? .applied : .notApplied }
        switch following {
        case .unknown, .applied: next = max(now, begun + (isNew ? Self.newsSpacing : Self.leastSpacing))
        case .notApplied: next = now + interval
        }
    }

    /// Records that the origin did not return a usable response.
    ///
    /// - Parameters:
    ///   - retryAfter: the pause that the origin asked for.
    ///   - jitter: a number from 0 to 1. It shortens the pause by up to a half, so that many followers do not return at
    ///     the same time.
    mutating func fail(at now: Instant, retryAfter: Duration?, jitter: Double) {
        let pause = min(Duration.seconds(1 << min(failures, 16)), Self.longestBackOff)
        failures += 1
        next = now + max(pause * (1 - jitter / 2), min(retryAfter ?? .zero, Self.longestRetryAfter))
    }

    /// Makes the next request due now.
    mutating func hasten(at now: Instant) { next = now }
}

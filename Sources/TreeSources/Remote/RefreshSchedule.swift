/// When an origin is asked next: at an interval, at once where it holds its answers back until there is news, and
/// ever more rarely while it fails.
struct RefreshSchedule: Sendable {
    typealias Instant = ContinuousClock.Instant

    /// What an origin did with the request to hold its answer back.
    enum Following: Sendable {
        /// It was not asked yet.
        case unknown
        case applied
        /// It answered at once; so it is asked at the interval.
        case notApplied
    }

    private let interval: Duration
    /// When the next request is due.
    private(set) var next: Instant
    private var following = Following.unknown
    private var failures = 0
    /// When the latest request was sent.
    private var begun: Instant

    /// Between one request and the next where the answer brought nothing new, so that an origin that claims to wait
    /// and does not is no reason to spin.
    static let leastSpacing = Duration.seconds(1)
    /// The same where the answer brought news: there may be more.
    static let newsSpacing = Duration.milliseconds(100)
    /// The longest pause that failures lead to by themselves.
    static let longestBackOff = Duration.seconds(60)
    /// The longest pause that an origin may ask for (`Retry-After`).
    static let longestRetryAfter = Duration.seconds(3_600)

    init(interval: Duration, from now: Instant) {
        self.interval = interval
        next = now
        begun = now
    }

    /// Whether the origin may hold its answer back: not while it fails, since its next good answer is news in itself.
    var mayWait: Bool { failures == 0 }

    mutating func begin(at now: Instant) { begun = now }

    /// The origin gave its document, or said that there is none newer.
    ///
    /// - Parameters:
    ///   - isWaitApplied: what it did with the request to wait; nil where it was not asked to.
    ///   - isNew: whether the document was another one.
    mutating func succeed(at now: Instant, isWaitApplied: Bool?, isNew: Bool) {
        failures = 0
        if let isWaitApplied { following = isWaitApplied ? .applied : .notApplied }
        switch following {
        case .unknown, .applied: next = max(now, begun + (isNew ? Self.newsSpacing : Self.leastSpacing))
        case .notApplied: next = now + interval
        }
    }

    /// The origin gave nothing that can be used.
    ///
    /// - Parameters:
    ///   - retryAfter: what it asked for itself.
    ///   - jitter: from 0 to 1; shortens the pause by up to a half, so that many followers do not come back as one.
    mutating func fail(at now: Instant, retryAfter: Duration?, jitter: Double) {
        let pause = min(Duration.seconds(1 << min(failures, 16)), Self.longestBackOff)
        failures += 1
        next = now + max(pause * (1 - jitter / 2), min(retryAfter ?? .zero, Self.longestRetryAfter))
    }

    /// The next request is due now, whatever came before.
    mutating func hasten(at now: Instant) { next = now }
}

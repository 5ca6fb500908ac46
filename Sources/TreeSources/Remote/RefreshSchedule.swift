/// When an origin is requested next: at an interval, at once if it holds responses back until the document changes,
/// and less and less often while it fails.
struct RefreshSchedule: Sendable {
    typealias Instant = ContinuousClock.Instant

    /// How an origin treated the request to wait.
    enum Following: Sendable {
        /// It was not asked to wait yet.
        case unknown
        case applied
        /// It responded at once, so it is requested at the interval.
        case notApplied
    }

    private let interval: Duration
    /// When the next request is due.
    private(set) var next: Instant
    private var following = Following.unknown
    private var failures = 0
    /// When the latest request was sent.
    private var begun: Instant

    /// The pause after a response without news, so that an origin that claims to wait but does not causes no busy
    /// loop.
    static let leastSpacing = Duration.seconds(1)
    /// The pause after a response with news, because more may follow.
    static let newsSpacing = Duration.milliseconds(100)
    /// The longest pause after failures, without `Retry-After`.
    static let longestBackOff = Duration.seconds(60)
    /// The longest pause that an origin may ask for (`Retry-After`).
    static let longestRetryAfter = Duration.seconds(3_600)

    init(interval: Duration, from now: Instant) {
        self.interval = interval
        next = now
        begun = now
    }

    /// Whether the origin may hold its response back; not while it fails, because its next good response is news.
    var mayWait: Bool { failures == 0 }

    mutating func begin(at now: Instant) { begun = now }

    /// Notes that the origin returned its document, or confirmed the current one.
    ///
    /// - Parameters:
    ///   - isWaitApplied: whether it applied the requested wait; nil if it was not asked to wait.
    ///   - isNew: whether the document changed.
    mutating func succeed(at now: Instant, isWaitApplied: Bool?, isNew: Bool) {
        failures = 0
        if let isWaitApplied { following = isWaitApplied ? .applied : .notApplied }
        switch following {
        case .unknown, .applied: next = max(now, begun + (isNew ? Self.newsSpacing : Self.leastSpacing))
        case .notApplied: next = now + interval
        }
    }

    /// Notes that the origin returned nothing usable.
    ///
    /// - Parameters:
    ///   - retryAfter: the pause that the origin asked for.
    ///   - jitter: from 0 to 1; shortens the pause by up to a half, so that many followers do not come back as one.
    mutating func fail(at now: Instant, retryAfter: Duration?, jitter: Double) {
        let pause = min(Duration.seconds(1 << min(failures, 16)), Self.longestBackOff)
        failures += 1
        next = now + max(pause * (1 - jitter / 2), min(retryAfter ?? .zero, Self.longestRetryAfter))
    }

    /// Makes the next request due now.
    mutating func hasten(at now: Instant) { next = now }
}

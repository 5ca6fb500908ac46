/// When to read a source again after a failure that may pass without any event, such as a lack of descriptors.
struct RetrySchedule {
    /// When the next attempt is due; nil if none is.
    private(set) var next: ContinuousClock.Instant?
    /// The first pause; nil if the source is never read again by this schedule.
    private let interval: Duration?
    private var failures = 0

    /// The longest pause, unless the first one is longer.
    private static let longest = Duration.seconds(60)

    init(interval: Duration?) { self.interval = interval }

    /// Notes a failure; each pause is twice as long as the one before.
    mutating func fail(at now: ContinuousClock.Instant) {
        guard let interval else { return }
        next = now + max(interval, min(interval * (1 << min(failures, 16)), Self.longest))
        failures += 1
    }

    /// Cancels the next attempt; the next failure counts as the first one.
    mutating func reset() {
        next = nil
        failures = 0
    }
}

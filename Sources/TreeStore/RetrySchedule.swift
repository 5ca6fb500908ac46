/// When a source that could not be read is tried again, for what kept it from being read may have passed untold.
struct RetrySchedule {
    /// When the next try is due; nil where none is.
    private(set) var next: ContinuousClock.Instant?
    /// The first pause; nil where nothing is tried again.
    private let interval: Duration?
    private var failures = 0

    /// The longest pause that failures lead to, unless the first one is longer.
    private static let longest = Duration.seconds(60)

    init(interval: Duration?) { self.interval = interval }

    /// Notes a failure: each pause is twice as long as the one before.
    mutating func fail(at now: ContinuousClock.Instant) {
        guard let interval else { return }
        next = now + max(interval, min(interval * (1 << min(failures, 16)), Self.longest))
        failures += 1
    }

    /// Nothing is to be tried, and the next failure is the first one.
    mutating func reset() {
        next = nil
        failures = 0
    }
}

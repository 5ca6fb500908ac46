internal import Glibc

/// The time of day.
package enum WallClock {
    /// Seconds since 1970.
    package static var now: Double {
        var time = timespec()
        _ = unsafe clock_gettime(CLOCK_REALTIME, &time)
        return Double(time.tv_sec) + Double(time.tv_nsec) / 1e9
    }
}

/// Schedules the attempts to read a source again after failures. Each pause is twice as long as the previous one.
package struct RetrySchedule {
    /// The time of the next attempt; nil if no attempt is planned.
    package private(set) var next: ContinuousClock.Instant?
    private let first: Duration?
    private let longest: Duration
    private var failures = 0

    /// - Parameters:
    ///   - first: the first pause; nil for a schedule without attempts.
    ///   - longest: the longest pause, unless the first one is longer.
    package init(first: Duration?, longest: Duration) { (self.first, self.longest) = (first, longest) }

    /// Plans the next attempt after a failure.
    package mutating func fail(at now: ContinuousClock.Instant) {
        guard let first else { return }
        next = now + max(first, min(first * (1 << min(failures, 16)), longest))
        failures += 1
    }

    /// Cancels the next attempt; the next failure counts as the first one.
    package mutating func reset() {
        next = nil
        failures = 0
    }
}

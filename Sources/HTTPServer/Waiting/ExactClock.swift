import Glibc

/// Monotonic time in milliseconds, for deadlines that must not expire early: `CoarseClock` lags by up to a tick.
enum ExactClock {
    /// The last whole millisecond.
    static var now: Int64 { nanoseconds / 1_000_000 }

    /// The next whole millisecond: a period counted from here is never too short.
    static var next: Int64 { nanoseconds / 1_000_000 + 1 }

    /// Monotonic time in nanoseconds.
    static var nanoseconds: Int64 {
        var time = timespec()
        _ = unsafe clock_gettime(CLOCK_MONOTONIC, &time)
        return Int64(time.tv_sec) &* 1_000_000_000 &+ Int64(time.tv_nsec)
    }
}

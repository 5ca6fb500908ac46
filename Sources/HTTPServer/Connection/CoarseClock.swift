import Glibc

/// Monotonic time in milliseconds, exact to a tick of the kernel: read in a few nanoseconds without a system call.
enum CoarseClock {
    static var now: Int64 {
        var time = timespec()
        _ = unsafe clock_gettime(CLOCK_MONOTONIC_COARSE, &time)
        return Int64(time.tv_sec) &* 1000 &+ Int64(time.tv_nsec) / 1_000_000
    }
}

extension Duration {
    /// The milliseconds of a time-out; for 0, more than any server runs.
    var timeoutMilliseconds: Int64 { self > .zero ? min(max(milliseconds, 1), 1 << 60) : 1 << 60 }

    /// Whole milliseconds.
    var milliseconds: Int64 {
        let (seconds, attoseconds) = components
        return seconds.multipliedReportingOverflow(by: 1000).overflow
            ? Int64.max / 4 : seconds * 1000 + attoseconds / 1_000_000_000_000_000
    }
}

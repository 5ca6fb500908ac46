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

/// Monotonic time in milliseconds, exact to a tick of the kernel: read in a few nanoseconds without a system call.
enum CoarseClock {
    static var now: Int64 {
        var time = timespec()
        _ = unsafe clock_gettime(CLOCK_MONOTONIC_COARSE, &time)
        return Int64(time.tv_sec) &* 1000 &+ Int64(time.tv_nsec) / 1_000_000
    }
}

extension Duration {
    /// The milliseconds of a time-out. For 0, which means no limit, the result is longer than any server runs.
    var timeoutMilliseconds: Int64 { self > .zero ? min(max(milliseconds, 1), 1 << 60) : 1 << 60 }

    /// Whole milliseconds.
    var milliseconds: Int64 {
        let (seconds, attoseconds) = components
        return seconds.multipliedReportingOverflow(by: 1000).overflow
            ? Int64.max / 4 : seconds * 1000 + attoseconds / 1_000_000_000_000_000
    }
}

/// Spreads deadlines, so that thousands of deadlines set at the same time do not expire at the same instant.
///
/// They still expire in a few groups, because a wake-up of the library's threads is expensive and serves all deadlines
/// that have passed.
enum Jitter {
    /// A value below `range` that depends on a serial number. The values of consecutive numbers are spread evenly.
    static func part(of range: Int64, number: UInt64) -> Int64 {
        // Multiples of the golden ratio are never close to one another.
        let fraction = number &* 0x9E37_79B9_7F4A_7C15
        return Int64(fraction.multipliedFullWidth(by: UInt64(max(range, 0))).high)
    }

    /// The deadline after a time, in milliseconds of the exact clock. It is never early, and late by at most 5 % of the
    /// time and at most 1 s.
    static func deadline(after milliseconds: Int64, number: UInt64) -> Int64 {
        let most = min(milliseconds / 20, 1000)
        let step = max(most / 8, 1)
        // The jitter has at most seven steps, and rounding adds at most one.
        let wanted = ExactClock.next + milliseconds + part(of: most - step, number: number)
        return (wanted + step - 1) / step * step
    }
}

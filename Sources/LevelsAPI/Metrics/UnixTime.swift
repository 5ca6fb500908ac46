import Glibc

/// The time of day as Prometheus has it.
enum UnixTime {
    /// The seconds since 1970.
    static var now: Double {
        var time = timespec()
        unsafe clock_gettime(CLOCK_REALTIME, &time)
        return Double(time.tv_sec) + Double(time.tv_nsec) / 1e9
    }
}

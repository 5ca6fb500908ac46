/// The times at which the heartbeats of one stream are due.
struct HeartbeatSchedule {
    let heartbeat: Heartbeat
    /// In milliseconds of the exact clock.
    private(set) var next: Int64
    private(set) var isDue = false

    /// - Parameter number: a serial number, which separates streams that begin at the same time.
    init(_ heartbeat: Heartbeat, number: UInt64, now: Int64 = ExactClock.now) {
        self.heartbeat = heartbeat
        let half = heartbeat.milliseconds / 2
        next = now + half + Jitter.part(of: half, number: number)
        next = HeartbeatSchedule.rounded(next, in: heartbeat.milliseconds)
    }

    /// Marks the heartbeat as due if its time has come, and schedules the next.
    mutating func beat(at now: Int64 = ExactClock.now) {
        guard next <= now else { return }
        isDue = true
        let missed = (now - next) / heartbeat.milliseconds
        next += (missed + 1) * heartbeat.milliseconds
    }

    /// The heartbeat's bytes if it is due, and nil until it is due again.
    mutating func take() -> [UInt8]? {
        defer { isDue = false }
        return isDue ? heartbeat.bytes : nil
    }

    /// Streams share their wake-ups: 32 a period.
    private static func rounded(_ time: Int64, in period: Int64) -> Int64 {
        let step = max(period / 32, 1)
        return (time + step - 1) / step * step
    }
}

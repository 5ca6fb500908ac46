import Synchronization

/// Admits requests whose answers come later, long polls and event streams together, up to a number.
///
/// Whoever answers requests makes one and keeps it; it needs no server. A place is taken from the admission until the
/// waiter or the stream ends, in whatever way.
public final class WaitingRoom: Sendable {
    /// How many may wait at once.
    public let capacity: Int
    private let taken = Atomic<Int>(0)
    /// How many have been admitted since the start: decides who of many is put off how far.
    private let admitted = Atomic<UInt64>(0)

    public init(capacity: Int = 10_000) { self.capacity = max(0, capacity) }

    /// How many wait now.
    public var count: Int { taken.load(ordering: .relaxed) }

    /// Admits a request that waits for its response.
    ///
    /// - Parameters:
    ///   - time: how long it waits; up to 5 % of that and up to 1 s longer, so that not all give up at one instant.
    ///   - otherwise: the response when the time is over, or the server stops; many waiters may share one.
    ///   - onEnd: called once, when the wait is over, on the thread that ended it, which for `.answered` is the one
    ///     that calls `Waiter.finish`. No lock of the server is held then. It must not block.
    /// - Returns: `nil` where the room is full.
    public func admit(
        for time: Duration, otherwise: Response,
        onEnd: @escaping @Sendable (Waiter, Waiter.End) -> Void = { _, _ in }
    ) -> Waiter? {
        guard enter() else { return nil }
        let deadline = Jitter.deadline(after: time.timeoutMilliseconds, number: number())
        return Waiter(in: self, until: deadline, otherwise: otherwise, onEnd: onEnd)
    }

    /// Admits a stream of events; `Response.init(status:headers:events:)` makes it a response.
    ///
    /// - Parameters:
    ///   - source: what writes the events.
    ///   - heartbeat: what is sent at intervals between events, if anything.
    ///   - onEnd: called once, when the stream has ended, on the thread that ended it, with no lock of the server held.
    ///     It must not block.
    /// - Returns: `nil` where the room is full.
    public func admit(
        _ source: any EventSource, heartbeat: Heartbeat? = Heartbeat(),
        onEnd: @escaping @Sendable (EventStream, EventStream.End) -> Void = { _, _ in }
    ) -> EventStream? {
        guard enter() else { return nil }
        return EventStream(
            source, in: self, schedule: heartbeat.map { HeartbeatSchedule($0, number: number()) }, onEnd: onEnd)
    }

    /// One who was admitted has ended.
    func leave() { taken.subtract(1, ordering: .relaxed) }

    private func enter() -> Bool {
        if taken.add(1, ordering: .relaxed).newValue <= capacity { return true }
        leave()
        return false
    }

    private func number() -> UInt64 { admitted.add(1, ordering: .relaxed).newValue }
}

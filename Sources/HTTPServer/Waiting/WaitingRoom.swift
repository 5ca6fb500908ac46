import Synchronization

/// Admits requests that are answered later, long polls and event streams together, up to a limit.
///
/// A responder makes one and keeps it; it does not need a server. A place is taken from the admission until the waiter
/// or the stream ends for any reason.
public final class WaitingRoom: Sendable {
    /// The limit.
    public let capacity: Int
    private let taken = Atomic<Int>(0)
    /// The number admitted since the start; it determines each deadline's jitter.
    private let admitted = Atomic<UInt64>(0)

    /// Whether its requests wait for an event, and not for their turn: how long that takes says nothing of the server.
    let isForEvents: Bool

    /// - Parameters:
    ///   - capacity: how many requests may wait at the same time; a negative number counts as 0.
    ///   - isForEvents: whether they wait for an event, and not for their turn; the two are counted apart.
    public init(capacity: Int = 10_000, isForEvents: Bool = true) {
        self.capacity = max(0, capacity)
        self.isForEvents = isForEvents
    }

    /// The number of requests that wait now.
    public var count: Int { taken.load(ordering: .relaxed) }

    /// Admits a request that waits for its response.
    ///
    /// - Parameters:
    ///   - time: how long it waits; up to 5 % and at most 1 s longer, so that not all waits end at the same instant.
    ///   - otherwise: the response if the time is over or the server is stopping; made only then.
    ///   - isBrief: whether the response is expected so soon that memory is kept for the request.
    ///   - onEnd: called once, when the wait is over, on the thread that ended it, which for `.answered` is the one
    ///     that calls `Waiter.finish`. The server holds no lock during the call. It must not block.
    /// - Returns: nil if the limit is reached.
    public func admit(
        for time: Duration, otherwise: @autoclosure @escaping @Sendable () -> Response, isBrief: Bool = false,
        onEnd: @escaping @Sendable (Waiter, Waiter.End) -> Void = { _, _ in }
    ) -> Waiter? {
        guard enter() else { return nil }
        let deadline = Jitter.deadline(after: time.timeoutMilliseconds, number: number())
        return Waiter(in: self, until: deadline, otherwise: otherwise, isBrief: isBrief, onEnd: onEnd)
    }

    /// Admits a stream of events; `Response.init(status:headers:events:)` makes it a response.
    ///
    /// - Parameters:
    ///   - source: writes the events.
    ///   - heartbeat: sent at intervals between events; nil for none.
    ///   - onEnd: called once, when the stream has ended, on the thread that ended it. The server holds no lock during
    ///     the call. It must not block.
    /// - Returns: nil if the limit is reached.
    public func admit(
        _ source: any EventSource, heartbeat: Heartbeat? = Heartbeat(),
        onEnd: @escaping @Sendable (EventStream, EventStream.End) -> Void = { _, _ in }
    ) -> EventStream? {
        guard enter() else { return nil }
        return EventStream(
            source, in: self, schedule: heartbeat.map { HeartbeatSchedule($0, number: number()) }, onEnd: onEnd)
    }

    /// Frees the place of a waiter or a stream that has ended.
    func leave() { taken.subtract(1, ordering: .relaxed) }

    private func enter() -> Bool {
        if taken.add(1, ordering: .relaxed).newValue <= capacity { return true }
        leave()
        return false
    }

    private func number() -> UInt64 { admitted.add(1, ordering: .relaxed).newValue }
}

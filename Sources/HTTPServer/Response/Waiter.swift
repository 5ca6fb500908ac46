import Locking
import Synchronization

/// A promise of a response to a request: fulfilled once, from any thread.
///
/// `WaitingRoom.admit` makes a waiter, and the server receives it as `Answer.later`. The waiter may already be
/// fulfilled then.
public final class Waiter: Sendable, Sleeper {
    /// The reason for the end of a wait.
    public enum End: Sendable {
        /// `finish` supplied the response.
        case answered
        /// The time was over: `otherwise` is sent.
        case timedOut
        /// The client closed the connection.
        case clientGone
        /// The server is stopping: `otherwise` is sent.
        case serverStopping
    }

    /// The latest time at which the wait ends, in milliseconds of the exact clock.
    let deadline: Int64
    /// Whether the response is expected so soon that the request keeps its memory during the wait.
    let isBrief: Bool
    private let room: WaitingRoom
    /// Whether the request waits for an event, and not for its turn.
    var awaitsEvent: Bool { room.isForEvents }
    private let progress: Guarded<Progress>

    private struct Progress {
        var otherwise: @Sendable () -> Response
        /// Released at the end, so it may refer to the waiter.
        var onEnd: (@Sendable (Waiter, End) -> Void)?
        var end: End?
        var supplied = Supplied.nothing
        /// The connection to wake.
        var suspension: Suspension?

        /// Ends the wait, and returns the closure to call and the connection to wake. Both are nil if the wait had
        /// already ended.
        mutating func finish(_ end: End, with supplied: Supplied) -> (
            onEnd: (@Sendable (Waiter, End) -> Void)?, suspension: Suspension?
        ) {
            guard self.end == nil else { return (nil, nil) }
            self.end = end
            self.supplied = supplied
            return (onEnd.take(), suspension.take())
        }
    }

    /// The response that is sent when the wait has ended.
    private enum Supplied {
        case nothing
        case response(Response)
        /// Makes the response when the connection's thread sends it.
        case maker(@Sendable () -> Response)
    }

    init(
        in room: WaitingRoom, until deadline: Int64, otherwise: @escaping @Sendable () -> Response, isBrief: Bool,
        onEnd: @escaping @Sendable (Waiter, End) -> Void
    ) {
        self.room = room
        self.deadline = deadline
        self.isBrief = isBrief
        progress = Guarded(Progress(otherwise: otherwise, onEnd: onEnd))
    }

    deinit { if end == nil { room.leave() } }

    /// Supplies the response, and returns immediately. One of the server's threads sends the response.
    ///
    /// `onEnd` is called before this method returns, so do not hold a lock that `onEnd` takes.
    ///
    /// - Returns: false if the wait had already ended; the response is not sent then.
    @discardableResult
    public func finish(_ response: Response) -> Bool { end(.answered, with: .response(response)) }

    /// Supplies responses to several waiters, like `finish(_:)`, and wakes their connections together.
    ///
    /// - Parameter answers: each waiter with a closure that makes its response. The closure is called on the thread
    ///   that sends the response.
    public static func finish(_ answers: [(waiter: Waiter, response: @Sendable () -> Response)]) {
        Suspension.wake(
            answers.compactMap { waiter, response in waiter.finished(.answered, with: .maker(response)).suspension })
    }

    /// The response that is sent if the time is over or the server is stopping. You can replace it while the wait
    /// lasts.
    public var otherwise: Response {
        get { progress.withLock(\.otherwise)() }
        set { progress.withLock { $0.otherwise = { newValue } } }
    }

    /// Ends the wait as if its time were over, for tests without a server.
    ///
    /// - Returns: false if the wait had already ended.
    @discardableResult
    package func expire() -> Bool { end(.timedOut, with: .response(otherwise)) }

    /// The reason for the end of the wait; nil while it lasts.
    public var end: End? { progress.withLock { $0.end } }

    /// The response that was supplied; nil before that.
    ///
    /// If a closure makes the response, the first call runs it.
    public var response: Response? {
        switch progress.withLock(\.supplied) {
        case .nothing: return nil
        case .response(let response): return response
        case .maker(let make):
            let made = make()
            progress.withLock { $0.supplied = .response(made) }
            return made
        }
    }

    /// The reason for the end of the wait; nil while the wait lasts.
    ///
    /// If the wait still lasts, its end will wake the connection.
    func end(elseWaking suspension: Suspension) -> End? {
        progress.withLock { progress in
            if progress.end == nil { progress.suspension = suspension }
            return progress.end
        }
    }

    func timeIsOver() { end(.timedOut, with: .response(otherwise)) }
    func clientHasGone() { end(.clientGone, with: .nothing) }
    func serverStops() { end(.serverStopping, with: .response(otherwise)) }

    @discardableResult
    private func end(_ end: End, with supplied: Supplied) -> Bool {
        let (isFirst, suspension) = finished(end, with: supplied)
        suspension?.wake()
        return isFirst
    }

    /// Ends the wait, unless it had already ended. Returns whether this call ended the wait, and the connection to
    /// wake.
    private func finished(_ end: End, with supplied: Supplied) -> (isFirst: Bool, suspension: Suspension?) {
        let (onEnd, suspension) = progress.withLock { $0.finish(end, with: supplied) }
        guard let onEnd else { return (false, nil) }
        // The place is freed before the response is sent. So a client that immediately asks again finds the place free.
        room.leave()
        onEnd(self, end)
        return (true, suspension)
    }
}

/// A limited number of places for requests that are answered later, long polls and event streams together.
///
/// A responder makes a waiting room and keeps it; a waiting room does not need a server. A waiter or a stream takes a
/// place from its admission until it ends for any reason.
public final class WaitingRoom: Sendable {
    /// The maximum number of requests that wait at the same time.
    public let capacity: Int
    private let taken = Atomic<Int>(0)
    /// The number of requests admitted since the start; it determines each deadline's jitter.
    private let admitted = Atomic<UInt64>(0)

    /// Whether the requests wait for an event, and not for their turn. If so, their duration does not measure the
    /// server.
    let isForEvents: Bool

    /// - Parameters:
    ///   - capacity: the maximum number of requests that wait at the same time; a negative number counts as 0.
    ///   - isForEvents: true if the requests wait for an event, false if they wait for their turn. The two kinds are
    ///     counted separately.
    public init(capacity: Int = 10_000, isForEvents: Bool = true) {
        self.capacity = max(0, capacity)
        self.isForEvents = isForEvents
    }

    /// The number of requests that wait now.
    public var count: Int { taken.load(ordering: .relaxed) }

    /// Admits a request that waits for its response.
    ///
    /// - Parameters:
    ///   - time: the maximum wait, or zero for no limit. The actual wait is longer by at most 5 % and at most 1 s, so
    ///     that not all waits end at the same instant.
    ///   - otherwise: the response that is sent if the time is over or the server is stopping; made only then.
    ///   - isBrief: whether the response is expected so soon that the request keeps its memory during the wait.
    ///   - onEnd: called once, when the wait is over, on the thread that ended it; for `.answered`, this is the thread
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
            source: source, in: self, schedule: heartbeat.map { HeartbeatSchedule(heartbeat: $0, number: number()) },
            onEnd: onEnd)
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

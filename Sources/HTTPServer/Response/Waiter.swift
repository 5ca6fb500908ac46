import Locking
import Synchronization

/// A promise of a response to a request: fulfilled once, from any thread.
///
/// `WaitingRoom.admit` makes a waiter, and the server receives it as `Answer.later`. The waiter may already be
/// fulfilled then.
public final class Waiter: Sendable, Sleeper {
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
        var onEnd: (@Sendable (Waiter) -> Void)?
        /// Nil until the wait ends.
        var supplied: Supplied?
        /// The connection to wake.
        var suspension: Suspension?

        var hasEnded: Bool { supplied != nil }
    }

    /// The response that is sent when the wait has ended.
    private enum Supplied {
        case nothing
        case response(Response)
        /// Makes the response when the connection's thread sends it.
        case maker(@Sendable () -> Response)
    }

    init(
        in room: WaitingRoom, until deadline: Int64, otherwise: @escaping @Sendable () -> Response, isBrief: Bool
    ) {
        self.room = room
        self.deadline = deadline
        self.isBrief = isBrief
        progress = Guarded(Progress(otherwise: otherwise))
    }

    deinit { if !hasEnded { room.leave() } }

    /// Supplies the response, and returns immediately. One of the server's threads sends the response.
    ///
    /// The closure of `onEnd` is called before this method returns, so do not hold a lock that the closure takes.
    ///
    /// - Returns: false if the wait had already ended; the response is not sent then.
    @discardableResult
    public func finish(_ response: Response) -> Bool { end(with: .response(response)) }

    /// Supplies responses to several waiters, like `finish(_:)`, and wakes their connections together.
    ///
    /// - Parameter answers: each waiter with a closure that makes its response. The closure is called on the thread
    ///   that sends the response.
    public static func finish(_ answers: [(waiter: Waiter, response: @Sendable () -> Response)]) {
        Suspension.wake(
            answers.compactMap { waiter, response in waiter.finished(with: .maker(response)).suspension })
    }

    /// The response that is sent if the time is over or the server is stopping. You can replace it while the wait
    /// lasts.
    public var otherwise: Response {
        get { progress.withLock(\.otherwise)() }
        set { progress.withLock { $0.otherwise = { newValue } } }
    }

    /// Calls a closure once, when the wait is over, on the thread that ended it, such as the thread that calls
    /// `finish`. Replaces the closure of an earlier call. If the wait is already over, calls the closure immediately.
    ///
    /// The server holds no lock during the call. The closure must not block.
    public func onEnd(_ action: @escaping @Sendable (Waiter) -> Void) {
        let hasEnded = progress.withLock { progress in
            if !progress.hasEnded { progress.onEnd = action }
            return progress.hasEnded
        }
        if hasEnded { action(self) }
    }

    /// Ends the wait as if its time were over, for tests without a server.
    ///
    /// - Returns: false if the wait had already ended.
    @discardableResult
    package func expire() -> Bool { end(with: .response(otherwise)) }

    /// Whether the wait has ended: the response was supplied, the time was over, the client closed the connection, or
    /// the server is stopping.
    public var hasEnded: Bool { progress.withLock(\.hasEnded) }

    /// The response that was supplied; nil before that.
    ///
    /// If a closure makes the response, the first call runs it.
    public var response: Response? {
        switch progress.withLock(\.supplied) {
        case .nothing, nil: return nil
        case .response(let response): return response
        case .maker(let make):
            let made = make()
            progress.withLock { $0.supplied = .response(made) }
            return made
        }
    }

    /// Whether the wait has ended. If it still lasts, its end will wake the connection.
    func hasEnded(elseWaking suspension: Suspension) -> Bool {
        progress.withLock { progress in
            if !progress.hasEnded { progress.suspension = suspension }
            return progress.hasEnded
        }
    }

    func timeIsOver() { end(with: .response(otherwise)) }
    func clientHasGone() { end(with: .nothing) }
    func serverStops() { end(with: .response(otherwise)) }

    @discardableResult
    private func end(with supplied: Supplied) -> Bool {
        let (isFirst, suspension) = finished(with: supplied)
        suspension?.wake()
        return isFirst
    }

    /// Ends the wait, unless it had already ended. Returns whether this call ended the wait, and the connection to
    /// wake.
    private func finished(with supplied: Supplied) -> (isFirst: Bool, suspension: Suspension?) {
        let end = progress.withLock { progress -> (onEnd: (@Sendable (Waiter) -> Void)?, suspension: Suspension?)? in
            guard !progress.hasEnded else { return nil }
            progress.supplied = supplied
            return (progress.onEnd.take(), progress.suspension.take())
        }
        guard let end else { return (false, nil) }
        // The place is freed before the response is sent. So a client that immediately asks again finds the place free.
        room.leave()
        end.onEnd?(self)
        return (true, end.suspension)
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
    /// - Returns: nil if the limit is reached.
    public func admit(
        for time: Duration, otherwise: @autoclosure @escaping @Sendable () -> Response, isBrief: Bool = false
    ) -> Waiter? {
        guard enter() else { return nil }
        let deadline = Jitter.deadline(after: time.timeoutMilliseconds, number: number())
        return Waiter(in: self, until: deadline, otherwise: otherwise, isBrief: isBrief)
    }

    /// Admits a stream of events; `Response.init(status:headers:events:)` makes it a response.
    ///
    /// - Parameters:
    ///   - source: writes the events.
    ///   - heartbeat: the time between two heartbeats, which are sent while there are no events. The first heartbeat
    ///     follows after half of this time or later.
    ///   - onEnd: called once, when the stream has ended, on the thread that ended it. The server holds no lock during
    ///     the call. It must not block.
    /// - Returns: nil if the limit is reached.
    public func admit(
        _ source: any EventSource, heartbeat: Duration = .seconds(15),
        onEnd: @escaping @Sendable (EventStream) -> Void = { _ in }
    ) -> EventStream? {
        guard enter() else { return nil }
        return EventStream(
            source: source, in: self, schedule: HeartbeatSchedule(period: heartbeat, number: number()), onEnd: onEnd)
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

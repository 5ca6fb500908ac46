import Locking

/// A promise of a response to a request: fulfilled once, from any thread.
///
/// `WaitingRoom.admit` makes it, and the server receives it as `Answer.later`; it may be fulfilled before that.
public final class Waiter: Sendable, Sleeper {
    /// How a wait ended.
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

    /// When the time is over, in milliseconds of the exact clock.
    let deadline: Int64
    /// Whether the response is expected so soon that memory is kept for the request.
    let isBrief: Bool
    private let room: WaitingRoom
    /// Whether it waits for an event, and not for its turn.
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

        /// Ends the wait, and returns what to call and what to wake: nothing if it had ended before.
        mutating func finish(_ end: End, with supplied: Supplied) -> (
            onEnd: (@Sendable (Waiter, End) -> Void)?, suspension: Suspension?
        ) {
            guard self.end == nil else { return (nil, nil) }
            self.end = end
            self.supplied = supplied
            return (onEnd.take(), suspension.take())
        }
    }

    /// What is sent when the wait has ended.
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

    /// Supplies the response; one of the server's threads sends it, and this returns at once.
    ///
    /// `onEnd` is called before this returns, so hold no lock that it takes.
    ///
    /// - Returns: false if the wait had already ended; the response is not sent then.
    @discardableResult
    public func finish(_ response: Response) -> Bool { end(.answered, with: .response(response)) }

    /// Supplies responses to several waiters as `finish` does; their connections are woken together.
    ///
    /// - Parameter answers: each waiter with what makes its response, which the thread that sends it calls.
    public static func finish(_ answers: [(waiter: Waiter, response: @Sendable () -> Response)]) {
        Suspension.wake(
            answers.compactMap { waiter, response in waiter.finished(.answered, with: .maker(response)).suspension })
    }

    /// The response if the time is over or the server is stopping; it may be replaced while the wait lasts.
    public var otherwise: Response {
        get { progress.withLock(\.otherwise)() }
        set { progress.withLock { $0.otherwise = { newValue } } }
    }

    /// Ends the wait as if its time were over, for tests without a server.
    ///
    /// - Returns: false if the wait had already ended.
    @discardableResult
    public func expire() -> Bool { end(.timedOut, with: .response(otherwise)) }

    /// How the wait ended; nil while it lasts.
    public var end: End? { progress.withLock { $0.end } }

    /// The response that is or was sent; nil while there is none.
    ///
    /// A response that the connection's thread makes is made by the first call.
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

    /// How the wait ended; while it lasts, nil, and the connection is woken when it ends.
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

    /// Ends the wait, if it had not ended; returns the connection that is to be woken.
    private func finished(_ end: End, with supplied: Supplied) -> (isFirst: Bool, suspension: Suspension?) {
        let (onEnd, suspension) = progress.withLock { $0.finish(end, with: supplied) }
        guard let onEnd else { return (false, nil) }
        // The place is freed before the response is sent, so a client that asks again at once finds it.
        room.leave()
        onEnd(self, end)
        return (true, suspension)
    }
}

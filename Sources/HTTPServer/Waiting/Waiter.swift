import Locking

/// A request's promise of a response: fulfilled once, from any thread.
///
/// Made by `WaitingRoom.admit` and handed to the server as `Answer.later`; it may be fulfilled before that.
public final class Waiter: Sendable, Sleeper {
    /// How a wait came to its end.
    public enum End: Sendable {
        /// `finish` gave the response.
        case answered
        /// The time was over: the other response goes out.
        case timedOut
        /// The client closed the connection.
        case clientGone
        /// The server stops: the other response goes out.
        case serverStopping
    }

    /// The response when the time is over, or the server stops.
    public let otherwise: Response
    /// When the time is over, in milliseconds of the exact clock.
    let deadline: Int64
    private let room: WaitingRoom
    private let progress: Guarded<Progress>

    private struct Progress {
        /// Until the end, so that it may hold the waiter.
        var onEnd: (@Sendable (Waiter, End) -> Void)?
        var end: End?
        var response: Response?
        /// The connection that is to be woken.
        var suspension: Suspension?

        /// Whom to tell, and whom to wake; nobody where it has ended before.
        mutating func finish(_ end: End, with response: Response?) -> (
            onEnd: (@Sendable (Waiter, End) -> Void)?, suspension: Suspension?
        ) {
            guard self.end == nil else { return (nil, nil) }
            self.end = end
            self.response = response
            return (onEnd.take(), suspension.take())
        }
    }

    init(
        in room: WaitingRoom, until deadline: Int64, otherwise: Response,
        onEnd: @escaping @Sendable (Waiter, End) -> Void
    ) {
        self.room = room
        self.deadline = deadline
        self.otherwise = otherwise
        progress = Guarded(Progress(onEnd: onEnd))
    }

    deinit { if end == nil { room.leave() } }

    /// Gives the response; it goes out from one of the server's threads, and this returns at once.
    ///
    /// `onEnd` is called before this returns: hold no lock that it takes.
    /// - Returns: false where the wait had ended before, in whatever way: the response is not sent.
    @discardableResult
    public func finish(_ response: Response) -> Bool { end(.answered, with: response) }

    /// Ends the wait as if its time were over, as tests do without a server.
    /// - Returns: false where the wait had ended before.
    @discardableResult
    public func expire() -> Bool { end(.timedOut, with: otherwise) }

    /// How the wait ended, or `nil` while it goes on.
    public var end: End? { progress.withLock { $0.end } }

    /// The response that goes out, or went; `nil` while there is none.
    public var response: Response? { progress.withLock { $0.response } }

    /// How the wait ended; while it goes on, `nil`, and the connection is woken when it does.
    func end(elseWaking suspension: Suspension) -> End? {
        progress.withLock { progress in
            if progress.end == nil { progress.suspension = suspension }
            return progress.end
        }
    }

    func timeIsOver() { end(.timedOut, with: otherwise) }
    func clientHasGone() { end(.clientGone, with: nil) }
    func serverStops() { end(.serverStopping, with: otherwise) }

    @discardableResult
    private func end(_ end: End, with response: Response?) -> Bool {
        let (onEnd, suspension) = progress.withLock { $0.finish(end, with: response) }
        guard let onEnd else { return false }
        // The place is free before the answer is out: a client that asks again at once finds it.
        room.leave()
        onEnd(self, end)
        suspension?.wake()
        return true
    }
}

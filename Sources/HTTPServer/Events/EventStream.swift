import Locking

/// A body whose pieces come later: read from its source when there is something, and asleep otherwise.
///
/// Made by `WaitingRoom.admit`; it can be the body of one response.
public final class EventStream: Sendable, Sleeper {
    /// How a stream came to its end.
    public enum End: Sendable {
        /// The source said that it is complete, or the answer has no body (HEAD).
        case complete
        /// The source failed.
        case failed
        /// The client closed the connection, or was cut since it did not read.
        case clientGone
        /// The server stops: the stream was ended as if it were complete.
        case serverStopping
    }

    private let room: WaitingRoom
    private let progress: Guarded<Progress>

    private struct Progress {
        /// Both until the end, so that they may hold the stream.
        var source: (any EventSource)?
        var onEnd: (@Sendable (EventStream, End) -> Void)?
        var end: End?
        var schedule: HeartbeatSchedule?
        var hasClientGone = false
        var isServerStopping = false
        /// The connection that is to be woken.
        var suspension: Suspension?
    }

    init(
        _ source: any EventSource, in room: WaitingRoom, schedule: HeartbeatSchedule?,
        onEnd: @escaping @Sendable (EventStream, End) -> Void
    ) {
        self.room = room
        progress = Guarded(Progress(source: source, onEnd: onEnd, schedule: schedule))
    }

    deinit { if end == nil { room.leave() } }

    /// Has the source read again: called from any thread after it has got something, or has come to its end.
    ///
    /// Cheap, never blocks, and does no harm where there is nothing. No wake is lost: what the source had before it
    /// will be read after it.
    public func wake() { progress.withLock { $0.suspension }?.wake() }

    /// How the stream ended, or `nil` while it goes on.
    public var end: End? { progress.withLock { $0.end } }

    /// The connection that is woken from now on.
    func attach(_ suspension: Suspension) { progress.withLock { $0.suspension = suspension } }

    /// When the next heartbeat is due, in milliseconds of the exact clock.
    var nextHeartbeat: Int64 { progress.withLock { $0.schedule?.next } ?? .max }

    /// The next piece: of the source, else a heartbeat that is due, else the end where the server stops.
    func read(into buffer: UnsafeMutableRawBufferPointer) -> EventPiece {
        guard let source = progress.withLock({ $0.hasClientGone ? nil : $0.source }) else { return .failure }
        let piece = unsafe source.read(into: buffer)
        switch piece {
        case .bytes(let count): return count > 0 && count <= buffer.count ? piece : .failure
        case .end: finish(.complete)
        case .failure: finish(.failed)
        case .nothing: return unsafe readBetweenEvents(into: buffer)
        }
        return piece
    }

    private func readBetweenEvents(into buffer: UnsafeMutableRawBufferPointer) -> EventPiece {
        let (isServerStopping, heartbeat) = progress.withLock { ($0.isServerStopping, $0.schedule?.take()) }
        if isServerStopping {
            finish(.serverStopping)
            return .end
        }
        guard let heartbeat, buffer.count >= heartbeat.count else { return .nothing }
        unsafe buffer.copyBytes(from: heartbeat)
        return heartbeat.isEmpty ? .nothing : .bytes(heartbeat.count)
    }

    func timeIsOver() {
        progress.withLock { progress in
            progress.schedule?.beat()
            return progress.suspension
        }?.wake()
    }

    func clientHasGone() {
        progress.withLock { progress in
            progress.hasClientGone = true
            return progress.suspension
        }?.wake()
        finish(.clientGone)
    }

    func serverStops() {
        progress.withLock { progress in
            progress.isServerStopping = true
            return progress.suspension
        }?.wake()
    }

    /// Nothing more is read; the first call tells the owner.
    func finish(_ end: End) {
        let (source, onEnd) = progress.withLock { progress in
            progress.end = progress.end ?? end
            progress.suspension = nil
            // Let go by the caller: what its end does is done without the lock.
            return (progress.source.take(), progress.onEnd.take())
        }
        guard let onEnd else { return }
        room.leave()
        onEnd(self, end)
        withExtendedLifetime(source) {}
    }
}

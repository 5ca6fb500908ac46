import Locking

/// A body of events: read from its source when that has something to send; the connection sleeps otherwise.
///
/// `WaitingRoom.admit` makes it; it can be the body of one response.
public final class EventStream: Sendable, Sleeper {
    /// How a stream ended.
    public enum End: Sendable {
        /// The source was complete, or the response has no body (HEAD).
        case complete
        /// The source failed.
        case failed
        /// The client closed the connection, or was disconnected because it did not read.
        case clientGone
        /// The server is stopping: the stream ended as if it were complete.
        case serverStopping
    }

    private let room: WaitingRoom
    private let progress: Guarded<Progress>

    private struct Progress {
        /// Both are released at the end, so they may refer to the stream.
        var source: (any EventSource)?
        var onEnd: (@Sendable (EventStream, End) -> Void)?
        var end: End?
        var schedule: HeartbeatSchedule?
        var hasClientGone = false
        var isServerStopping = false
        /// The connection to wake.
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

    /// Reads the source again; called from any thread once the source has something to send, or has ended.
    ///
    /// It is cheap, never blocks, and is harmless if there is nothing to send. No wake is lost: whatever the source had
    /// before the call is read after it.
    public func wake() { progress.withLock { $0.suspension }?.wake() }

    /// How the stream ended; nil while it is open.
    public var end: End? { progress.withLock { $0.end } }

    /// Sets the connection to wake from now on.
    func attach(_ suspension: Suspension) { progress.withLock { $0.suspension = suspension } }

    /// When the next heartbeat is due, in milliseconds of the exact clock.
    var nextHeartbeat: Int64 { progress.withLock { $0.schedule?.next } ?? .max }

    /// The next piece: from the source, or a heartbeat that is due, or the end if the server is stopping.
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

    /// Ends the stream; the first call notifies the owner.
    func finish(_ end: End) {
        let (source, onEnd) = progress.withLock { progress in
            progress.end = progress.end ?? end
            progress.suspension = nil
            // Released by the caller, so that their deinitializers run without the lock.
            return (progress.source.take(), progress.onEnd.take())
        }
        guard let onEnd else { return }
        room.leave()
        onEnd(self, end)
        withExtendedLifetime(source) {}
    }
}

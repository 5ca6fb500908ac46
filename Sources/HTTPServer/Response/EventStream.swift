import Locking

/// A body of events: the connection sleeps until the source has something to send.
///
/// `WaitingRoom.admit` makes a stream. A stream can be the body of one response.
public final class EventStream: Sendable, Sleeper {
    private let room: WaitingRoom
    private let progress: Guarded<Progress>

    private struct Progress {
        /// The source and `onEnd` are released at the end, so they may refer to the stream; nil from then on.
        var source: (any EventSource)?
        var onEnd: (@Sendable (EventStream) -> Void)?
        var schedule: HeartbeatSchedule
        var hasClientGone = false
        var isServerStopping = false
        /// The connection to wake.
        var suspension: Suspension?
    }

    init(
        source: any EventSource, in room: WaitingRoom, schedule: HeartbeatSchedule,
        onEnd: @escaping @Sendable (EventStream) -> Void
    ) {
        self.room = room
        progress = Guarded(Progress(source: source, onEnd: onEnd, schedule: schedule))
    }

    deinit { if progress.withLock({ $0.onEnd != nil }) { room.leave() } }

    /// Makes the server read the source again. Call this on any thread once the source has something to send or has
    /// ended.
    ///
    /// A call is cheap, never blocks, and does no harm if there is nothing to send. No wake is lost.
    public func wake() { progress.withLock { $0.suspension }?.wake() }

    func attach(_ suspension: Suspension) { progress.withLock { $0.suspension = suspension } }

    /// The time of the next heartbeat, in milliseconds of the exact clock.
    var nextHeartbeat: Int64 { progress.withLock(\.schedule.next) }

    /// Reads the next piece from the source. Fails if the stream has ended.
    ///
    /// If the source has nothing to send, reads a heartbeat that is due, or the end if the server is stopping.
    func read(into buffer: UnsafeMutableRawBufferPointer) -> EventPiece {
        guard let source = progress.withLock({ $0.hasClientGone ? nil : $0.source }) else { return .failure }
        let piece = unsafe source.read(into: buffer)
        switch piece {
        case .bytes(let count): return count > 0 && count <= buffer.count ? piece : .failure
        case .end, .failure: finish()
        case .nothing: return unsafe readBetweenEvents(into: buffer)
        }
        return piece
    }

    private func readBetweenEvents(into buffer: UnsafeMutableRawBufferPointer) -> EventPiece {
        let (isServerStopping, heartbeat) = progress.withLock { ($0.isServerStopping, $0.schedule.take()) }
        if isServerStopping {
            finish()
            return .end
        }
        guard let heartbeat, buffer.count >= heartbeat.count else { return .nothing }
        unsafe buffer.copyBytes(from: heartbeat)
        return .bytes(heartbeat.count)
    }

    func timeIsOver() {
        progress.withLock { progress in
            progress.schedule.beat()
            return progress.suspension
        }?.wake()
    }

    func clientHasGone() {
        progress.withLock { progress in
            progress.hasClientGone = true
            return progress.suspension
        }?.wake()
        finish()
    }

    func serverStops() {
        progress.withLock { progress in
            progress.isServerStopping = true
            return progress.suspension
        }?.wake()
    }

    /// Ends the stream; the first call notifies the owner.
    func finish() {
        let (source, onEnd) = progress.withLock { progress in
            progress.suspension = nil
            // The caller releases both values, so that their deinitializers run without the lock.
            return (progress.source.take(), progress.onEnd.take())
        }
        guard let onEnd else { return }
        room.leave()
        onEnd(self)
        withExtendedLifetime(source) {}
    }
}

/// Writes the events of a stream as they occur.
public protocol EventSource: AnyObject, Sendable {
    /// Writes the available bytes, without waiting.
    ///
    /// The server calls this method on one of its threads, one call at a time: at the start, after each piece that was
    /// sent, and after `EventStream.wake`. A piece may end anywhere. Return `.nothing` only between two events, because
    /// a heartbeat may follow.
    ///
    /// - Parameter buffer: room for at least 64 bytes.
    func read(into buffer: UnsafeMutableRawBufferPointer) -> EventPiece
}

/// The result of one read of an event source.
public enum EventPiece: Sendable, Equatable {
    /// This number of bytes was written, at least one.
    case bytes(Int)
    /// Nothing is available now; `EventStream.wake` announces the next event.
    case nothing
    /// The stream is complete.
    case end
    /// The stream cannot continue: the connection is cut, so that the client does not take the stream for complete.
    case failure
}

/// The times at which the heartbeats of one stream are due.
///
/// A heartbeat is sent while a stream has nothing else to send, so that proxies and clients keep the connection.
struct HeartbeatSchedule {
    /// A comment of an event stream.
    static let heartbeat = Array(": \n\n".utf8)

    /// The time between two heartbeats, in milliseconds.
    private let period: Int64
    /// The time of the next heartbeat, in milliseconds of the exact clock.
    private(set) var next: Int64
    private(set) var isDue = false

    /// - Parameters:
    ///   - period: the time between two heartbeats. The first heartbeat follows after half of this time or later.
    ///   - number: a serial number, which separates the heartbeats of streams that begin at the same time.
    init(period: Duration, number: UInt64, now: Int64 = ExactClock.now) {
        self.period = max(period.milliseconds, 1)
        let half = self.period / 2
        next = now + half + Jitter.part(of: half, number: number)
        next = HeartbeatSchedule.rounded(next, in: self.period)
    }

    /// Marks the heartbeat as due if its time has come, and schedules the next.
    mutating func beat(at now: Int64 = ExactClock.now) {
        guard next <= now else { return }
        isDue = true
        let missed = (now - next) / period
        next += (missed + 1) * period
    }

    /// Returns the bytes of the heartbeat and marks it as sent; returns nil if the heartbeat is not due.
    mutating func take() -> [UInt8]? {
        defer { isDue = false }
        return isDue ? Self.heartbeat : nil
    }

    /// Rounds a time up to one of 32 points in each period, so that streams share their wake-ups.
    private static func rounded(_ time: Int64, in period: Int64) -> Int64 {
        let step = max(period / 32, 1)
        return (time + step - 1) / step * step
    }
}

import Glibc

/// Reads a stream for the library, and gives its connection time as long as the client takes what comes.
///
/// Sendable, since only the one connection that the response is queued on reads it, under the library's lock.
final class StreamReader: @unchecked Sendable {
    private let body: Body
    private var connection: Attended?
    /// The bytes that the library has taken so far.
    private(set) var written = 0
    /// The longest piece since memory was given back; before the first, the library has filled its buffer with zeros.
    private var mostWritten = Int.max

    private enum Body {
        case document(any BodyStream)
        case events(EventStream)
    }

    /// The connection that is read for.
    private struct Attended {
        let suspension: Suspension
        /// What each piece puts off its deadline by.
        let milliseconds: Int64
        /// Whether the end of the connection tells the end of the stream.
        let isLast: Bool
    }

    init(_ stream: any BodyStream) { body = .document(stream) }

    init(_ events: EventStream) { body = .events(events) }

    deinit { end(.clientGone) }

    /// The events, where the stream is one of them.
    var events: EventStream? {
        if case .events(let events) = body { events } else { nil }
    }

    /// The bytes of the library's own buffer, which each stream has, and only HTTP/1.0 needs.
    var blockSize: Int {
        switch body {
        case .document: 32 << 10
        case .events: 1 << 10
        }
    }

    /// Has each piece put off the deadline of this connection.
    /// - Parameters:
    ///   - suspension: how the connection sleeps while there is nothing.
    ///   - isLast: whether the connection ends with the answer.
    func attend(_ suspension: Suspension, allowing milliseconds: Int64, isLast: Bool) {
        connection = Attended(suspension: suspension, milliseconds: milliseconds, isLast: isLast)
        events?.attach(suspension)
    }

    /// The connection is done with the answer.
    func end(_ end: EventStream.End) { events?.finish(end) }

    /// Translates a piece into the library's terms: its size, -1 at the end, -2 to cut the connection, and 0 where there
    /// is nothing now and the connection sleeps.
    func read(into buffer: UnsafeMutableRawBufferPointer) -> Int {
        if let connection { connection.suspension.state.work(until: CoarseClock.now + connection.milliseconds) }
        let outcome =
            switch body {
            case .document(let stream): unsafe read(stream, into: buffer)
            case .events(let events): unsafe read(events, into: buffer)
            }
        if outcome > 0 { written += outcome }
        if let connection, outcome < -1 || outcome < 0 && connection.isLast { connection.suspension.haveClosed() }
        return outcome
    }

    private func read(_ stream: any BodyStream, into buffer: UnsafeMutableRawBufferPointer) -> Int {
        let count = unsafe stream.read(into: buffer)
        if count == 0 { return -1 }
        return count < 0 || count > buffer.count ? -2 : count
    }

    private func read(_ events: EventStream, into buffer: UnsafeMutableRawBufferPointer) -> Int {
        while true {
            connection?.suspension.stayAwake()
            switch unsafe events.read(into: buffer) {
            case .bytes(let count):
                mostWritten = max(mostWritten, count)
                return count
            case .end: return -1
            case .failure: return -2
            case .nothing:
                // Without a connection, in tests, nobody sleeps.
                guard let suspension = connection?.suspension else { return 0 }
                unsafe shrink(buffer)
                if suspension.sleep(for: events, until: events.nextHeartbeat) { return 0 }
            }
        }
    }

    /// Gives back the pages of the library's buffer before the first sleep, and when more than a little was in it.
    private func shrink(_ buffer: UnsafeMutableRawBufferPointer) {
        guard mostWritten > StreamReader.keptBytes else { return }
        unsafe IdlePages.release(within: UnsafeRawBufferPointer(buffer))
        mostWritten = 0
    }

    private static let keptBytes = 1 << 10
}

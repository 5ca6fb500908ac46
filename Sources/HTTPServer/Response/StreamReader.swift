/// Reads a stream for the library, and extends the deadline of a connection that sends events.
///
/// Unchecked Sendable: only the connection on which the response is queued reads the stream, under the library's lock.
final class StreamReader: @unchecked Sendable {
    private let body: Body
    /// The length of the body in bytes; nil if the length is not known in advance.
    let length: Int?
    private var connection: Attended?
    private(set) var written = 0

    private enum Body {
        case document(any BodyStream)
        case events(EventStream)
    }

    /// The connection that sends the stream.
    private struct Attended {
        let suspension: Suspension
        /// The time from the sending of a piece of events to the connection's new deadline, in milliseconds.
        let milliseconds: Int64
        /// Whether the end of the connection marks the end of the stream.
        let isLast: Bool
    }

    init(stream: any BodyStream, length: Int? = nil) {
        body = .document(stream)
        self.length = length
    }

    init(_ events: EventStream) {
        body = .events(events)
        length = nil
    }

    deinit { events?.finish() }

    var events: EventStream? {
        if case .events(let events) = body { events } else { nil }
    }

    /// The size of the library's buffer for the stream, in bytes. Each stream has a buffer, but only HTTP/1.0 needs it.
    var blockSize: Int {
        switch body {
        case .document: 32 << 10
        case .events: 1 << 10
        }
    }

    /// The bytes of memory that sending the stream takes, with the library's buffer.
    var memory: Int {
        switch body {
        case .document(let stream): blockSize + stream.memory
        case .events: 0
        }
    }

    /// The bytes from which the stream is made; nil if the stream does not share them.
    var sharedBody: Response.Body? {
        if case .document(let stream) = body { stream.sharedBody } else { nil }
    }

    /// Sets the connection that sends the stream. Each piece of events extends the deadline of the connection.
    ///
    /// - Parameters:
    ///   - suspension: puts the connection to sleep while the stream has nothing to send.
    ///   - milliseconds: the time from the sending of a piece of events to the connection's new deadline.
    ///   - isLast: whether the connection ends with the answer.
    func attend(_ suspension: Suspension, allowing milliseconds: Int64, isLast: Bool) {
        connection = Attended(suspension: suspension, milliseconds: milliseconds, isLast: isLast)
        events?.attach(suspension)
    }

    /// Reads a piece and returns its size. Returns -1 at the end, -2 to cut the connection, and 0 if the connection
    /// sleeps until the stream has more to send.
    func read(into buffer: UnsafeMutableRawBufferPointer) -> Int {
        if let connection, events != nil {
            connection.suspension.state.work(until: CoarseClock.now + connection.milliseconds)
        }
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
            case .bytes(let count): return count
            case .end: return -1
            case .failure: return -2
            case .nothing:
                // In tests without a connection, nothing sleeps.
                guard let suspension = connection?.suspension else { return 0 }
                if suspension.sleep(for: events, until: events.nextHeartbeat) { return 0 }
            }
        }
    }
}

/// A body that is produced while it is sent.
public protocol BodyStream: AnyObject {
    /// Writes the next bytes.
    ///
    /// The server calls this method on one of its threads, one call at a time.
    ///
    /// - Parameter buffer: room for at least one byte.
    /// - Returns: the number of bytes written; 0 at the end; a negative number to cut the connection.
    func read(into buffer: UnsafeMutableRawBufferPointer) -> Int

    /// The approximate size of the stream's buffers in bytes, without the shared body.
    var memory: Int { get }
    /// The bytes from which the stream is made, if other responses share them; otherwise nil.
    var sharedBody: Response.Body? { get }
}

extension BodyStream {
    /// 0, because the buffers are small.
    public var memory: Int { 0 }
    /// Nil, because no bytes are shared.
    public var sharedBody: Response.Body? { nil }
}

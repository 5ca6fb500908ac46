/// Reads a stream for the library, and gives its connection time as long as the client takes what comes.
///
/// Sendable, since only the one connection that the response is queued on reads it, under the library's lock.
final class StreamReader: @unchecked Sendable {
    private let stream: any BodyStream
    private var state: ConnectionState?
    private var time: Int64 = 0

    init(_ stream: any BodyStream) { self.stream = stream }

    /// Has each piece put off the deadline of this connection.
    func attend(_ state: ConnectionState, allowing milliseconds: Int64) {
        self.state = state
        time = milliseconds
    }

    /// Translates the answer of `BodyStream.read` into the library's: -1 at the end, -2 to cut the connection.
    func read(into buffer: UnsafeMutableRawBufferPointer) -> Int {
        state?.work(until: CoarseClock.now + time)
        let count = unsafe stream.read(into: buffer)
        if count == 0 { return -1 }
        return count < 0 || count > buffer.count ? -2 : count
    }
}

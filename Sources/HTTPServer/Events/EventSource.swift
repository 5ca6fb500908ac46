/// What writes the events of a stream, as they come.
public protocol EventSource: AnyObject, Sendable {
    /// Writes what there is, without waiting.
    ///
    /// Called on one of the server's threads, never twice at once: at the start, after each piece that was sent, and
    /// after `EventStream.wake`. Pieces may end anywhere, but `.nothing` is said between two events only, since a
    /// heartbeat may follow it.
    /// - Parameter buffer: room for at least 64 bytes.
    func read(into buffer: UnsafeMutableRawBufferPointer) -> EventPiece
}

/// What an event source had to give.
public enum EventPiece: Sendable, Equatable {
    /// So many bytes were written, at least one.
    case bytes(Int)
    /// There is nothing now; `EventStream.wake` tells when there is.
    case nothing
    /// The stream is complete.
    case end
    /// The stream cannot go on: the connection is cut, so that nobody takes it for complete.
    case failure
}

/// What is sent at intervals while a stream has nothing else to send, so that proxies and clients keep the connection.
public struct Heartbeat: Sendable {
    let bytes: [UInt8]
    let milliseconds: Int64

    /// - Parameters:
    ///   - bytes: at most 64; a comment of an event stream, unless told otherwise.
    ///   - period: the time from one to the next; the first comes after half of it or later.
    public init(_ bytes: [UInt8] = Array(": \n\n".utf8), every period: Duration = .seconds(15)) {
        precondition(bytes.count <= 64, "a heartbeat of \(bytes.count) bytes; at most 64 fit into every buffer")
        self.bytes = bytes
        milliseconds = max(period.milliseconds, 1)
    }
}

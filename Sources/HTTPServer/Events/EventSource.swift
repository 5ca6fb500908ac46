/// Writes the events of a stream as they occur.
public protocol EventSource: AnyObject, Sendable {
    /// Writes what is available, without waiting.
    ///
    /// The server calls it on one of its threads, one call at a time: at the start, after each piece that was sent, and
    /// after `EventStream.wake`. Pieces may end anywhere, but `.nothing` may be returned only between two events, because
    /// a heartbeat may follow it.
    ///
    /// - Parameter buffer: room for at least 64 bytes.
    func read(into buffer: UnsafeMutableRawBufferPointer) -> EventPiece
}

/// The result of one read of an event source.
public enum EventPiece: Sendable, Equatable {
    /// So many bytes were written, at least one.
    case bytes(Int)
    /// Nothing is available now; `EventStream.wake` announces the next event.
    case nothing
    /// The stream is complete.
    case end
    /// The stream cannot continue: the connection is cut, so that the client does not take the stream for complete.
    case failure
}

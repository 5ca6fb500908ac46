/// A body that is produced while it is sent.
public protocol BodyStream: AnyObject {
    /// Writes the next bytes.
    ///
    /// The server calls it on one of its threads, one call at a time.
    ///
    /// - Parameter buffer: room for at least one byte.
    /// - Returns: the number of bytes written; 0 at the end; a negative number to cut the connection.
    func read(into buffer: UnsafeMutableRawBufferPointer) -> Int

    /// The approximate number of bytes of its buffers, without the shared body.
    var memory: Int { get }
    /// The bytes that it is made of, if other responses share them; nil if it holds none.
    var sharedBody: Response.Body? { get }
}

extension BodyStream {
    /// None that count.
    public var memory: Int { 0 }
    /// None.
    public var sharedBody: Response.Body? { nil }
}

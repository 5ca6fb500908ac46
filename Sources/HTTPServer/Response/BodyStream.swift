/// A body that is produced while it is sent.
public protocol BodyStream: AnyObject {
    /// Writes the next bytes.
    ///
    /// The server calls it on one of its threads, one call at a time.
    ///
    /// - Parameter buffer: room for at least one byte.
    /// - Returns: the number of bytes written; 0 at the end; a negative number to cut the connection.
    func read(into buffer: UnsafeMutableRawBufferPointer) -> Int
}

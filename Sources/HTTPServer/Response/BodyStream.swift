/// A body that is made while it is sent.
public protocol BodyStream: AnyObject {
    /// Writes the next bytes.
    ///
    /// Called on one of the server's threads, never twice at once.
    /// - Parameter buffer: room for at least one byte.
    /// - Returns: how many bytes were written; 0 at the end; a negative number cuts the connection.
    func read(into buffer: UnsafeMutableRawBufferPointer) -> Int
}

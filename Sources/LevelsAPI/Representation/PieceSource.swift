import HTTPServer

/// A source of a body, piece by piece.
protocol PieceSource: AnyObject {
    /// Passes the next piece; false if the document cannot continue.
    ///
    /// The boundaries between pieces depend only on the document, not on how it is read.
    func takePiece(_ take: (_ piece: Span<UInt8>, _ isLast: Bool) -> Void) -> Bool

    /// The approximate number of bytes of its buffers, without the shared body.
    var memory: Int { get }
    /// The bytes that it is made of, if other responses share them.
    var sharedBody: Response.Body? { get }
}

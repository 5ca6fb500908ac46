/// A source of a body, piece by piece.
protocol PieceSource: AnyObject {
    /// Passes the next piece; false if the document cannot continue.
    ///
    /// The boundaries between pieces depend only on the document, not on how it is read.
    func takePiece(_ take: (_ piece: Span<UInt8>, _ isLast: Bool) -> Void) -> Bool
}

import Bytes
import HTTPServer

/// A stream whose first piece can be written before anything is sent. Its pieces can be taken instead of read.
protocol AheadStream: BodyStream, PieceSource {
    /// Writes the first piece; called at most once, before anything is read.
    func writeAhead() -> AheadOutcome
}

import Bytes

/// The result of writing the first piece of a document.
enum AheadOutcome: ~Copyable {
    /// The piece is the whole document.
    case whole(ByteBuffer)
    /// More pieces follow.
    case goesOn
    /// The format cannot represent something in the piece.
    case failed
    /// There is not enough memory for the piece.
    case outOfMemory
}

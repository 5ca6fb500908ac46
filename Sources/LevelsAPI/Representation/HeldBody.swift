import Bytes

/// A body in memory as a source of pieces.
final class HeldBody: PieceSource {
    private let bytes: [UInt8]
    private var taken = 0

    private static let pieceBytes = 64 << 10

    init(_ bytes: [UInt8]) { self.bytes = bytes }

    func takePiece(_ take: (_ piece: Span<UInt8>, _ isLast: Bool) -> Void) -> Bool {
        let bytes = bytes
        let end = min(bytes.count, taken + Self.pieceBytes)
        take(bytes.span.extracting(taken..<end), end == bytes.count)
        taken = end
        return true
    }
}

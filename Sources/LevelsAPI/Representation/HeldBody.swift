import Bytes
import HTTPServer

/// A body in memory as a source of pieces.
final class HeldBody: PieceSource {
    private let body: Response.Body
    private var taken = 0

    private static let pieceBytes = 64 << 10

    init(_ body: Response.Body) { self.body = body }

    var memory: Int { 0 }
    var sharedBody: Response.Body? { body }

    func takePiece(_ take: (_ piece: Span<UInt8>, _ isLast: Bool) -> Void) -> Bool {
        let body = body
        let end = min(body.count, taken + Self.pieceBytes)
        take(body.span.extracting(taken..<end), end == body.count)
        taken = end
        return true
    }
}

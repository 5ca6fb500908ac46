import Bytes
import HTTPServer
import PropertyLists

/// Compact JSON that is indented while it is sent. At most one piece is in memory, in compact and in indented form.
final class IndentedStream: AheadStream {
    private let compact: any PieceSource
    private var indentation = JSONIndentation()
    /// The latest compact piece, and the number of its bytes that have been indented.
    private var piece = ByteBuffer()
    private var laidOut = 0
    private var isLast = false
    private(set) var hasFailed = false
    var output = ByteBuffer()

    private static let outputBytes = 64 << 10
    /// The number of bytes that are indented between two checks of the output's length. Deep in a tree, one byte may
    /// become a line of several kilobytes.
    private static let sliceBytes = 1 << 10

    init(_ compact: any PieceSource) { self.compact = compact }

    var isIncomplete: Bool { piece.isIncomplete || output.isIncomplete }
    var isFinished: Bool { isLast && laidOut == piece.count }
    /// Three times `outputBytes` covers the piece and the output, because the last slice can exceed `outputBytes`.
    var memory: Int { compact.memory + 3 * Self.outputBytes }
    var sharedBody: Response.Body? { compact.sharedBody }

    func fill() {
        while output.count < Self.outputBytes, !isFinished, !hasFailed {
            if laidOut == piece.count {
                takeCompact()
            } else {
                let end = min(piece.count, laidOut + Self.sliceBytes)
                indentation.append(piece.span.extracting(laidOut..<end), to: &output)
                laidOut = end
            }
        }
    }

    private func takeCompact() {
        piece.truncate(to: 0)
        laidOut = 0
        let isTaken = compact.takePiece { taken, isLast in
            piece.append(taken)
            self.isLast = isLast
        }
        hasFailed = !isTaken || isIncomplete
    }
}

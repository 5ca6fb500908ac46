import Bytes
import HTTPServer

/// Compact JSON that is indented while it is sent; at most one piece is in memory, compact and indented.
final class IndentedStream: AheadStream {
    private let compact: any PieceSource
    private var indentation = JSONIndentation()
    /// The latest compact piece, and how many of its bytes have been indented.
    private var piece = ByteBuffer()
    private var laidOut = 0
    private var isLast = false
    private var hasFailed = false
    private var output = ByteBuffer()

    private static let outputBytes = 64 << 10
    /// The number of bytes indented between two checks of the output's length: deep in a tree, one byte may become a
    /// line of several kilobytes.
    private static let sliceBytes = 1 << 10

    init(_ compact: any PieceSource) { self.compact = compact }

    private var isIncomplete: Bool { piece.isIncomplete || output.isIncomplete }

    /// The piece, and an output that a slice may make longer than `outputBytes`.
    var memory: Int { compact.memory + 3 * Self.outputBytes }
    var sharedBody: Response.Body? { compact.sharedBody }

    private var isFinished: Bool { isLast && laidOut == piece.count }

    func writeAhead() -> AheadOutcome {
        fill()
        if isIncomplete { return .outOfMemory }
        if hasFailed { return .failed }
        guard isFinished else { return .goesOn }
        var body = ByteBuffer(capacity: output.count)
        output.takeAll { body.append($0) }
        return .whole(body)
    }

    func takePiece(_ take: (_ piece: Span<UInt8>, _ isLast: Bool) -> Void) -> Bool {
        fill()
        if hasFailed { return false }
        let isLast = isFinished
        output.takeAll { take($0, isLast) }
        return true
    }

    func read(into buffer: UnsafeMutableRawBufferPointer) -> Int {
        if output.count < buffer.count { fill() }
        return hasFailed ? -1 : unsafe output.drain(into: buffer)
    }

    private func fill() {
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

import Bytes
import HTTPServer
import Levels
import PropertyLists

/// A document that is written while it is sent: a walk over the tree, a writer, and at most one piece in memory.
final class DocumentStream<Writer: StreamedWriter & ~Copyable>: AheadStream {
    private var walk: TreeWalk
    private var writer: Writer
    private var isFinished = false
    private var hasFailed = false

    private static var pieceBytes: Int { 64 << 10 }

    init(_ walk: TreeWalk, _ writer: consuming Writer) {
        self.walk = walk
        self.writer = writer
    }

    /// The piece, which ends with a whole item.
    var memory: Int { 2 * Self.pieceBytes }
    var sharedBody: Response.Body? { nil }

    func writeAhead() -> AheadOutcome {
        fill()
        if writer.isIncomplete { return .outOfMemory }
        if hasFailed { return .failed }
        guard isFinished else { return .goesOn }
        var body = ByteBuffer(capacity: writer.pending)
        writer.takeAll { body.append($0) }
        return .whole(body)
    }

    func takePiece(_ take: (_ piece: Span<UInt8>, _ isLast: Bool) -> Void) -> Bool {
        fill()
        if hasFailed { return false }
        let isLast = isFinished
        writer.takeAll { take($0, isLast) }
        return true
    }

    func read(into buffer: UnsafeMutableRawBufferPointer) -> Int {
        if writer.pending < buffer.count { fill() }
        // A stream that cannot continue is cut, so that the client does not take it for complete.
        return hasFailed ? -1 : unsafe writer.drain(into: buffer)
    }

    private func fill() {
        do {
            while !isFinished, !writer.isIncomplete, writer.pending < Self.pieceBytes {
                if try !walk.step(to: &writer) {
                    try writer.finish()
                    writer.endLine()
                    isFinished = true
                }
            }
            hasFailed = writer.isIncomplete
        } catch {
            hasFailed = true
        }
    }
}

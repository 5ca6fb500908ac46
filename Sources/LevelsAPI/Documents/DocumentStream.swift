import Bytes
import HTTPServer
import Levels
import PropertyLists

/// A writer whose output can be drained while it writes.
protocol StreamedWriter: PropertyListConsumer, ~Copyable {
    mutating func finish() throws(PropertyListError)
    /// Ends the last line, unless the format's own end does, or it has no lines.
    mutating func endLine()
    var pending: Int { get }
    /// Moves as much of the output as fits into a buffer; gives how much.
    mutating func drain(into buffer: UnsafeMutableRawBufferPointer) -> Int
    /// Hands over all of the output, and forgets it.
    mutating func takeAll(_ take: (Span<UInt8>) -> Void)
}

/// What the first piece of a document told.
enum AheadOutcome: ~Copyable {
    /// The document is no longer than this.
    case whole(ByteBuffer)
    case goesOn
    /// The format cannot carry something in it.
    case failed
}

/// What a body comes from, piece by piece.
protocol PieceSource: AnyObject {
    /// Hands over the next piece; false where the document cannot go on.
    ///
    /// Where one piece ends and the next begins depends on the document alone, not on who reads it how fast.
    func takePiece(_ take: (_ piece: Span<UInt8>, _ isLast: Bool) -> Void) -> Bool
}

/// A stream whose first piece can be written before anything is sent, and that can be taken in pieces in place of `read`.
protocol AheadStream: BodyStream, PieceSource {
    func writeAhead() -> AheadOutcome
}

/// A document that is written while it is sent: a walk over the tree, a writer, and no more than a piece in memory.
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

    func writeAhead() -> AheadOutcome {
        fill()
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
        // A stream that cannot go on is cut, so that nobody takes it for whole.
        return hasFailed ? -1 : unsafe writer.drain(into: buffer)
    }

    private func fill() {
        do {
            while !isFinished, writer.pending < Self.pieceBytes {
                if try !walk.step(to: &writer) {
                    try writer.finish()
                    writer.endLine()
                    isFinished = true
                }
            }
        } catch {
            hasFailed = true
        }
    }
}

extension ByteBuffer {
    /// Moves as much as fits into a buffer; gives how much.
    mutating func drain(into buffer: UnsafeMutableRawBufferPointer) -> Int {
        let taken = min(count, buffer.count)
        guard taken > 0, let target = buffer.baseAddress else { return 0 }
        unsafe span.withUnsafeBytes { source in
            if let start = source.baseAddress { unsafe target.copyMemory(from: start, byteCount: taken) }
        }
        removeFirst(taken)
        return taken
    }

    /// Hands over all bytes, and forgets them.
    mutating func takeAll(_ take: (Span<UInt8>) -> Void) {
        take(span)
        truncate(to: 0)
    }
}

extension JSONPropertyListWriter: StreamedWriter {
    var pending: Int { output.count }
    mutating func drain(into buffer: UnsafeMutableRawBufferPointer) -> Int { unsafe output.drain(into: buffer) }
    mutating func takeAll(_ take: (Span<UInt8>) -> Void) { output.takeAll(take) }
}

extension XMLPropertyListWriter: StreamedWriter {
    var pending: Int { output.count }
    mutating func drain(into buffer: UnsafeMutableRawBufferPointer) -> Int { unsafe output.drain(into: buffer) }
    mutating func takeAll(_ take: (Span<UInt8>) -> Void) { output.takeAll(take) }
}

extension BinaryPropertyListWriter: StreamedWriter {
    mutating func endLine() {}
    var pending: Int { output.count }
    mutating func drain(into buffer: UnsafeMutableRawBufferPointer) -> Int { unsafe output.drain(into: buffer) }
    mutating func takeAll(_ take: (Span<UInt8>) -> Void) { output.takeAll(take) }
}

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

/// A writer whose output can be drained while it writes.
protocol StreamedWriter: PropertyListConsumer, ~Copyable {
    /// Ends the document.
    ///
    /// - Throws: `PropertyListError` unless exactly one complete value was written.
    mutating func finish() throws(PropertyListError)
    /// Ends the last line, unless `finish` does so or the format has no lines.
    mutating func endLine()
    /// Whether there was no memory for a part of the output.
    var isIncomplete: Bool { get }
    /// The number of bytes that have not been taken.
    var pending: Int { get }
    /// Moves as much of the output as fits into a buffer, and returns the number of bytes moved.
    mutating func drain(into buffer: UnsafeMutableRawBufferPointer) -> Int
    /// Passes all of the output, and removes it.
    mutating func takeAll(_ take: (Span<UInt8>) -> Void)
}

extension ByteBuffer {
    /// Moves as much as fits into a buffer, and returns the number of bytes moved.
    mutating func drain(into buffer: UnsafeMutableRawBufferPointer) -> Int {
        let taken = min(count, buffer.count)
        guard taken > 0, let target = buffer.baseAddress else { return 0 }
        unsafe span.withUnsafeBytes { source in
            if let start = source.baseAddress { unsafe target.copyMemory(from: start, byteCount: taken) }
        }
        removeFirst(taken)
        return taken
    }

    /// Passes all bytes, and removes them.
    mutating func takeAll(_ take: (Span<UInt8>) -> Void) {
        take(span)
        truncate(to: 0)
    }
}

extension JSONPropertyListWriter: StreamedWriter {
    var isIncomplete: Bool { output.isIncomplete }
    var pending: Int { output.count }
    mutating func drain(into buffer: UnsafeMutableRawBufferPointer) -> Int { unsafe output.drain(into: buffer) }
    mutating func takeAll(_ take: (Span<UInt8>) -> Void) { output.takeAll(take) }
}

extension XMLPropertyListWriter: StreamedWriter {
    var isIncomplete: Bool { output.isIncomplete }
    var pending: Int { output.count }
    mutating func drain(into buffer: UnsafeMutableRawBufferPointer) -> Int { unsafe output.drain(into: buffer) }
    mutating func takeAll(_ take: (Span<UInt8>) -> Void) { output.takeAll(take) }
}

extension BinaryPropertyListWriter: StreamedWriter {
    mutating func endLine() {}
    var isIncomplete: Bool { output.isIncomplete }
    var pending: Int { output.count }
    mutating func drain(into buffer: UnsafeMutableRawBufferPointer) -> Int { unsafe output.drain(into: buffer) }
    mutating func takeAll(_ take: (Span<UInt8>) -> Void) { output.takeAll(take) }
}

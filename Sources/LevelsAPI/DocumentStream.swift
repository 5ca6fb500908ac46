import Glibc
import HTTPServer
import Levels
import PropertyLists

/// A writer whose output can be drained while it writes.
protocol StreamedWriter: PropertyListConsumer, ~Copyable {
    mutating func finish() throws(PropertyListError)
    var pending: Int { get }
    /// Moves as much of the output as fits into a buffer; gives how much.
    mutating func drain(into buffer: UnsafeMutableRawBufferPointer) -> Int
}

/// What the first piece of a document told.
@safe
enum AheadOutcome {
    /// The document is no longer than this; memory of `malloc`.
    case whole(UnsafeMutableRawBufferPointer)
    case goesOn
    /// The format cannot carry something in it.
    case failed
}

/// A stream whose first piece can be written before anything is sent.
protocol AheadStream: BodyStream {
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
        guard let memory = unsafe malloc(max(writer.pending, 1)) else { return .goesOn }
        let body = unsafe UnsafeMutableRawBufferPointer(start: memory, count: writer.pending)
        _ = unsafe writer.drain(into: body)
        return unsafe .whole(body)
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
    fileprivate mutating func drain(into buffer: UnsafeMutableRawBufferPointer) -> Int {
        let taken = min(count, buffer.count)
        guard taken > 0, let target = buffer.baseAddress else { return 0 }
        unsafe span.withUnsafeBytes { source in
            if let start = source.baseAddress { unsafe target.copyMemory(from: start, byteCount: taken) }
        }
        removeFirst(taken)
        return taken
    }
}

extension JSONPropertyListWriter: StreamedWriter {
    var pending: Int { output.count }
    mutating func drain(into buffer: UnsafeMutableRawBufferPointer) -> Int { unsafe output.drain(into: buffer) }
}

extension XMLPropertyListWriter: StreamedWriter {
    var pending: Int { output.count }
    mutating func drain(into buffer: UnsafeMutableRawBufferPointer) -> Int { unsafe output.drain(into: buffer) }
}

extension BinaryPropertyListWriter: StreamedWriter {
    var pending: Int { output.count }
    mutating func drain(into buffer: UnsafeMutableRawBufferPointer) -> Int { unsafe output.drain(into: buffer) }
}

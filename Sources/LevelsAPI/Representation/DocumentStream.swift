import Bytes
import HTTPServer
import Levels
import PropertyLists

/// A document that is written while it is sent: a walk over the tree, a writer, and at most one piece in memory.
final class DocumentStream<Writer: StreamedWriter & ~Copyable>: AheadStream {
    private var walk: TreeWalk
    private var writer: Writer
    private(set) var isFinished = false
    private(set) var hasFailed = false

    private static var pieceBytes: Int { 64 << 10 }

    init(_ walk: TreeWalk, _ writer: consuming Writer) {
        self.walk = walk
        self.writer = writer
    }

    /// The piece, which ends with a whole item.
    var memory: Int { 2 * Self.pieceBytes }
    var sharedBody: Response.Body? { nil }

    var isIncomplete: Bool { withOutput { $0.isIncomplete } }
    func withOutput<Result: ~Copyable>(_ body: (inout ByteBuffer) -> Result) -> Result { writer.withOutput(body) }

    func fill() {
        do {
            while !isFinished, writer.withOutput({ !$0.isIncomplete && $0.count < Self.pieceBytes }) {
                if try !walk.step(to: &writer) {
                    try writer.finish()
                    writer.endLine()
                    isFinished = true
                }
            }
            hasFailed = isIncomplete
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
    /// Passes the output that has not been taken.
    mutating func withOutput<Result: ~Copyable>(_ body: (inout ByteBuffer) -> Result) -> Result
}

extension JSONPropertyListWriter: StreamedWriter {
    mutating func withOutput<Result: ~Copyable>(_ body: (inout ByteBuffer) -> Result) -> Result { body(&output) }
}

extension XMLPropertyListWriter: StreamedWriter {
    mutating func withOutput<Result: ~Copyable>(_ body: (inout ByteBuffer) -> Result) -> Result { body(&output) }
}

extension BinaryPropertyListWriter: StreamedWriter {
    mutating func endLine() {}
    mutating func withOutput<Result: ~Copyable>(_ body: (inout ByteBuffer) -> Result) -> Result { body(&output) }
}

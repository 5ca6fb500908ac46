import Bytes
import ContentCodings
import HTTPServer
import Levels
import PropertyLists

/// A source that passes a body piece by piece.
protocol PieceSource: AnyObject {
    /// Passes the next piece to `take`. Returns false if the document cannot continue.
    ///
    /// The boundaries between pieces depend only on the document, not on how it is read.
    func takePiece(_ take: (_ piece: Span<UInt8>, _ isLast: Bool) -> Void) -> Bool

    /// The approximate size of the source's buffers, without the shared body, in bytes.
    var memory: Int { get }
    /// The body that the pieces come from, if other responses share it.
    var sharedBody: Response.Body? { get }
}

/// A stream that is written at most one piece ahead of `read`. A caller can take the stream's pieces instead of
/// reading.
protocol AheadStream: BodyStream, PieceSource {
    /// The bytes that were written, but not yet read or taken.
    var output: ByteBuffer { get set }
    /// Writes until the output is as long as a piece, or the body ends.
    func fill()
    /// Whether the output contains the end of the body.
    var isFinished: Bool { get }
    /// Whether the body cannot continue.
    var hasFailed: Bool { get }
    /// Whether a part of the output is missing because memory was lacking.
    var isIncomplete: Bool { get }
}

/// The result of writing the first piece of a document.
enum AheadOutcome: ~Copyable {
    /// The piece is the whole document.
    case whole(ByteBuffer)
    case goesOn
    /// The format cannot represent a part of the piece.
    case failed
    case outOfMemory
}

extension AheadStream {
    /// Writes the first piece; called at most once, before anything is read.
    func writeAhead() -> AheadOutcome {
        fill()
        if isIncomplete { return .outOfMemory }
        if hasFailed { return .failed }
        guard isFinished else { return .goesOn }
        var body = ByteBuffer(capacity: output.count)
        body.append(output.span)
        output.truncate(to: 0)
        return .whole(body)
    }

    func takePiece(_ take: (_ piece: Span<UInt8>, _ isLast: Bool) -> Void) -> Bool {
        fill()
        if hasFailed { return false }
        take(output.span, isFinished)
        output.truncate(to: 0)
        return true
    }

    func read(into buffer: UnsafeMutableRawBufferPointer) -> Int {
        if output.count < buffer.count { fill() }
        // If the stream cannot continue, the connection is cut, so that the client does not take the body for complete.
        return hasFailed ? -1 : unsafe output.drain(into: buffer)
    }
}

extension ByteBuffer {
    /// Moves as many bytes as fit into a buffer. Returns the number of bytes.
    mutating func drain(into buffer: UnsafeMutableRawBufferPointer) -> Int {
        let taken = min(count, buffer.count)
        guard taken > 0, let target = buffer.baseAddress else { return 0 }
        unsafe span.withUnsafeBytes { source in
            if let start = source.baseAddress { unsafe target.copyMemory(from: start, byteCount: taken) }
        }
        removeFirst(taken)
        return taken
    }
}

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

/// A document that is written while it is sent: a walk over the tree, a writer, and at most one piece in memory.
final class DocumentStream<Writer: StreamedWriter & ~Copyable>: AheadStream {
    private var walk: TreeWalk
    private var writer: Writer
    private(set) var isFinished = false
    private(set) var hasFailed = false

    private static var pieceBytes: Int { 64 << 10 }

    init(walk: TreeWalk, writer: consuming Writer) {
        self.walk = walk
        self.writer = writer
    }

    /// A piece ends with a whole item, so it may be longer than `pieceBytes`.
    var memory: Int { 2 * Self.pieceBytes }
    var sharedBody: Response.Body? { nil }
    var isIncomplete: Bool { output.isIncomplete }
    var output: ByteBuffer {
        _read { yield writer.output }
        _modify { yield &writer.output }
    }

    func fill() {
        do {
            while !isFinished, !isIncomplete, output.count < Self.pieceBytes {
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

/// A document that is written and coded while it is sent. At most one piece is in memory, in plain and in coded form.
final class CodedStream<Encoder: ContentEncoder & ~Copyable>: BodyStream {
    private let plain: any PieceSource
    private var encoder: Encoder
    private var coded = ByteBuffer()
    private var isFinished = false
    private var hasFailed = false

    init(plain: any PieceSource, encoder: consuming Encoder) {
        self.plain = plain
        self.encoder = encoder
    }

    /// The memory of the source, of the encoder, and of a coded piece.
    var memory: Int { plain.memory + Encoder.streamBytes + (64 << 10) }
    var sharedBody: Response.Body? { plain.sharedBody }

    func read(into buffer: UnsafeMutableRawBufferPointer) -> Int {
        // An encoder may buffer several pieces before it returns anything.
        while coded.count == 0, !isFinished {
            guard plain.takePiece({ piece, isLast in encode(piece, isLast: isLast) }), !hasFailed else { return -1 }
        }
        return unsafe coded.drain(into: buffer)
    }

    private func encode(_ piece: Span<UInt8>, isLast: Bool) {
        let isEncoded = encoder.encode(piece, isLast: isLast) { coded.append($0) }
        hasFailed = !isEncoded || coded.isIncomplete
        isFinished = isLast
    }
}

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

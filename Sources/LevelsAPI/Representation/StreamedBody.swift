import Bytes
import ContentCodings
import HTTPServer
import Heap
import PropertyLists

/// A body that is written while it is sent, so that it takes no memory; a short body is sent in one piece.
///
/// Used by one thread.
final class StreamedBody: RepresentationBody {
    private let coding: ContentCoding
    /// Starts writing the body from its beginning.
    private let stream: () throws(Problem) -> any AheadStream
    /// The problem to report if the body turns out to be impossible before anything is sent.
    private let failure: Problem
    private var isLong = false

    init(_ coding: ContentCoding, failure: Problem, stream: @escaping () throws(Problem) -> any AheadStream) {
        self.coding = coding
        self.stream = stream
        self.failure = failure
    }

    func response(
        _ headers: Representation.HeaderLines, adding more: Representation.HeaderLines
    ) throws(Problem) -> Response {
        let stream = try stream()
        // If the body is known to be long, nothing is written before it is sent, however many clients get one.
        if isLong { return try streamed(stream, headers + more) }
        switch stream.writeAhead() {
        case .failed: throw failure
        case .outOfMemory: throw .outOfMemory
        case .whole(let body): return try Rendering.response(body, coding, headers: headers + more)
        case .goesOn:
            isLong = true
            return try streamed(stream, headers + more)
        }
    }

    /// What a coder takes, with what it makes of a piece.
    private static let coderBytes = 4 << 20

    private func streamed(_ stream: any AheadStream, _ headers: Representation.HeaderLines) throws(Problem) -> Response
    {
        guard coding == .identity || MemoryBudget.hasRoom(for: Self.coderBytes) else { throw .outOfMemory }
        let coded: any BodyStream =
            switch coding {
            case .identity: stream
            case .gzip: CodedStream(stream, GzipEncoder())
            case .brotli: CodedStream(stream, BrotliEncoder())
            }
        return Response(status: 200, headers: headers, stream: coded)
    }
}

/// A stream whose first piece can be written before anything is sent. Its pieces can be taken instead of read.
protocol AheadStream: BodyStream, PieceSource {
    /// Writes the first piece; called at most once, before anything is read.
    func writeAhead() -> AheadOutcome
}

/// The result of writing the first piece of a document.
enum AheadOutcome: ~Copyable {
    /// The piece is the whole document.
    case whole(ByteBuffer)
    /// More pieces follow.
    case goesOn
    /// The format cannot represent something in the piece.
    case failed
    /// There is not enough memory for the piece.
    case outOfMemory
}

/// A source of a body, piece by piece.
protocol PieceSource: AnyObject {
    /// Passes the next piece; false if the document cannot continue.
    ///
    /// The boundaries between pieces depend only on the document, not on how it is read.
    func takePiece(_ take: (_ piece: Span<UInt8>, _ isLast: Bool) -> Void) -> Bool

    /// The approximate number of bytes of its buffers, without the shared body.
    var memory: Int { get }
    /// The bytes that it is made of, if other responses share them.
    var sharedBody: Response.Body? { get }
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

/// A document that is written and coded while it is sent; at most one piece is in memory, plain and coded.
final class CodedStream<Encoder: ContentEncoder & ~Copyable>: BodyStream {
    private let plain: any PieceSource
    private var encoder: Encoder
    private var coded = ByteBuffer()
    private var isFinished = false
    private var hasFailed = false

    init(_ plain: any PieceSource, _ encoder: consuming Encoder) {
        self.plain = plain
        self.encoder = encoder
    }

    /// The encoder, and a piece in its coding.
    var memory: Int { plain.memory + Encoder.streamBytes + (64 << 10) }
    var sharedBody: Response.Body? { plain.sharedBody }

    func read(into buffer: UnsafeMutableRawBufferPointer) -> Int {
        // An encoder may buffer several pieces before it returns anything.
        while coded.count == 0, !isFinished {
            guard plain.takePiece({ piece, isLast in encode(piece, isLast) }), !hasFailed else { return -1 }
        }
        return unsafe coded.drain(into: buffer)
    }

    private func encode(_ piece: Span<UInt8>, _ isLast: Bool) {
        let isEncoded = encoder.encode(piece, isLast: isLast) { coded.append($0) }
        hasFailed = !isEncoded || coded.isIncomplete
        isFinished = isLast
    }
}

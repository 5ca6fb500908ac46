import Bytes
import ContentCodings
import HTTPServer

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

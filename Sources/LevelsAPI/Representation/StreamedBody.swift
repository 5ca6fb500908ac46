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

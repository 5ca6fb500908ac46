import ContentCodings
import HTTPServer
import Levels
import PropertyLists

/// A representation that is written while it is sent, so that it takes no memory; a short one goes out in one piece.
struct StreamedRepresentation {
    typealias HeaderLines = SelectedRepresentation.HeaderLines

    let representation: Representation
    let coding: ContentCoding
    let headers: HeaderLines
    /// Begins the body anew.
    let stream: () throws(Problem) -> any AheadStream
    /// What is told of a body that turns out to be impossible before anything is sent.
    let failure: Problem

    func selected(of item: Item) -> SelectedRepresentation {
        var isLong = false
        return SelectedRepresentation(entityTag: representation.entityTag(coding), headers: headers, of: item) {
            more throws(Problem) in
            // Of a body that is known to be long nothing is written before it is sent, however many get one.
            let response = isLong ? try streamed(headers + more) : try response(headers + more)
            isLong = response.isStream
            return response
        }
    }

    private func streamed(_ headers: HeaderLines) throws(Problem) -> Response {
        Response(status: 200, headers: headers, stream: Self.coded(try stream(), coding))
    }

    private func response(_ headers: HeaderLines) throws(Problem) -> Response {
        let stream = try stream()
        switch stream.writeAhead() {
        case .failed: throw failure
        case .whole(let body):
            return Rendering(representation: representation, body: body).response(coding, headers: headers)
        case .goesOn: return Response(status: 200, headers: headers, stream: Self.coded(stream, coding))
        }
    }

    private static func coded(_ stream: any AheadStream, _ coding: ContentCoding) -> any BodyStream {
        switch coding {
        case .identity: stream
        case .gzip: CodedStream(stream, GzipEncoder())
        case .brotli: CodedStream(stream, BrotliEncoder())
        }
    }
}

import Bytes
import HTTPServer
import Heap
import Levels

/// The representation that a request selects (RFC 9110, section 3.2): its tag, its header lines, and a body that is
/// made on demand.
struct Representation {
    typealias HeaderLines = [(name: String, value: String)]

    /// The strong entity tag with its quotes; nil for a representation without one.
    let entityTag: String?
    /// The version of a newly rendered level or detail.
    let version: ContentHash?
    private let headers: HeaderLines
    private let body: any RepresentationBody
    /// The cached 304; nil without one.
    private let kept304: Response?

    init(
        entityTag: String?, headers: HeaderLines, body: any RepresentationBody, version: ContentHash? = nil
    ) {
        self.entityTag = entityTag
        self.version = version
        self.headers = headers
        self.body = body
        kept304 = nil
    }

    /// Creates a representation from a cached one.
    init(_ kept: RenderedAnswer) {
        entityTag = kept.entityTag
        version = nil
        headers = kept.response.headers
        body = kept
        kept304 = kept.notModified
    }

    /// Whether the response contains a replacement of the written body; known once the response was made.
    var isReplaced: Bool { body.isReplaced }

    /// Returns the response with the body, which is made at the first call.
    ///
    /// - Throws: `Problem` (406) for text that the format cannot represent.
    func response(adding more: HeaderLines = []) throws(Problem) -> Response {
        try body.response(headers, adding: more)
    }

    /// 304 with the header fields that a 200 has (RFC 9110, section 15.4.5).
    func notModified(adding more: HeaderLines = []) -> Response {
        if more.isEmpty, let kept304 { return kept304 }
        return Response(status: 304, headers: headers + more)
    }
}

extension Response {
    /// The same response with more header lines.
    ///
    /// - Throws: `Problem` (503) if there is not enough memory for a copy of the body.
    func adding(_ more: Representation.HeaderLines) throws(Problem) -> Response {
        guard !more.isEmpty else { return self }
        guard MemoryBudget.hasRoom(forBuffer: 2 * body.count) else { throw .outOfMemory }
        return Response(status: status, headers: headers + more, body: Array(copying: body))
    }
}

import Bytes
import ContentCodings
import HTTPServer
import Heap
import Levels
import PropertyLists

/// The representation that a request selects (RFC 9110, section 3.2): its tag, its header lines, and a body that is
/// made on demand.
struct Representation {
    typealias HeaderLines = [(name: String, value: String)]

    /// The strong entity tag with its quotes; nil for a representation without one.
    let entityTag: String?
    /// The version of a newly rendered level or detail.
    let version: ContentHash?
    private let headers: HeaderLines
    private let coding: ContentCoding
    private let body: any RepresentationBody
    /// The cached 304; nil without one.
    private let kept304: Response?
    /// What the responses are charged to; nil to charge nothing.
    private var budget: ResponseBudget?
    /// The request, if other requests may get the same body.
    private var place: SharedAnswers.Place?

    init(
        entityTag: String?, headers: HeaderLines, _ coding: ContentCoding = .identity, body: any RepresentationBody,
        version: ContentHash? = nil
    ) {
        self.entityTag = entityTag
        self.version = version
        self.headers = headers
        self.coding = coding
        self.body = body
        kept304 = nil
    }

    /// Creates a representation from a cached one.
    init(_ kept: RenderedAnswer) {
        entityTag = kept.entityTag
        version = nil
        headers = kept.response.headers
        coding = .identity
        body = kept
        kept304 = kept.notModified
    }

    /// Creates a representation whose body is on its way to another client.
    init(_ found: SharedAnswers.Found) {
        self.init(
            entityTag: found.answer.entityTag, headers: found.answer.headers, found.answer.coding, body: found.body)
    }

    /// Whether the response contains a replacement of the written body; known once the response was made.
    var isReplaced: Bool { body.isReplaced }

    /// The same, with its responses charged to a budget.
    ///
    /// - Parameter place: the request, if other requests may get the same body.
    func charged(to budget: ResponseBudget, sharedAt place: SharedAnswers.Place? = nil) -> Representation {
        var charged = self
        (charged.budget, charged.place) = (budget, place)
        return charged
    }

    /// Returns the response with the body, which is made at the first call.
    ///
    /// - Throws: `Problem` (406) for text that the format cannot represent; 503 if the budget has no room.
    func response(adding more: HeaderLines = []) throws(Problem) -> Response {
        let made = try body.response(headers, adding: more)
        guard let budget else { return made }
        let charged =
            if let place {
                place.charge(
                    made,
                    of: SharedAnswers.Description(
                        entityTag: entityTag, headers: headers, coding: coding, version: version),
                    isReplaced: isReplaced, adding: more, to: budget)
            } else { made.charged(to: budget) }
        guard let charged else { throw .tooManyAnswers }
        return charged
    }

    /// 304 with the header fields that a 200 has (RFC 9110, section 15.4.5).
    func notModified(adding more: HeaderLines = []) -> Response {
        if more.isEmpty, let kept304 { return kept304 }
        return Response(status: 304, headers: headers + more)
    }
}

extension Response {
    /// The same response with more header lines.
    func adding(_ more: Representation.HeaderLines) -> Response {
        guard !more.isEmpty, let body = sharedBody else { return self }
        return Response(status: status, headers: headers + more, body: body)
    }
}

/// Makes the responses of one representation.
protocol RepresentationBody: AnyObject {
    /// Whether a replacement is sent instead of the written body.
    var isReplaced: Bool { get }

    /// Returns the response with the header lines of the representation and further ones.
    ///
    /// - Throws: `Problem` (406) for text that the format cannot represent.
    func response(
        _ headers: Representation.HeaderLines, adding more: Representation.HeaderLines
    ) throws(Problem) -> Response
}

extension RepresentationBody {
    var isReplaced: Bool { false }
}

/// A body in memory, which is coded on demand.
///
/// Used by one thread.
final class WrittenBody: RepresentationBody {
    private var rendering: Rendering?
    private let coding: ContentCoding
    /// Makes what is sent instead of the body; nil if the body is always sent.
    private let replacement: (() throws(Problem) -> Rendering?)?
    private var made: Response?
    private(set) var isReplaced = false

    /// - Parameter replacement: called when the body is needed; if it returns nil, the body itself is sent.
    init(
        _ rendering: consuming Rendering, _ coding: ContentCoding,
        replacement: (() throws(Problem) -> Rendering?)? = nil
    ) {
        self.rendering = consume rendering
        self.coding = coding
        self.replacement = replacement
    }

    func response(
        _ headers: Representation.HeaderLines, adding more: Representation.HeaderLines
    ) throws(Problem) -> Response {
        if let made { return made.adding(more) }
        if let replacement, let other = try replacement() {
            rendering = consume other
            isReplaced = true
        }
        guard let rendering = rendering.take() else { throw .unwritten }
        let response = try rendering.response(coding, headers: headers)
        made = response
        return response.adding(more)
    }
}

/// A body before content coding, and its metadata.
struct Rendering: ~Copyable {
    var metadata: RepresentationMetadata
    let body: ByteBuffer
    /// The version of a level or a detail.
    var version: ContentHash?

    /// The body in a coding, as a response with these header lines.
    ///
    /// - Throws: `Problem` (503) if there is not enough memory.
    consuming func response(
        _ coding: ContentCoding, headers: Representation.HeaderLines
    ) throws(Problem) -> Response { try Self.response(body, coding, headers: headers) }

    /// A body in a coding, as a response with these header lines.
    ///
    /// - Throws: `Problem` (503) if there is not enough memory.
    static func response(
        _ body: consuming ByteBuffer, _ coding: ContentCoding, headers: Representation.HeaderLines
    ) throws(Problem) -> Response {
        let coded = try coded(body, coding)
        guard !coded.isIncomplete, MemoryBudget.hasRoom(forBody: coded.count) else { throw .outOfMemory }
        return Response(status: 200, headers: headers, body: Response.Body(coded))
    }

    /// Indents the body, which must be JSON without deep nesting; the tag changes too.
    consuming func indented() -> Rendering {
        var body = ByteBuffer(capacity: body.count * 2)
        var indentation = JSONIndentation()
        indentation.append(self.body.span, to: &body)
        return Rendering(metadata: metadata.indented, body: body, version: version)
    }

    private static func coded(_ body: consuming ByteBuffer, _ coding: ContentCoding) throws(Problem) -> ByteBuffer {
        guard coding != .identity else { return body }
        // Most answers become a quarter of their size.
        var coded = ByteBuffer(capacity: body.count / 3 + 64)
        guard coding.encode(body.span, to: { coded.append($0) }) else { throw .outOfMemory }
        return coded
    }
}

extension Response.Body {
    /// Takes over the memory of a buffer.
    convenience init(_ buffer: consuming ByteBuffer) { unsafe self.init(takingOver: buffer.release()) }
}

extension Rendering {
    /// Writes a short JSON body about the service itself.
    ///
    /// - Parameter isTagged: whether clients may store it and revalidate it by its tag.
    /// - Throws: `Problem` (500) if it could not be written.
    init(
        vary: String? = nil, headers: Representation.HeaderLines = [], isTagged: Bool = false,
        status write: (inout JSONPropertyListWriter) throws(PropertyListError) -> Void
    ) throws(Problem) {
        var writer: JSONPropertyListWriter = .init()
        writer.beginObject()
        do {
            try write(&writer)
            writer.endObject()
            writer.endLine()
            self.init(json: try writer.body(), vary: vary, headers: headers, isTagged: isTagged)
        } catch {
            throw .unwritten
        }
    }

    /// A JSON body about the service itself.
    ///
    /// - Parameter isTagged: whether clients may store it and revalidate it by its tag.
    init(
        json body: consuming ByteBuffer, vary: String?, headers: Representation.HeaderLines = [], isTagged: Bool
    ) {
        metadata = RepresentationMetadata(
            contentType: JSONPropertyListWriter.contentType,
            entityTag: isTagged ? EntityTag.of(ContentHash(of: body.span)) : nil,
            cacheControl: isTagged ? "no-cache" : "no-store", vary: vary, added: headers)
        self.body = body
    }
}

import Bytes
import ContentCodings
import HTTPServer
import Heap
import Levels
import Locking
import PropertyLists

/// The representation that a request selects (RFC 9110, section 3.2): its head, and a body that is made on demand.
///
/// Used by one thread.
final class Representation {
    /// The part of a representation that is known without the body.
    struct Head {
        /// The strong entity tag, with its quotation marks; nil for a representation without an entity tag.
        let entityTag: String?
        let headers: HeaderLines
        var coding = ContentCoding.identity
        /// The version of a newly rendered level or detail.
        var version: ContentHash?
    }

    enum Body {
        /// An earlier response with this body, and the 304 of the representation if it is kept too.
        case response(Response, notModified: Response? = nil)
        /// Bytes before content coding. The closure `instead` is called when the body is needed, and makes a
        /// replacement of the bytes. If the closure returns nil, the bytes are sent.
        case bytes(Response.Body, instead: (() throws(Problem) -> Rendering?)? = nil)
        /// A stream that is begun anew for each response, so that the body takes no memory. A short body is sent as
        /// bytes. `failure` is reported if the body turns out to be impossible before anything is sent.
        case stream(failure: Problem, begin: () throws(Problem) -> any AheadStream)
    }

    let head: Head
    private var body: Body
    /// Whether the body of the stream is known to be long.
    private var isLong = false
    /// Whether the response contains the replacement of the bytes. This is known only after the response was made.
    private(set) var isReplaced = false
    /// The budget to which responses are charged, if any.
    private var budget: ResponseBudget?
    /// Makes the answer to `since` and `wait`, with the link that follows it; nil if the rows have to be looked up again.
    /// The argument `known` is the state that the client is known to have, if any.
    var following: ((_ follow: FollowLink, _ known: ShownItem?) throws(Problem) -> Rendering)?
    /// The cache that makes the body known to other requests, and the inquiry that is answered, if any.
    private var sending: (cache: ResponseCache, inquiry: Inquiry)?

    init(head: Head, body: Body) {
        self.head = head
        self.body = body
    }

    /// The representation of a cached answer; nil if the body was sent and is not kept.
    convenience init?(_ answer: RenderedAnswer) {
        if let (response, notModified) = answer.kept {
            self.init(head: answer.head, body: .response(response, notModified: notModified))
        } else if let body = answer.body {
            self.init(
                head: answer.head,
                body: answer.isStream
                    ? .stream(failure: .unwritten) { IndentedStream(HeldBody(body)) }
                    : .response(Response(status: 200, headers: answer.head.headers, body: body)))
        } else {
            return nil
        }
    }

    /// Charges the responses to a budget from now on. If a cache is given, shares their bodies with other requests.
    /// Returns this representation.
    func charged(
        to budget: ResponseBudget, sharedBy sending: (cache: ResponseCache, inquiry: Inquiry)? = nil
    ) -> Representation {
        (self.budget, self.sending) = (budget, sending)
        return self
    }

    var entityTag: String? { head.entityTag }

    /// The approximate length of the body before it was coded; 0 for a stream.
    var bodyCount: Int {
        switch body {
        // Most answers become a quarter of their size.
        case .response(let response, _): response.body.count * (head.coding == .identity ? 1 : 4)
        case .bytes(let bytes, _): bytes.count
        case .stream: 0
        }
    }

    /// 304 for this representation.
    func notModified(adding more: HeaderLines = []) -> Response {
        if more.isEmpty, case .response(_, let kept?) = body { return kept }
        return .notModified(head.headers + more)
    }

    /// The response with the body, which is made at the first call.
    func response(adding more: HeaderLines = []) throws(Problem) -> Response {
        let made = try made(adding: more)
        guard let budget else { return made }
        let charged =
            if let (cache, inquiry) = sending {
                cache.send(made, of: head, isReplaced: isReplaced, to: inquiry, adding: more, chargedTo: budget)
            } else { made.charged(to: budget) }
        guard let charged else { throw .tooManyAnswers }
        return charged
    }

    private func made(adding more: HeaderLines) throws(Problem) -> Response {
        switch body {
        case .response(let response, _): return response.adding(more)
        case .bytes(let bytes, nil) where !more.isEmpty:
            // No other response will be made of these bytes, so none is kept without the added lines.
            return try bytes.response(head.coding, headers: head.headers + more)
        case .bytes(let bytes, let instead):
            let response: Response
            if let instead, let other = try instead() {
                isReplaced = true
                response = try other.response(head.coding, headers: head.headers)
            } else {
                response = try bytes.response(head.coding, headers: head.headers)
            }
            body = .response(response)
            return response.adding(more)
        case .stream(let failure, let begin):
            let stream = try begin()
            // A body that is known to be long is not written ahead again, however many clients get it.
            if isLong { return try streamed(stream, adding: more) }
            switch stream.writeAhead() {
            case .failed: throw failure
            case .outOfMemory: throw .outOfMemory
            case .whole(let body):
                return try Response.Body(whole: body).response(head.coding, headers: head.headers + more)
            case .goesOn:
                isLong = true
                return try streamed(stream, adding: more)
            }
        }
    }

    /// The memory of an encoder and of a coded piece, in bytes.
    private static let coderBytes = 4 << 20

    private func streamed(_ stream: any AheadStream, adding more: HeaderLines) throws(Problem) -> Response {
        guard head.coding == .identity || MemoryBudget.hasRoom(for: Self.coderBytes) else { throw .outOfMemory }
        let coded: any BodyStream =
            switch head.coding {
            case .identity: stream
            case .gzip: CodedStream(plain: stream, encoder: GzipEncoder())
            case .brotli: CodedStream(plain: stream, encoder: BrotliEncoder())
            }
        return Response(status: 200, headers: head.headers + more, stream: coded)
    }
}

/// The bodies of an answer that never changes, by entity tag. Each layout and coding has a tag of its own, so each body
/// is coded only once.
final class KeptForms: Sendable {
    private let bodies = Guarded<[String: Response.Body]>([:])

    func response(of selected: Representation) throws(Problem) -> Response {
        guard let tag = selected.entityTag else { return try selected.response() }
        if let body = bodies.withLock({ $0[tag] }) {
            return Response(status: 200, headers: selected.head.headers, body: body)
        }
        let response = try selected.response()
        bodies.withLock { $0[tag] = response.sharedBody }
        return response
    }
}

extension Response {
    func adding(_ more: HeaderLines) -> Response {
        guard !more.isEmpty, let body = sharedBody else { return self }
        return Response(status: status, headers: headers + more, body: body)
    }
}

extension Response.Body {
    /// Takes over the memory of a buffer.
    convenience init(_ buffer: consuming ByteBuffer) { unsafe self.init(takingOver: buffer.release()) }

    /// Takes over the memory of a buffer. Throws a `Problem` if a part of the buffer is missing because memory was
    /// lacking.
    convenience init(whole buffer: consuming ByteBuffer) throws(Problem) {
        guard !buffer.isIncomplete else { throw .outOfMemory }
        self.init(buffer)
    }

    fileprivate func response(_ coding: ContentCoding, headers: HeaderLines) throws(Problem) -> Response {
        let body = try coding == .identity ? self : coded(coding)
        guard MemoryBudget.hasRoom(forBody: body.count) else { throw .outOfMemory }
        return Response(status: 200, headers: headers, body: body)
    }

    private func coded(_ coding: ContentCoding) throws(Problem) -> Response.Body {
        // Most answers become a quarter of their size.
        var coded = ByteBuffer(capacity: count / 3 + 64)
        guard coding.encode(span, to: { coded.append($0) }) else { throw .outOfMemory }
        return try Response.Body(whole: coded)
    }
}

/// A body before content coding, and its metadata.
struct Rendering: ~Copyable {
    var metadata: RepresentationMetadata
    let body: ByteBuffer
    var version: ContentHash?

    /// The body in a coding, as a response.
    consuming func response(
        _ coding: ContentCoding, headers: HeaderLines
    ) throws(Problem) -> Response { try Response.Body(whole: body).response(coding, headers: headers) }

    /// Indents the body, which must be JSON without deep nesting. The entity tag changes too.
    consuming func indented() -> Rendering {
        var body = ByteBuffer(capacity: body.count * 2)
        var indentation = JSONIndentation()
        indentation.append(self.body.span, to: &body)
        return Rendering(metadata: metadata.indented, body: body, version: version)
    }
}

extension Rendering {
    /// Writes a short JSON body about the service itself.
    ///
    /// - Parameter isTagged: whether clients may store the answer, and revalidate it by its entity tag.
    init(
        vary: String? = nil, headers: HeaderLines = [], isTagged: Bool = false,
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

    /// A body whose hash is its version.
    init(hashing body: consuming ByteBuffer, metadata: RepresentationMetadata) {
        let version = ContentHash(of: body.span)
        self.metadata = metadata
        self.metadata.entityTag = EntityTag.of(version)
        self.version = version
        self.body = body
    }

    /// A JSON body about the service itself.
    init(json body: consuming ByteBuffer, vary: String?, headers: HeaderLines = [], isTagged: Bool) {
        metadata = RepresentationMetadata(
            contentType: JSONPropertyListWriter.contentType,
            entityTag: isTagged ? EntityTag.of(ContentHash(of: body.span)) : nil,
            cacheControl: isTagged ? "no-cache" : "no-store", vary: vary, added: headers)
        self.body = body
    }
}

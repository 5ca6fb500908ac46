import Bytes
import ContentCodings
import HTTPServer
import Levels
import TreeStore

/// Makes the header lines of every response. Only this type adds the lines that let pages of other origins read a
/// response.
struct ResponseHeader {
    private let origins: AllowedOrigins
    let basePath: String
    /// Whether reading needs a token, so that shared caches must not keep answers.
    private let isPrivate: Bool

    /// The maximum length of a link in the header, in bytes. The length of a link grows with the request, and a longer
    /// link is only in the body.
    static let longestLink = 2_048

    /// - Parameters:
    ///   - basePath: the path with which all links begin.
    ///   - isPrivate: whether reading needs a token.
    init(_ origins: AllowedOrigins, basePath: String, isPrivate: Bool) {
        (self.origins, self.basePath, self.isPrivate) = (origins, basePath, isPrivate)
    }

    /// The `Cache-Control` of an answer to a link `follow`. Shared caches may give the answer to all clients for some
    /// seconds; the client itself asks for the next answer (RFC 9111, section 5.2.2; RFC 5861, section 3).
    private func cacheControl(sharedFor seconds: Int) -> String {
        isPrivate ? "private, max-age=0" : "public, max-age=0, s-maxage=\(seconds), stale-while-revalidate=0"
    }

    /// Lets shared caches give an answer to a link `follow` to all clients.
    ///
    /// Nginx must not store an answer whose turn is far ahead: clients request this link when that second has come, and the
    /// answer is too old then.
    ///
    /// - Parameter isChanged: whether the answer differs from the one that the client has.
    func share(_ metadata: inout RepresentationMetadata, turn: Turn, isChanged: Bool, wait: Wait) {
        metadata.entityTag = nil
        metadata.cacheControl = cacheControl(sharedFor: turn.secondsShared(isChanged: isChanged, wait: wait))
        if turn.isAhead, !isPrivate { metadata.added.append(("X-Accel-Expires", "0")) }
    }

    /// The header lines of a representation in a coding, for a request from an origin.
    func lines(
        of metadata: RepresentationMetadata, coding: ContentCoding, for origin: AllowedOrigins.Place
    ) -> HeaderLines {
        var lines: HeaderLines = []
        lines.reserveCapacity(9)
        lines.append(("Content-Type", metadata.contentType))
        if coding != .identity { lines.append(("Content-Encoding", coding.token)) }
        if let tag = metadata.entityTag(coding) { lines.append(("ETag", tag)) }
        lines.append(("Cache-Control", metadata.cacheControl))
        lines.append(("X-Content-Type-Options", "nosniff"))
        lines += origins.headers(at: origin, vary: metadata.vary)
        if let next = metadata.next, next.utf8.count <= Self.longestLink {
            lines.append(("Link", "<\(next)>; rel=\"next\""))
        }
        lines += metadata.added
        return lines
    }

    /// A response that reports a problem with a target.
    ///
    /// - Parameter origin: nil if the request could not be read.
    func response(to problem: Problem, at target: String, for origin: AllowedOrigins.Place?) -> Response {
        let place = origin ?? origins.placeWithoutRequest
        // A crowd that follows the same thing asks only once for the problem, too.
        let isShared = [404, 410, 503].contains(problem.kind.status) && FollowLink.isTarget(target)
        return problem.response(
            instance: target, under: basePath, cacheControl: isShared ? cacheControl(sharedFor: 1) : "no-store",
            headers: origins.headers(at: place))
    }

    /// The lines of a response without a body.
    func empty(for origin: AllowedOrigins.Place) -> HeaderLines {
        [("Cache-Control", "no-store")] + origins.headers(at: origin)
    }

    /// The response to OPTIONS, including a preflight request.
    ///
    /// - Parameters:
    ///   - allow: the methods of the target.
    ///   - methods: the methods that a preflight request is granted. An origin that may not edit gets only the reading
    ///     methods.
    func options(_ request: Request, allow: String, granting methods: [String]) -> Response {
        let origin = origins.place(of: request)
        let granted = origins.grantsEdits(at: origin) ? methods : methods.filter(AllowedOrigins.readingMethods.contains)
        let lines = permission(request, origin: origin, methods: granted) ?? origins.headers(at: origin)
        return Response(status: 204, headers: [("Allow", allow)] + lines)
    }

    /// Whether a request is a preflight request that is allowed.
    func permits(_ request: Request) -> Bool {
        permission(request, origin: origins.place(of: request), methods: []) != nil
    }

    private func permission(_ request: Request, origin: AllowedOrigins.Place, methods: [String]) -> HeaderLines? {
        guard request.has(.accessControlRequestMethod) else { return nil }
        return origins.preflightHeaders(at: origin, methods: methods.joined(separator: ", "))
    }

    func response(to problem: Problem, request: Request) -> Response {
        response(to: problem, at: String(utf8: request.target), for: origins.place(of: request))
    }
}

extension Response {
    /// 304, for a representation with these header lines (RFC 9110, section 15.4.5).
    ///
    /// The lines that describe the content are left out, because some clients would decode the missing content.
    static func notModified(_ lines: HeaderLines) -> Response {
        Response(status: 304, headers: lines.filter { isOfNotModified($0.name) })
    }

    /// Whether 304 has a header field of the representation. Browsers need the fields of CORS.
    static func isOfNotModified(_ name: String) -> Bool {
        ["ETag", "Cache-Control", "Vary", "Content-Location", "Preference-Applied"].contains(name)
            || ["Drilldown-", "Access-Control-"].contains(where: name.hasPrefix)
    }
}

/// The metadata of a representation in any coding, for its header lines (RFC 9110, section 8).
struct RepresentationMetadata {
    let contentType: String
    /// The strong entity tag of the uncoded body, with its quotation marks; nil for an answer without an entity tag.
    var entityTag: String?
    var cacheControl: String
    /// The request fields that selected the representation, without `Origin`.
    private(set) var vary: String?
    /// The target of the next page.
    var next: String?
    var added: HeaderLines = []

    /// Notes the language of an answer from a document with translations (RFC 9110, section 8.5).
    mutating func noteLanguage(of inquiry: Inquiry) {
        guard let number = inquiry.question.language else { return }
        vary = "\(inquiry.question.vary), Accept-Language"
        if let tag = inquiry.publication.snapshot.translations?.variant(number)?.language {
            added.append(("Content-Language", tag))
        }
    }

    func entityTag(_ coding: ContentCoding) -> String? { entityTag.map { EntityTag.of($0, coding: coding) } }

    /// The metadata of the indented body.
    var indented: RepresentationMetadata {
        var indented = self
        indented.entityTag = entityTag.map(EntityTag.indented)
        return indented
    }
}

import Bytes
import ContentCodings
import HTTPServer
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

import ContentCodings
import HTTPServer
import Levels
import PropertyLists

/// Finds the representation that a request asks for, and makes responses as the configuration wants them.
struct Selection {
    let history: History
    let configuration: LevelsAPI.Configuration

    /// The representation of an item: one that is kept, else rendered, and kept from the second time on.
    ///
    /// - Parameter request: nil where nobody asks just now; else its condition may make the rendering's coding needless.
    /// - Throws: `Problem` (400, 406) for a parameter or a format that cannot be.
    func select(
        _ inquiry: Inquiry, _ item: Item, in publication: Publication, for request: Request? = nil
    ) throws(Problem) -> SelectedRepresentation {
        if case .document = inquiry.route {
            return try DocumentAnswer(
                item: item, query: inquiry.query, negotiation: inquiry.negotiation, configuration: configuration
            ).selected()
        }
        let target = inquiry.target
        let hash = ResponseCache.hash(target.span, inquiry.negotiation)
        if let kept = publication.cache.answer(for: target.span, hash: hash) {
            return SelectedRepresentation(kept, of: item)
        }
        let rendering = try ItemAnswer(inquiry, item, history, configuration).rendered()
        let coding = try inquiry.negotiation.coding(ofBytes: rendering.body.count)
        let tag = rendering.representation.entityTag(coding)
        let headers = headers(of: rendering.representation, coding, inquiry.negotiation)
        let isKept = publication.cache.wants(hash)
        // A client that looks whether all is as it was costs no coding.
        if !isKept, let request, EntityTag.isNamed(tag, by: request) {
            return SelectedRepresentation(entityTag: tag, headers: headers, of: item) { more throws(Problem) in
                try select(inquiry, item, in: publication).response(adding: more)
            }
        }
        let answer = RenderedAnswer(rendering.response(coding, headers: headers), entityTag: tag)
        if isKept { publication.cache.keep(answer, for: target.span, hash: hash) }
        return SelectedRepresentation(answer, of: item)
    }

    /// A rendering that is not kept.
    func response(
        of rendering: consuming Rendering, _ coding: ContentCoding, _ negotiation: Negotiation
    ) -> Response {
        let headers = headers(of: rendering.representation, coding, negotiation)
        return rendering.response(coding, headers: headers)
    }

    /// A problem's answer to a target.
    func response(to problem: Problem, at target: String, _ negotiation: Negotiation) -> Response {
        problem.response(instance: target, headers: configuration.allowedOrigins.headers(at: negotiation.origin))
    }

    private func headers(
        of representation: Representation, _ coding: ContentCoding, _ negotiation: Negotiation
    ) -> [(name: String, value: String)] {
        representation.headers(coding, configuration.allowedOrigins, negotiation.origin)
    }
}

import Bytes
import ContentCodings
import HTTPServer
import Levels
import PropertyLists
import TreeStore

/// Finds the representation that a request asks for, and makes responses as the configuration wants them.
struct Selection {
    let history: History
    private let cache: ResponseCache
    let header: ResponseHeader
    private let configuration: LevelsAPI.Configuration

    init(history: History, cache: ResponseCache, configuration: LevelsAPI.Configuration) {
        self.history = history
        self.cache = cache
        self.configuration = configuration
        header = ResponseHeader(configuration.allowedOrigins)
    }

    /// The representation of an item: one that is kept, else rendered, and kept from the second time on.
    ///
    /// - Parameters:
    ///   - known: the state that the client is known to have; nil to look for the one that `?since=` names.
    ///   - isHad: whether the client has the representation of a tag: then it is not made before it is wanted.
    /// - Throws: `Problem` (400, 406) for a parameter or a format that cannot be.
    func select(
        _ inquiry: Inquiry, _ item: Item, in publication: Publication, known: Item? = nil,
        unless isHad: (_ tag: String?) -> Bool
    ) throws(Problem) -> SelectedRepresentation {
        if case .document = inquiry.subject {
            return try DocumentAnswer(inquiry, item, header, cacheControl: configuration.cacheControl).selected()
        }
        let target = inquiry.target
        let hash = ResponseCache.hash(target.span, inquiry.negotiation)
        let shown = ShownContent(inquiry.subject, item)
        if let kept = cache.answer(for: target.span, hash: hash, in: publication.number, showing: shown) {
            if let version = kept.version { history.note(version, number: publication.number) }
            return SelectedRepresentation(kept.answer, of: item)
        }
        let content = ItemAnswer(inquiry, item, history, known: known, configuration)
        let whole = try content.rendered()
        if case .level = inquiry.subject, let version = whole.version {
            history.note(version, number: publication.number)
        }
        // What changed has the coding of the whole, however short it is, so that both have one tag.
        let coding = try inquiry.negotiation.coding(ofBytes: whole.body.count)
        if content.isIndented { return try indented(content, whole, coding, item, inquiry.negotiation) }
        let tag = whole.representation.entityTag(coding)
        let headers = headers(of: whole.representation, coding, inquiry.negotiation)
        let isKept = cache.wants(hash)
        if !isKept, isHad(tag) {
            return SelectedRepresentation(entityTag: tag, headers: headers, of: item) { more throws(Problem) in
                try select(inquiry, item, in: publication, known: known) { _ in false }.response(adding: more)
            }
        }
        let version = whole.version
        let change = try content.renderedChange(to: whole)
        // The whole in place of changes is right for as long as the version is not remembered, which may be short.
        let isLasting = inquiry.query.since == nil || change != nil
        let answer = RenderedAnswer(Self.response(of: change, whole, coding, headers), entityTag: tag)
        if isKept {
            cache.keep(
                answer, of: version, for: target.span, hash: hash, in: publication.number,
                showing: isLasting ? shown : nil)
        }
        return SelectedRepresentation(answer, of: item)
    }

    /// The representation laid out for people: made anew each time, since only they ask for it.
    private func indented(
        _ content: ItemAnswer, _ whole: borrowing Rendering, _ coding: ContentCoding, _ item: Item,
        _ negotiation: Negotiation
    ) throws(Problem) -> SelectedRepresentation {
        let body =
            if let change = try content.renderedChange(to: whole) { Array(copying: change.body.span) } else {
                Array(copying: whole.body.span)
            }
        let representation = whole.representation.indented
        return StreamedRepresentation(
            representation: representation, coding: coding, headers: headers(of: representation, coding, negotiation),
            stream: { () throws(Problem) in IndentedStream(HeldBody(body)) }, failure: Problem.unwritten
        ).selected(of: item)
    }

    private static func response(
        of change: consuming Rendering?, _ whole: consuming Rendering, _ coding: ContentCoding,
        _ headers: SelectedRepresentation.HeaderLines
    ) -> Response {
        if let change { return change.response(coding, headers: headers) }
        return whole.response(coding, headers: headers)
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
        header.response(to: problem, at: target, for: negotiation.origin)
    }

    private func headers(
        of representation: Representation, _ coding: ContentCoding, _ negotiation: Negotiation
    ) -> [(name: String, value: String)] {
        header.lines(of: representation, coding, for: negotiation.origin)
    }
}

import Bytes
import ContentCodings
import HTTPServer
import Heap
import Levels
import PropertyLists
import TreeStore

/// Selects the representation for a request, and makes responses by the configuration.
struct Selection {
    let history: History
    private let cache: ResponseCache
    private let shared = SharedAnswers()
    let arrangements: ArrangementCache
    let header: ResponseHeader
    private let configuration: LevelsAPI.Configuration

    init(history: History, cache: ResponseCache, configuration: LevelsAPI.Configuration) {
        self.history = history
        self.cache = cache
        arrangements = ArrangementCache(
            bytes: configuration.cacheBytes, searchTexts: SearchTexts(bytes: configuration.searchBytes))
        self.configuration = configuration
        header = ResponseHeader(configuration.allowedOrigins)
    }

    /// Returns a cached representation of an item, or else renders one.
    ///
    /// - Parameters:
    ///   - missed: the key that the cache is known to lack; nil if it was not searched.
    ///   - known: the state that the client is known to have; nil to find it by `?since=`.
    /// - Throws: `Problem` (406) if the format cannot represent the answer, or the client accepts no available coding.
    func select(
        _ inquiry: Inquiry, _ item: Item, in publication: Publication, missed: UInt64? = nil, known: Item? = nil
    ) throws(Problem) -> Representation {
        if inquiry.subject == .document {
            let item = inquiry.query.isInline ? item : publication.snapshot.composition?.origin(of: item).item ?? item
            return try DocumentAnswer(inquiry, item, header, cacheControl: configuration.cacheControl)
                .representation().charged(to: configuration.responseBudget)
        }
        let hash = ResponseCache.hash(inquiry.target.span, inquiry.negotiation)
        let target = inquiry.target
        let shown = ShownContent(inquiry.subject, item, looksBelow: inquiry.query.looksBelow)
        if hash != missed,
            let kept = cache.answer(for: target.span, hash: hash, in: publication.number, showing: shown)
        {
            if let version = kept.version { history.note(version, number: publication.number) }
            return Representation(kept.answer).charged(to: configuration.responseBudget)
        }
        if let found = shared.answer(inquiry, in: publication.number, showing: shown) {
            if found.isOlder, let version = found.answer.version {
                history.note(version, number: publication.number)
            }
            return Representation(found).charged(to: configuration.responseBudget)
        }
        if let bytes = shared.refusedBytes(inquiry, in: publication.number),
            configuration.responseBudget.refuses(bytes: bytes)
        {
            throw .tooManyAnswers
        }
        let refusals = MemoryBudget.refusals
        let rendered = try render(inquiry, item, known, in: publication)
        // Whatever could not grow, the answer may lack a part of it.
        guard refusals == MemoryBudget.refusals else { throw .outOfMemory }
        let selected = rendered.charged(
            to: configuration.responseBudget,
            sharedAt: shared.place(
                inquiry, in: publication.number, showing: inquiry.query.since == nil ? shown : nil))
        // An answer is kept when it is requested again. Indented answers are not kept, because they are for people.
        if !inquiry.query.isIndented, cache.wants(hash), !MemoryBudget.isTight {
            let answer = RenderedAnswer(try selected.response(), entityTag: selected.entityTag)
            // A whole level that answers `since` is valid only while the version is unknown, which may be short.
            let isLasting = inquiry.query.since == nil || selected.isReplaced
            cache.keep(
                answer, of: selected.version, for: target.span, hash: hash, in: publication.number,
                showing: isLasting ? shown : nil)
        }
        return selected
    }

    /// Whether so many rows are looked at to make an answer that other requests should not wait for it.
    func takesLong(_ inquiry: Inquiry, _ item: Item, in publication: Publication) -> Bool {
        guard work(inquiry, item) > configuration.largestImmediateWork else { return false }
        let hash = ResponseCache.hash(inquiry.target.span, inquiry.negotiation)
        let shown = ShownContent(inquiry.subject, item, looksBelow: inquiry.query.looksBelow)
        return !cache.has(inquiry.target.span, hash: hash, in: publication.number, showing: shown)
    }

    /// What it takes to find out which rows an answer shows, in bytes: for each row that is looked at the keys that it is
    /// sorted by, or its title as it is searched, and its place.
    func memory(for inquiry: Inquiry, _ item: Item) -> Int { (4 << 20) + 160 * work(inquiry, item) }

    /// How many rows are looked at to find out which rows an answer shows.
    private func work(_ inquiry: Inquiry, _ item: Item) -> Int {
        switch inquiry.subject {
        case .level:
            if let opening = inquiry.query.outline {
                arrangements.work(
                    below: item.own, opening, inquiry.query.page, limit: configuration.largestImmediateWork)
            } else {
                arrangements.work(below: item.own, inquiry.query)
            }
        case .detail: max(arrangements.work(below: item.own), item.stepAbove.map { arrangements.work(below: $0) } ?? 0)
        case .document: 0
        }
    }

    private func render(
        _ inquiry: Inquiry, _ item: Item, _ known: Item?, in publication: Publication
    ) throws(Problem) -> Representation {
        guard inquiry.subject == .level else {
            var whole = try rendering(of: DetailAnswer(item: item, arrangements: arrangements), inquiry)
            if let language = AnswerLanguage(of: inquiry, in: publication.snapshot) { whole.metadata.note(language) }
            return try representation(of: whole, inquiry)
        }
        let answer = LevelAnswer(item, inquiry.query, arrangements)
        try inquiry.query.page.checkStart(in: answer.listing)
        var whole = try rendering(of: answer, inquiry)
        if let language = AnswerLanguage(of: inquiry, in: publication.snapshot) { whole.metadata.note(language) }
        guard let version = whole.version else { throw .unwritten }
        history.note(version, number: publication.number)
        guard let since = inquiry.query.since else { return try representation(of: whole, inquiry) }
        let earlier = SinceVersion(since, at: inquiry.path, in: inquiry.language, history, known: known)
        let bytes = whole.body.count
        return try representation(of: whole, inquiry) { () throws(Problem) in
            guard let change = earlier.change(to: answer, version: version, bytes: bytes, inquiry.query.format) else {
                return nil
            }
            return try rendering(of: LevelDelta(answer: answer, change: change, version: version), inquiry)
        }
    }

    /// Makes the representation of a rendered answer about an item.
    ///
    /// - Parameter change: makes the changes that are sent instead of the whole; nil to send the whole. Both have the
    ///   coding of the whole, however short the changes are, because they share one tag.
    private func representation(
        of whole: consuming Rendering, _ inquiry: Inquiry, change: (() throws(Problem) -> Rendering?)? = nil
    ) throws(Problem) -> Representation {
        guard inquiry.query.isIndented else {
            return try representation(of: whole, inquiry.negotiation, replacement: change)
        }
        let metadata = whole.metadata.indented
        let coding = try inquiry.negotiation.coding(ofBytes: whole.body.count)
        guard !whole.body.isIncomplete else { throw .outOfMemory }
        let compact = Response.Body(whole.body)
        let body = StreamedBody(coding, failure: .unwritten) { () throws(Problem) in
            if let change = try change?() { return IndentedStream(HeldBody(Response.Body(change.body))) }
            return IndentedStream(HeldBody(compact))
        }
        let headers = header.lines(of: metadata, coding, for: inquiry.negotiation.origin)
        return Representation(entityTag: metadata.entityTag(coding), headers: headers, coding, body: body)
    }

    /// Makes the representation of a body in the coding that a request prefers.
    ///
    /// - Parameter replacement: makes what is sent instead of the body; nil to send the body.
    /// - Throws: `Problem` (406) if the client accepts no available coding.
    func representation(
        of rendering: consuming Rendering, _ negotiation: Negotiation,
        replacement: (() throws(Problem) -> Rendering?)? = nil
    ) throws(Problem) -> Representation {
        let coding = try negotiation.coding(ofBytes: rendering.body.count)
        let tag = rendering.metadata.entityTag(coding)
        let headers = header.lines(of: rendering.metadata, coding, for: negotiation.origin)
        let version = rendering.version
        let body = WrittenBody(rendering, coding, replacement: replacement)
        return Representation(entityTag: tag, headers: headers, coding, body: body, version: version)
    }

    /// Writes an answer about an item in the requested format.
    private func rendering(of answer: some ItemAnswer, _ inquiry: Inquiry) throws(Problem) -> Rendering {
        try written(answer, inquiry.query.format)
    }

    private func written(_ answer: some ItemAnswer, _ format: Format) throws(Problem) -> Rendering {
        do {
            return try format == .plist
                ? write(answer, XMLPropertyListWriter.init()) : write(answer, JSONPropertyListWriter.init())
        } catch {
            throw error.isOutOfMemory ? .outOfMemory : Self.beyondXML
        }
    }

    private func write<Writer: AnswerWriter & ~Copyable>(
        _ answer: some ItemAnswer, _ empty: consuming Writer
    ) throws(PropertyListError) -> Rendering {
        var writer = empty
        let (version, next) = try answer.write(to: &writer)
        let metadata = RepresentationMetadata(
            contentType: Writer.contentType, entityTag: EntityTag.of(version),
            cacheControl: configuration.cacheControl, vary: "Accept-Encoding, Accept", next: next)
        return Rendering(metadata: metadata, body: try writer.body(), version: version)
    }

    private static let beyondXML = Problem(
        .notRepresentable,
        "The answer contains control characters or fractions of a second, which XML cannot represent; request format=json.",
        members: [("allowed", .list(["json"]))])

    /// Charges a response to the budget of those on their way.
    ///
    /// - Throws: `Problem` (503) if the budget has no room.
    func charged(_ response: Response) throws(Problem) -> Response {
        guard let charged = response.charged(to: configuration.responseBudget) else { throw .tooManyAnswers }
        return charged
    }

    /// Makes a response that clients should not store.
    ///
    /// - Throws: `Problem` (503) if there is not enough memory.
    func response(
        of rendering: consuming Rendering, _ coding: ContentCoding, _ negotiation: Negotiation
    ) throws(Problem) -> Response {
        let headers = header.lines(of: rendering.metadata, coding, for: negotiation.origin)
        return try rendering.response(coding, headers: headers)
    }

    /// The entity tag that a GET of an item without options has in a format; nil if the format cannot represent it.
    func entityTag(_ subject: Inquiry.Subject, of item: Item, _ format: Format) -> String? {
        do throws(Problem) {
            switch subject {
            case .document: return DocumentAnswer.entityTag(of: item, format)
            case .detail:
                return try written(DetailAnswer(item: item, arrangements: arrangements), format).metadata.entityTag
            case .level: return try written(LevelAnswer(item, LevelQuery(), arrangements), format).metadata.entityTag
            }
        } catch {
            return nil
        }
    }

    /// Makes the response that reports a problem with a target.
    func response(to problem: Problem, at target: String, _ negotiation: Negotiation) -> Response {
        header.response(to: problem, at: target, for: negotiation.origin)
    }
}

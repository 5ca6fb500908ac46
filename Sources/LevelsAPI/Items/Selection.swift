import Bytes
import ContentCodings
import HTTPServer
import Heap
import Levels
import PropertyLists
import TreeStore

/// Selects the representation that answers a request, and makes responses as the configuration says.
struct Selection {
    let history: History
    let cache: ResponseCache
    let arrangements: ArrangementCache
    let header: ResponseHeader
    /// The path with which all links in answers begin.
    let basePath: String
    /// The header field `Cache-Control` of levels, details and documents.
    let cacheControl: String
    /// The budget for the bodies that are being sent.
    let budget: ResponseBudget
    /// The maximum number of rows that are looked at for an immediate answer.
    let largestImmediateWork: Int
    /// The milliseconds since 1970.
    let now: @Sendable () -> Int

    /// The representation that answers an inquiry: from the cache, from a response that is being sent to another
    /// client, or newly rendered.
    ///
    /// - Parameters:
    ///   - found: the result of the look-up in the cache; nil if there was no look-up.
    /// - Throws: `Problem` (406) if the format cannot represent the answer, or the client accepts no available coding.
    func select(
        _ inquiry: Inquiry, found: ResponseCache.Found? = nil
    ) throws(Problem) -> Representation {
        guard inquiry.question.subject != .document else {
            return try DocumentAnswer(inquiry: inquiry, header: header, cacheControl: cacheControl)
                .representation().charged(to: budget)
        }
        guard inquiry.source.isImmediate else {
            let selected = try render(inquiry).charged(to: budget)
            let isKept = inquiry.source.state != nil && inquiry.question.delivery.since == nil
            if isKept { try keep(selected, inquiry: inquiry) }
            return selected
        }
        if let cached = cached(inquiry, found: found) { return cached.charged(to: budget) }
        if let bytes = cache.refusedBytes(inquiry.question.key, in: inquiry.publication.number),
            budget.refuses(bytes: bytes)
        {
            throw .tooManyAnswers
        }
        let selected = try complete(inquiry).charged(to: budget, sharedBy: (cache, inquiry))
        try keep(selected, inquiry: inquiry)
        return selected
    }

    /// The representation of an item that an edit has just made or changed, newly rendered. The cache cannot have
    /// this representation yet, and keeps only what is requested again.
    func select(edited inquiry: Inquiry) throws(Problem) -> Representation {
        try complete(inquiry).charged(to: budget)
    }

    private func complete(_ inquiry: Inquiry) throws(Problem) -> Representation {
        let refusals = MemoryBudget.refusals
        let rendered = try render(inquiry)
        // The answer may be cut if a buffer could not grow.
        guard refusals == MemoryBudget.refusals else { throw .outOfMemory }
        return rendered
    }

    private func cached(_ inquiry: Inquiry, found: ResponseCache.Found?) -> Representation? {
        let (question, number) = (inquiry.question, inquiry.publication.number)
        switch found ?? find(question, in: inquiry.publication) {
        case .missing: return nil
        case .verified(let answer): return Representation(answer)
        case .unverified(let entry):
            let isSame = entry.number == number || entry.answer.shown?.isSame(as: inquiry) == true
            guard let answer = cache.verify(entry, hash: question.key, in: number, isSame: isSame) else { return nil }
            if entry.number < number, let version = answer.head.version { history.note(version, number: number) }
            return Representation(answer)
        }
    }

    /// The answer that is kept for the present state of a source that is read for each answer.
    ///
    /// These answers are found for no publication, because the source may be newer than its publication.
    func cached(_ question: Question, in publication: Publication, from source: any RowSource) -> RenderedAnswer? {
        guard let state = source.state, question.delivery.wait == nil, question.delivery.revision == nil,
            case .unverified(let entry) = find(question, in: publication)
        else { return nil }
        let shown = ShownHashes(state: state, in: publication)
        return cache.verify(entry, hash: question.key, in: Self.noPublication, isSame: entry.answer.shown == shown)
    }

    private static let noPublication = -1

    /// Keeps an answer if it was requested before. Indented answers are not kept, because they are for people.
    private func keep(_ selected: Representation, inquiry: Inquiry) throws(Problem) {
        let question = inquiry.question
        guard !question.delivery.isIndented, cache.wants(question.key), !MemoryBudget.isTight else { return }
        let response = try selected.response()
        let answer = RenderedAnswer(
            response, head: selected.head, isReplaced: selected.isReplaced, to: inquiry, isKept: true)
        cache.keep(
            answer, hash: question.key,
            in: inquiry.source.state == nil ? inquiry.publication.number : Self.noPublication)
    }

    func find(_ question: Question, in publication: Publication) -> ResponseCache.Found {
        let target = question.target
        return cache.find(target.span, hash: question.key, in: publication.number)
    }

    /// Whether an answer needs so many rows that other requests should not wait for it.
    func takesLong(_ inquiry: Inquiry, found: ResponseCache.Found) -> Bool {
        guard work(inquiry) > largestImmediateWork else { return false }
        return switch found {
        case .verified(let answer):
            // The changes since another version are made anew.
            inquiry.question.turn != nil
                && inquiry.question.delivery.since.map { EntityTag.isTag(answer.head.entityTag, ofVersion: $0.text) }
                    == false
        case .unverified(let entry): entry.answer.kept == nil || entry.answer.shown?.isSame(as: inquiry) != true
        case .missing: true
        }
    }

    /// The memory for finding the rows of an answer, in bytes. Each row that is looked at takes memory for its place,
    /// and for its sort keys or its searched title.
    func memory(for inquiry: Inquiry) -> Int { (4 << 20) + 160 * work(inquiry) }

    /// The number of rows that are looked at for an answer, including the answer in the client's version.
    private func work(_ inquiry: Inquiry) -> Int {
        let work = inquiry.shown.work(inquiry.question, limit: largestImmediateWork)
        guard work <= largestImmediateWork, inquiry.source.isImmediate, let since = inquiry.question.delivery.since
        else { return work }
        let earlier = history.item(asked: inquiry.question, since: since)
        return work + (earlier?.work(inquiry.question, limit: largestImmediateWork) ?? 0)
    }

    private func render(_ inquiry: Inquiry) throws(Problem) -> Representation {
        let question = inquiry.question
        guard question.subject == .level else {
            return try representation(of: writtenDetail(inquiry, follow: question.follow), question: question)
        }
        let level = try level(inquiry)
        let whole = try written(level: level, for: inquiry)
        guard let version = whole.version else { throw .unwritten }
        history.note(version, number: inquiry.publication.number)
        let isImmediate = inquiry.source.isImmediate
        if !isImmediate { history.keep(level, version: version) }
        guard question.delivery.since != nil, question.turn == nil else {
            let selected = try representation(of: whole, question: question)
            if question.turn != nil {
                selected.following = following(level, version: version, bytes: selected.bodyCount, inquiry: inquiry)
            }
            return selected
        }
        let bytes = whole.body.count
        return try representation(of: whole, question: question) { () throws(Problem) in
            try delta(to: level, version: version, bytes: bytes, inquiry: inquiry, known: nil)
        }
    }

    private func level(_ inquiry: Inquiry) throws(Problem) -> LevelAnswer {
        let question = inquiry.question
        let level = try LevelAnswer(
            item: inquiry.item, query: question.rows, source: inquiry.source, follow: question.follow, under: basePath,
            waitHint: question.waitHint)
        try level.checkStart()
        return level
    }

    /// The changes since the version that the client has; nil if they are not known.
    ///
    /// - Parameter bytes: the length of the whole answer.
    private func delta(
        to level: LevelAnswer, version: ContentHash, bytes: Int, inquiry: Inquiry, known: ShownItem?
    ) throws(Problem) -> Rendering? {
        let (question, isImmediate) = (inquiry.question, inquiry.source.isImmediate)
        guard let since = question.changesSince else { return nil }
        let earlier = SinceVersion(
            version: since, question: question, history: history, known: isImmediate ? known : nil,
            isSearched: isImmediate)
        guard let change = earlier.change(to: level, version: version, bytes: bytes) else { return nil }
        return try written(LevelDelta(answer: level, change: change, version: version), for: inquiry)
    }

    /// Makes the changes since the client's version, or the whole level if they are not known.
    private func following(
        _ level: LevelAnswer, version: ContentHash?, bytes: Int, inquiry: Inquiry
    ) -> (FollowLink, ShownItem?) throws(Problem) -> Rendering {
        { follow, known throws(Problem) in
            var level = level
            level.follow = follow
            if let version,
                let delta = try delta(to: level, version: version, bytes: bytes, inquiry: inquiry, known: known)
            {
                return delta
            }
            return try written(level: level, for: inquiry)
        }
    }

    /// The response to a request whose wait is over.
    ///
    /// - Parameters:
    ///   - selected: the representation that the request selects, without regard to `since`.
    ///   - isKnown: whether the client has this representation.
    ///   - second: the time, in seconds since 1970.
    ///   - known: the state that the client is known to have, if any.
    func response(
        to inquiry: Inquiry, having selected: Representation, isKnown: Bool, at second: Int, known: ShownItem? = nil
    ) throws(Problem) -> Response {
        let added = inquiry.addedHeaders
        // Only a condition is answered with 304.
        if isKnown, inquiry.question.isConditional { return selected.notModified(adding: added) }
        guard inquiry.question.turn != nil else { return try selected.response(adding: added) }
        return try followed(inquiry, selected: selected, isChanged: !isKnown, at: second, known: known)
    }

    /// Makes a response, or the response that tells why it cannot be made.
    func responding(to question: Question, _ make: () throws(Problem) -> Response) -> Response {
        do throws(Problem) { return try make() } catch { return response(to: error, question: question) }
    }

    /// The answer to a request with `since` and `wait`: the changes since the client's version, or the whole answer if
    /// it has no rows or the changes are not known.
    ///
    /// - Parameters:
    ///   - selected: the representation of the same request without `since` and `wait`.
    ///   - isChanged: whether the client has another version.
    ///   - now: the second in which the answer is made.
    private func followed(
        _ inquiry: Inquiry, selected: Representation, isChanged: Bool, at now: Int, known: ShownItem?
    ) throws(Problem) -> Response {
        let question = inquiry.question
        guard let turn = question.turn, let wait = question.delivery.wait else { throw .unwritten }
        var follow = question.follow
        follow.turn = turn.next(at: now)
        var rendering: Rendering
        if question.subject == .detail {
            rendering = try writtenDetail(inquiry, follow: follow)
        } else if let following = selected.following {
            rendering = try following(follow, known)
        } else {
            let following = following(
                try level(inquiry), version: selected.head.version, bytes: selected.bodyCount, inquiry: inquiry)
            rendering = try following(follow, known)
        }
        if question.isFollowing {
            header.share(&rendering.metadata, turn: turn, isChanged: isChanged, wait: wait)
        }
        // An entity tag names the coding of the whole answer, however short the changes are.
        let coding = question.isFollowing ? nil : selected.head.coding
        return try representation(of: rendering, question: question, coding: coding).charged(to: budget)
            .response(adding: inquiry.addedHeaders)
    }

    /// The representation of a rendered answer about an item.
    ///
    /// - Parameter change: makes an answer with the changes, which is sent instead of the whole answer. If `change` is
    ///   nil, or returns nil, the whole answer is sent. Both answers have the coding of the whole answer, however short
    ///   the changes are, because both have the same entity tag.
    private func representation(
        of whole: consuming Rendering, question: Question, coding: ContentCoding? = nil,
        change: (() throws(Problem) -> Rendering?)? = nil
    ) throws(Problem) -> Representation {
        let negotiation = question.negotiation
        guard question.delivery.isIndented else {
            return try representation(of: whole, negotiation: negotiation, coding: coding, replacement: change)
        }
        let metadata = whole.metadata.indented
        let coding = if let coding { coding } else { try negotiation.coding(ofBytes: whole.body.count) }
        let compact = try Response.Body(whole: whole.body)
        let head = head(of: metadata, coding: coding, negotiation: negotiation, version: whole.version)
        return Representation(
            head: head,
            body: .stream(failure: .unwritten) { () throws(Problem) in
                if let change = try change?() { return IndentedStream(HeldBody(Response.Body(change.body))) }
                return IndentedStream(HeldBody(compact))
            })
    }

    /// The representation of a body in the coding that a request prefers.
    ///
    /// - Parameter replacement: makes the body that is sent instead of the rendering's body. If it returns nil, the
    ///   rendering's body is sent.
    func representation(
        of rendering: consuming Rendering, negotiation: Negotiation, coding: ContentCoding? = nil,
        replacement: (() throws(Problem) -> Rendering?)? = nil
    ) throws(Problem) -> Representation {
        let coding = if let coding { coding } else { try negotiation.coding(ofBytes: rendering.body.count) }
        let head = head(of: rendering.metadata, coding: coding, negotiation: negotiation, version: rendering.version)
        return Representation(head: head, body: .bytes(try Response.Body(whole: rendering.body), instead: replacement))
    }

    private func head(
        of metadata: RepresentationMetadata, coding: ContentCoding, negotiation: Negotiation,
        version: ContentHash? = nil
    ) -> Representation.Head {
        Representation.Head(
            entityTag: metadata.entityTag(coding),
            headers: header.lines(of: metadata, coding: coding, for: negotiation.origin),
            coding: coding, version: version)
    }

    private func writtenDetail(_ inquiry: Inquiry, follow: FollowLink) throws(Problem) -> Rendering {
        try written(
            DetailAnswer(
                item: inquiry.item, source: inquiry.source, follow: follow, under: basePath,
                waitHint: inquiry.question.waitHint), for: inquiry)
    }

    private func written(_ answer: some ItemAnswer, for inquiry: Inquiry) throws(Problem) -> Rendering {
        var rendering = try written(answer, format: inquiry.question.delivery.format, vary: inquiry.question.vary)
        rendering.metadata.noteLanguage(of: inquiry)
        return rendering
    }

    private func written(level: LevelAnswer, for inquiry: Inquiry) throws(Problem) -> Rendering {
        guard inquiry.question.delivery.format == .csv else { return try written(level, for: inquiry) }
        var rendering = try LevelCSV(level).rendering(cacheControl: cacheControl, vary: inquiry.question.vary)
        rendering.metadata.noteLanguage(of: inquiry)
        return rendering
    }

    private func written(_ answer: some ItemAnswer, format: Format, vary: String) throws(Problem) -> Rendering {
        do {
            return try format == .plist
                ? write(answer, empty: XMLPropertyListWriter.init(), vary: vary)
                : write(answer, empty: JSONPropertyListWriter.init(), vary: vary)
        } catch {
            throw error.isOutOfMemory ? .outOfMemory : Self.beyondXML
        }
    }

    private func write<Writer: AnswerWriter & ~Copyable>(
        _ answer: some ItemAnswer, empty: consuming Writer, vary: String
    ) throws(PropertyListError) -> Rendering {
        var writer = empty
        let (version, next) = try answer.write(to: &writer)
        let metadata = RepresentationMetadata(
            contentType: Writer.contentType, entityTag: EntityTag.of(version),
            cacheControl: cacheControl, vary: vary, next: next)
        return Rendering(metadata: metadata, body: try writer.body(), version: version)
    }

    private static let beyondXML = Problem(
        .notRepresentable,
        detail:
            "The answer contains control characters or fractions of a second, which XML cannot represent; request format=json.",
        members: [("allowed", .list(["json"]))])

    func charged(_ response: Response) throws(Problem) -> Response {
        guard let charged = response.charged(to: budget) else { throw .tooManyAnswers }
        return charged
    }

    /// The response for an answer that clients should not store.
    func response(
        of rendering: consuming Rendering, coding: ContentCoding, negotiation: Negotiation
    ) throws(Problem) -> Response {
        let headers = header.lines(of: rendering.metadata, coding: coding, for: negotiation.origin)
        return try rendering.response(coding, headers: headers)
    }

    /// The entity tag of the answer to a plain GET of an item in a format; nil if the format cannot represent the
    /// answer.
    func entityTag(_ subject: Question.Subject, of item: Item, format: Format) -> String? {
        do throws(Problem) {
            let source = TreeRows(document: item.steps[0].level, arrangements: arrangements)
            let follow = FollowLink(options: LinkedOptions(Query(.none)), format: format)
            func level() throws(Problem) -> LevelAnswer {
                try LevelAnswer(item: item, query: RowQuery(), source: source, follow: follow, under: basePath)
            }
            return switch subject {
            case .document: DocumentAnswer.entityTag(of: item, format: format)
            case .detail:
                try written(
                    DetailAnswer(item: item, source: source, follow: follow, under: basePath), format: format, vary: ""
                ).metadata.entityTag
            case .level where format == .csv:
                try LevelCSV(level()).rendering(cacheControl: cacheControl, vary: "").metadata.entityTag
            case .level: try written(level(), format: format, vary: "").metadata.entityTag
            }
        } catch {
            return nil
        }
    }

    func response(to problem: Problem, question: Question) -> Response {
        response(to: problem, at: question.requested, negotiation: question.negotiation)
    }

    func response(to problem: Problem, at target: String, negotiation: Negotiation) -> Response {
        header.response(to: problem, at: target, for: negotiation.origin)
    }
}

import Bytes
import ContentCodings
import Files
import HTTPServer
import Levels
import PropertyLists
import TreeStore

/// An edit that is being carried out. Makes the response to the client from the outcome of the edit.
struct PendingEdit: Sendable {
    /// The content of the answer.
    enum Subject: Sendable {
        /// The detail of the item, or nothing if the item was deleted.
        case item
        /// A link to the item of each step.
        case steps
        /// The size of the new document.
        case document
    }

    let subject: Subject
    /// The pointers to the items of the edits in the body (RFC 6901); empty if `at` and `section` are in the query.
    var pointers: [String] = []
    /// The target of the request, without the base path.
    let target: String
    let negotiation: Negotiation
    /// The revision that the request names: the edit is refused on an earlier one.
    let revision: String?
    /// The size of the request's body.
    let bodyBytes: Int
    /// The name of the token's holder.
    let author: String?
    fileprivate let selection: Selection

    init(
        subject: Subject, request: Request, revision: String?, by author: String?, negotiation: Negotiation,
        selection: Selection
    ) {
        self.subject = subject
        self.revision = revision
        target = String(utf8: request.target)
        self.negotiation = negotiation
        bodyBytes = request.body.count
        self.author = author
        self.selection = selection
    }

    func response(to outcome: EditOutcome) -> Response {
        do throws(Problem) {
            switch outcome {
            case .done(let publication, let items): return try done(publication, items: items)
            case .refused(let refusal): throw Problem(refusal: refusal, edit: self)
            case .noSpace: throw .noSpace
            case .failed(let id, let isUnknown): throw .notSaved(id: id, isUnknown: isUnknown)
            case .busy: throw .busyDocument
            case .away: throw .databaseAway
            case .stopped: throw .stopping
            }
        } catch {
            return response(to: error)
        }
    }

    func response(to outcome: ReloadOutcome) -> Response {
        do throws(Problem) {
            switch outcome {
            case .published(let snapshot): return try reloaded("published", snapshot: snapshot)
            case .unchanged(let snapshot): return try reloaded("unchanged", snapshot: snapshot)
            case .refused(let error):
                let kind = outcome.isOutOfMemory ? ProblemKind.outOfMemory : .documentRefused
                throw Problem(kind, detail: "\(error) The version before is still served.")
            case .stopped: throw Problem.stopping
            }
        } catch {
            return response(to: error)
        }
    }

    func response(to problem: Problem) -> Response {
        selection.response(to: problem, at: target, negotiation: negotiation)
    }

    private func done(_ publication: Publication, items: [EditedItem]) throws(Problem) -> Response {
        let snapshot = publication.snapshot
        switch subject {
        case .item:
            guard case .present(let item, let isNew)? = items.first else {
                let headers = selection.header.empty(for: negotiation.origin)
                return Response(status: 204, headers: headers + snapshot.revisionHeaders)
            }
            return try present(item, isNew: isNew, in: publication)
        case .steps: return try stepsDone(snapshot, links: items.map(link(to:)))
        case .document:
            let tag = selection.entityTag(.document, of: Item(rootOf: snapshot.document), format: .plist)
            return try response(snapshot, headers: tag.map { [("ETag", $0)] } ?? []) { writer in
                writer.member("items", snapshot.itemCount)
            }
        }
    }

    /// The representation that a GET of the detail would give. If the client accepts no form that can carry the detail,
    /// the detail in JSON; if memory is short, a link to the item.
    private func present(_ item: Item, isNew: Bool, in publication: Publication) throws(Problem) -> Response {
        let target = String(utf8: Links(item, under: "").detail)
        let link = selection.basePath + target
        let isSent = link.utf8.count <= ResponseHeader.longestLink
        func created(_ response: Response) -> Response {
            guard isNew, let body = response.sharedBody else { return response }
            let location = isSent ? [(name: "Location", value: link)] : []
            return Response(status: 201, headers: response.headers + location, body: body)
        }
        func detail(_ negotiation: Negotiation) throws(Problem) -> Response {
            let question = try Question(detailAt: target, negotiation: negotiation)
            let selected = try selection.select(
                edited: Inquiry(question: question, in: publication, arrangements: selection.arrangements))
            let response = try selected.response(
                adding: publication.snapshot.revisionHeaders + (isSent ? [("Content-Location", link)] : []))
            return try selection.charged(created(response))
        }
        // The edit is done, so its answer is not a problem.
        for form in [negotiation, negotiation.withoutForm] {
            do throws(Problem) { return try detail(form) } catch { continue }
        }
        return created(try stepsDone(publication.snapshot, links: [link]))
    }

    /// The link to the item's detail; nil if the item no longer exists.
    private func link(to edited: EditedItem) -> String? {
        switch edited {
        case .present(let item, _): String(utf8: Links(item, under: selection.basePath).detail)
        case .deleted: nil
        }
    }

    /// `{"revision":…,"edits":[…]}`: for each step, a link to the item, or null if the item no longer exists.
    private func stepsDone(_ snapshot: Snapshot, links: [String?]) throws(Problem) -> Response {
        try response(snapshot) { (writer) throws(PropertyListError) in
            writer.beginList("edits")
            for link in links {
                if let link {
                    writer.beginObject()
                    try writer.member("href", link)
                    writer.endObject()
                } else {
                    writer.null()
                }
            }
            writer.endList()
        }
    }

    private func response(
        _ snapshot: Snapshot, headers: HeaderLines = [],
        _ write: (inout JSONPropertyListWriter) throws(PropertyListError) -> Void
    ) throws(Problem) -> Response {
        let answer = try Rendering(headers: headers + snapshot.revisionHeaders) { (writer) throws(PropertyListError) in
            try writer.member("revision", snapshot.revision)
            try write(&writer)
        }
        return try selection.response(of: answer, coding: .identity, negotiation: negotiation)
    }

    private func reloaded(_ outcome: String, snapshot: Snapshot) throws(Problem) -> Response {
        let answer = try Rendering(headers: snapshot.revisionHeaders) { (writer) throws(PropertyListError) in
            try writer.member("outcome", outcome)
            try writer.member("revision", snapshot.revision)
        }
        return try selection.response(of: answer, coding: .identity, negotiation: negotiation)
    }

}

extension Problem {
    /// 503 for a load that takes longer than a client waits.
    static let unfinishedReload = Problem(
        .unfinishedEdit, detail: "The source has not been loaded yet; /readyz shows the outcome.")
}

extension Problem {
    init(refusal: EditRefusal, edit: PendingEdit) {
        // A refusal without a step concerns the whole batch.
        let step = refusal.step ?? (edit.subject == .steps ? nil : 0)
        let pointer = step.flatMap { edit.pointers.indices.contains($0) ? edit.pointers[$0] : nil } ?? ""
        self = Self.problem(refusal, at: pointer, isInBody: !edit.pointers.isEmpty)
        if case .preconditionRequired(let item) = refusal.kind {
            let place = edit.subject == .steps ? "the member 'ifMatch' of the step" : "the header field If-Match"
            detail += " Name the item by its tag: send 'current' or 'currentFields' in \(place)."
            let tag = edit.selection.entityTag(.detail, of: item, format: .json)
            members += Self.tags(current: tag, fields: RowFields.version(of: item))
        }
        if edit.subject == .steps, let step { members.append(("edit", .number(step))) }
    }

    private static func problem(_ refusal: EditRefusal, at pointer: String, isInBody: Bool) -> Problem {
        let detail = refusal.detail
        switch refusal.kind {
        case .noSuchItem(let key, let nearest): return .noSuchItem(key, below: nearest)
        case .exists: return Problem(.preconditionFailed, detail: detail)
        case .preconditionFailed(let current, let fields):
            return Problem(.preconditionFailed, detail: detail, members: tags(current: current, fields: fields))
        case .preconditionRequired: return Problem(.preconditionRequired, detail: detail)
        case .outOfMemory: return Problem(.outOfMemory, detail: detail)
        case .revision(let asked, let current):
            return AskedRevision.problem(asked, current: current) ?? Problem(.conflict, detail: detail)
        case .conflict: return Problem(.conflict, detail: detail)
        case .badPlace(let parameter):
            guard isInBody else { return .badParameter(parameter, detail: detail) }
            return .invalidContent(detail, at: parent(of: pointer) + JSONPointer.step(parameter))
        case .invalid(let place): return .invalidContent(detail, at: pointer + (place ?? ""))
        case .constraint(let name):
            return Problem(.invalidContent, detail: detail, members: name.map { [("constraint", .text($0))] } ?? [])
        case .notAllowed(let allowed, let place):
            var problem = Problem.invalidContent(detail, at: pointer + (place ?? ""))
            problem.members.append(("allowed", .values(allowed)))
            return problem
        }
    }

    private static func tags(current: String?, fields: String?) -> Members {
        let members: [(name: StaticString, value: String?)] = [("current", current), ("currentFields", fields)]
        return members.compactMap { name, value in value.map { (name, .text($0)) } }
    }

    /// The pointer to the step that contains the item.
    private static func parent(of pointer: String) -> String {
        pointer.lastSlash.map { String(pointer[..<$0]) } ?? ""
    }

    static let noSpace = Problem(
        .insufficientStorage,
        detail:
            "The disk of the document is full or cannot be written to, so the edit was not saved; nothing has changed.")

    static func notSaved(id: String, isUnknown: Bool) -> Problem {
        let outcome =
            isUnknown
            ? "The disk failed while the edit was saved, and it is not known whether the document has the edit; look at it before you repeat the edit"
            : "The edit could not be saved, and nothing has changed"
        return Problem(
            .saveFailed, detail: "\(outcome); the server's log has the reason under '\(id)'.",
            members: [("failure", .text(id))]
        )
    }

    /// 503 for an edit that has waited too long for other edits, or for the lock of the document.
    static let busyDocument = Problem(
        .tooManyEdits,
        detail:
            "Too many edits are waiting, or another program holds the lock of the document; nothing has changed. Try again later."
    )

    static let databaseAway = Problem(
        .databaseAway, detail: "The database cannot be reached, and nothing has changed. Try again later.")

    static let tooManyEdits = Problem(
        .tooManyEdits, detail: "The limit of edits in progress is reached, and nothing has changed. Try again later.")

    static let stopping = Problem(
        .stopping, detail: "The server is stopping, and nothing has changed. Try again later.")

    static let unfinishedEdit = Problem(
        .unfinishedEdit,
        detail: "The edit has not ended yet, and may still be done; look at the document before you repeat it.")
}

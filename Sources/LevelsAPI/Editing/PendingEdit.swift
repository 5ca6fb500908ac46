import Bytes
import ContentCodings
import HTTPServer
import Levels
import PropertyLists
import TreeStore

/// An edit that is being carried out: makes the response to its client from how it ended.
struct PendingEdit: Sendable {
    /// What the answer shows.
    enum Subject: Sendable {
        /// The detail of the item, or nothing if it was deleted.
        case item
        /// A link to the item of each step.
        case steps
        /// That the whole document was replaced.
        case document
    }

    let subject: Subject
    /// Where the item of each edit is in the body (RFC 6901); empty if `at` and `section` are in the query.
    var pointers: [String] = []
    /// The target of the request, as it was sent.
    let target: String
    let negotiation: Negotiation
    /// The size of the request's body.
    let bodyBytes: Int
    private let selection: Selection

    init(_ subject: Subject, _ request: Request, _ negotiation: Negotiation, _ selection: Selection) {
        self.subject = subject
        target = String(utf8: request.target)
        self.negotiation = negotiation
        bodyBytes = request.body.count
        self.selection = selection
    }

    /// The response to the client.
    func response(to outcome: EditOutcome) -> Response {
        do throws(Problem) {
            switch outcome {
            case .done(let publication, let items): return try done(publication, items)
            case .refused(let refusal): throw Problem(refusal, self)
            case .noSpace: throw .noSpace
            case .failed(let id, let isUnknown): throw .notSaved(id: id, isUnknown: isUnknown)
            case .busy: throw .tooManyEdits
            case .stopped: throw .stopping
            }
        } catch {
            return response(to: error)
        }
    }

    /// The response that reports a problem.
    func response(to problem: Problem) -> Response { selection.response(to: problem, at: target, negotiation) }

    private func done(_ publication: Publication, _ items: [EditedItem]) throws(Problem) -> Response {
        switch subject {
        case .item:
            switch items.first {
            case .present(let item, let isNew):
                do throws(Problem) {
                    return try detail(of: item, isNew: isNew, in: publication)
                } catch {
                    // The client cannot read the detail as it has asked for it, but the edit is done.
                    return try link(to: item, isNew: isNew, in: publication)
                }
            default: return Response(status: 204, headers: selection.header.empty(for: negotiation.origin))
            }
        case .steps:
            let links = items.map(\.link)
            return try selection.response(
                of: try StepsAnswer.rendered(publication.snapshot, links), .identity, negotiation)
        case .document:
            let root = Item(rootOf: publication.snapshot.document)
            let tag = selection.entityTag(.document, of: root, .plist)
            let answer = try StepsAnswer.rendered(publication.snapshot, tag: tag)
            return try selection.response(of: answer, .identity, negotiation)
        }
    }

    /// The same representation as that of a GET that follows.
    private func detail(of item: Item, isNew: Bool, in publication: Publication) throws(Problem) -> Response {
        let link = Links(item).detailText
        let question = try Question(detailAt: link, negotiation)
        let selected = try selection.select(Inquiry(question, in: publication, selection.arrangements))
        let isSent = link.utf8.count <= Self.longestLink
        let response = try selected.response(adding: isSent ? [("Content-Location", link)] : [])
        guard isNew, let body = response.sharedBody else { return response }
        let location = isSent ? [(name: "Location", value: link)] : []
        return try selection.charged(Response(status: 201, headers: response.headers + location, body: body))
    }

    /// A link to the item, as in the answer to `/edits`.
    private func link(to item: Item, isNew: Bool, in publication: Publication) throws(Problem) -> Response {
        let link = Links(item).detailText
        let answer = try StepsAnswer.rendered(publication.snapshot, [link])
        let response = try selection.response(of: answer, .identity, negotiation)
        guard isNew, let body = response.sharedBody else { return response }
        let location = link.utf8.count <= Self.longestLink ? [(name: "Location", value: link)] : []
        return Response(status: 201, headers: response.headers + location, body: body)
    }

    /// The maximum length, in bytes, of a link in the header; the body has every link.
    ///
    /// Two of them fit into the memory of a connection beside any request's header. An answer that does not fit would be
    /// a fault, although the edit is done.
    private static let longestLink = 2_048
}

extension Links {
    fileprivate var detailText: String { String(utf8: detail) }
}

extension EditedItem {
    /// The link to the item's detail; nil if it is not there any more.
    fileprivate var link: String? {
        switch self {
        case .present(let item, _): Links(item).detailText
        case .deleted: nil
        }
    }
}

/// The answers that tell the revision of an edit.
enum StepsAnswer {
    /// `{"revision":…,"edits":[…]}`: a link to the item of each step, or null if it is not there any more.
    static func rendered(_ snapshot: Snapshot, _ links: [String?]) throws(Problem) -> Rendering {
        try Rendering { (writer) throws(PropertyListError) in
            try writer.member("revision", snapshot.revision)
            writer.member("edits")
            writer.beginList()
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

    /// `{"revision":…,"items":…}`: the document was replaced.
    ///
    /// - Parameter tag: the entity tag of the new document.
    static func rendered(_ snapshot: Snapshot, tag: String?) throws(Problem) -> Rendering {
        try Rendering(headers: tag.map { [("ETag", $0)] } ?? []) { (writer) throws(PropertyListError) in
            try writer.member("revision", snapshot.revision)
            writer.member("items", snapshot.itemCount)
        }
    }

    /// `{"outcome":…,"revision":…}`: the source was loaded again.
    static func rendered(_ outcome: StaticString, _ snapshot: Snapshot) throws(Problem) -> Rendering {
        try Rendering { (writer) throws(PropertyListError) in
            try writer.member("outcome", String(describing: outcome))
            try writer.member("revision", snapshot.revision)
        }
    }
}

/// The answer to `POST /reload`.
enum ReloadAnswer {
    static func response(to outcome: ReloadOutcome, _ pending: PendingEdit, _ selection: Selection) -> Response {
        do throws(Problem) {
            let answer =
                switch outcome {
                case .published(let snapshot): try StepsAnswer.rendered("published", snapshot)
                case .unchanged(let snapshot): try StepsAnswer.rendered("unchanged", snapshot)
                case .refused(let error) where outcome.isOutOfMemory:
                    throw Problem(.outOfMemory, "\(error) The version before is still served.")
                case .refused(let error):
                    throw Problem(.documentRefused, "\(error) The version before is still served.")
                case .stopped: throw Problem.stopping
                }
            return try selection.response(of: answer, .identity, pending.negotiation)
        } catch {
            return pending.response(to: error)
        }
    }
}

extension Problem {
    /// 503 for a load that takes longer than a client waits.
    static let unfinishedReload = Problem(
        .unfinishedEdit, "The source has not been loaded yet; /readyz tells how it ends.")
}
